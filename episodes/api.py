"""Episodes over HTTP: start, read, buy, submit."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from catalog.queries import find_task
from episodes.actions import ledger
from episodes.bodies import RequestBody
from episodes.idempotency import KEY_PATTERN, MAX_KEY_LENGTH, idempotency_key
from episodes.models import Agent, Episode, View
from episodes.queries.episodes import episodes_of, find_episode, observations, state_of
from episodes.states import EpisodeState

MAX_BATCH_LENGTH = 1024

_MASK = r"^[01]{2,8}$"
_UTILITIES = {
    "type": "object",
    "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
    "example": {"0000": 0.52, "1111": 0.61},
}


# --- What comes in --------------------------------------------------------------------------
class WholeNumberField(serializers.IntegerField):
    """A JSON number without a point: neither true, "8" nor 8.0."""

    def to_internal_value(self, data: object) -> int:
        """Return the number, or refuse anything else."""
        if type(data) is not int:
            self.fail("invalid")
        return data


@extend_schema_field(
    {
        "type": "array",
        "items": {"type": "string", "pattern": _MASK},
        "minItems": 1,
        "maxItems": MAX_BATCH_LENGTH,
    }
)
class BatchField(serializers.ListField):
    """Any list: the ledger names the illegal masks."""


@extend_schema_field(_UTILITIES)
class TableField(serializers.Field[Any, Any, Any, Any]):
    """Any object: the ledger names the faulty masks."""

    default_error_messages = {"invalid": "must be an object with one number for each mask"}

    def to_internal_value(self, data: object) -> Mapping[str, object]:
        """Return the object as it was sent."""
        if not isinstance(data, dict):
            self.fail("invalid")
        return data


class StartRequest(RequestBody):
    """Which task to play, and how."""

    task = serializers.CharField(max_length=50, help_text="Slug of a task.")
    budget = WholeNumberField(
        help_text="Masks you may buy: 0 to 2^d - 2, the two anchors being free."
    )
    view = serializers.ChoiceField(
        View.choices, default=View.FULL, help_text="opaque: play on masks and utilities alone."
    )


class BuyRequest(RequestBody):
    """Which masks to measure."""

    masks = BatchField(allow_empty=False, max_length=MAX_BATCH_LENGTH)


class PredictionRequest(RequestBody):
    """The table that ends the episode."""

    predictions = TableField(help_text="One number in [0, 1] for each of the 2^d masks.")


# --- What goes out --------------------------------------------------------------------------
@extend_schema_field(_UTILITIES)
class UtilitiesField(serializers.DictField):
    """Utilities by mask, {mask: utility}."""


class EpisodeReply(serializers.Serializer[Any]):
    """An episode as its agent sees it; with the opaque view this says nothing of the task."""

    id = serializers.UUIDField()
    task = serializers.CharField(source="task.slug", help_text="As it was sent.")
    budget = serializers.IntegerField(source="budget_credits")
    view = serializers.ChoiceField(View.choices)
    state = serializers.SerializerMethodField()
    observations = serializers.SerializerMethodField(
        help_text="Anchors first, then what was bought, in order."
    )
    credits_remaining = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    deadline_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field({"type": "string", "enum": [state.value for state in EpisodeState]})
    def get_state(self, episode: Episode) -> str:
        """Return the state as of now, whatever the column says."""
        now: datetime = self.context["now"]
        return state_of(episode, now=now)

    @extend_schema_field(_UTILITIES)
    def get_observations(self, episode: Episode) -> dict[str, float]:
        """Return what the agent has seen."""
        return observations(episode)

    def get_credits_remaining(self, episode: Episode) -> int:
        """Return the masks that can still be bought."""
        return episode.budget_credits - episode.spent_credits


class BuyReply(serializers.Serializer[ledger.BoughtMeasurements]):
    """What a batch gave and cost."""

    observations = UtilitiesField()
    charged = serializers.IntegerField(help_text="Credits that this batch cost.")
    credits_remaining = serializers.IntegerField()


class SubmittedReply(serializers.Serializer[Episode]):
    """The episode is closed."""

    state = serializers.ChoiceField([EpisodeState.SUBMITTED.value])


# --- Doors ----------------------------------------------------------------------------------
_NOT_FOUND = OpenApiResponse(description="`not_found`: no such episode of this agent")
_CLOSED = "`episode_closed`: it was submitted, lost, or its deadline has passed"


class EpisodeListView(APIView):
    """The agent's episodes."""

    pagination_class = cast(type[CursorPagination], api_settings.DEFAULT_PAGINATION_CLASS)

    @extend_schema(
        operation_id="episodes_list",
        summary="List your episodes",
        responses={200: EpisodeReply(many=True)},
    )
    def get(self, request: Request) -> Response:
        """List the episodes of this agent, newest first, a page at a time."""
        pages = self.pagination_class()
        page = pages.paginate_queryset(episodes_of(_agent(request)), request, view=self)
        replies = EpisodeReply(page, many=True, context={"now": timezone.now()})
        return pages.get_paginated_response(replies.data)

    @extend_schema(
        operation_id="episodes_start",
        summary="Start an episode",
        request=StartRequest,
        responses={
            201: EpisodeReply,
            404: OpenApiResponse(description="`task_not_found`"),
        },
        examples=[OpenApiExample("start", {"task": "nile", "budget": 8}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        """Start an episode; the reply holds the two anchors, which are free.

        An episode without a prediction by `deadline_at` has expired and counts 0.
        """
        sent = StartRequest(data=request.data)
        sent.is_valid(raise_exception=True)
        now = timezone.now()
        episode = ledger.start_episode(
            agent=_agent(request),
            task=find_task(sent.validated_data["task"]),
            budget=sent.validated_data["budget"],
            view=sent.validated_data["view"],
            now=now,
        )
        return Response(EpisodeReply(episode, context={"now": now}).data, status=201)


class EpisodeView(APIView):
    """One episode of the agent."""

    @extend_schema(
        operation_id="episodes_retrieve",
        summary="Read an episode",
        responses={200: EpisodeReply, 404: _NOT_FOUND},
    )
    def get(self, request: Request, episode_id: UUID) -> Response:
        """Return the episode with everything observed so far."""
        episode = find_episode(agent=_agent(request), episode_id=episode_id)
        return Response(EpisodeReply(episode, context={"now": timezone.now()}).data)


class MeasurementsView(APIView):
    """Purchases."""

    @extend_schema(
        operation_id="episodes_buy_measurements",
        summary="Buy measurements",
        request=BuyRequest,
        parameters=[
            OpenApiParameter(
                "Idempotency-Key",
                {"type": "string", "maxLength": MAX_KEY_LENGTH, "pattern": KEY_PATTERN},
                OpenApiParameter.HEADER,
                description="Your name for this one batch. When you retry the batch, because no "
                "reply came or it was an error of ours, REUSE the same key: you get the first "
                "reply again and are not charged again. Take a new key only for a new batch.",
            ),
            OpenApiParameter(
                "Idempotent-Replay",
                OpenApiTypes.STR,
                OpenApiParameter.HEADER,
                response=[200],
                enum=["true"],
                description="Present if this is the first reply again.",
            ),
        ],
        responses={
            200: BuyReply,
            402: OpenApiResponse(description="`budget_exceeded`: `details` has the balance"),
            404: _NOT_FOUND,
            409: OpenApiResponse(
                description=f"{_CLOSED}; or `idempotency_key_reused`: the key was used for "
                "other masks"
            ),
            422: OpenApiResponse(description="`illegal_masks`: `details.masks` names them"),
        },
        examples=[OpenApiExample("buy", {"masks": ["0001", "0010"]}, request_only=True)],
    )
    def post(self, request: Request, episode_id: UUID) -> Response:
        """Measure masks; each one not observed before costs one credit.

        A batch is accepted or refused whole: a refusal charges nothing and reveals nothing.
        """
        sent = BuyRequest(data=request.data)
        sent.is_valid(raise_exception=True)
        bought = ledger.buy_measurements(
            agent=_agent(request),
            episode_id=episode_id,
            masks=sent.validated_data["masks"],
            idempotency_key=idempotency_key(request),
            now=timezone.now(),
        )
        headers = {"Idempotent-Replay": "true"} if bought.replayed else {}
        return Response(BuyReply(bought).data, headers=headers)


class PredictionView(APIView):
    """The prediction that ends an episode."""

    @extend_schema(
        operation_id="episodes_submit_prediction",
        summary="Submit the prediction",
        request=PredictionRequest,
        responses={
            201: SubmittedReply,
            404: _NOT_FOUND,
            409: OpenApiResponse(description=_CLOSED),
            422: OpenApiResponse(
                description="`invalid_predictions`: `details.masks` gives each faulty mask its "
                "reason: missing, illegal, duplicate, not_a_number, not_finite or out_of_range"
            ),
        },
    )
    def post(self, request: Request, episode_id: UUID) -> Response:
        """Submit one number in [0, 1] for every mask; this closes the episode.

        A refused table leaves the episode open. Measured masks are graded with what was measured.
        """
        sent = PredictionRequest(data=request.data)
        sent.is_valid(raise_exception=True)
        episode = ledger.submit_prediction(
            agent=_agent(request),
            episode_id=episode_id,
            predictions=sent.validated_data["predictions"],
            now=timezone.now(),
        )
        return Response(SubmittedReply(episode).data, status=201)


def _agent(request: Request) -> Agent:
    """Return who asks; the default permission lets nobody in without a key."""
    return cast(Agent, request.user)
