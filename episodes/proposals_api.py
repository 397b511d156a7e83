"""Proposals over HTTP: answer a research state, read own answers."""

import math
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

from catalog.queries import find_state
from episodes.actions.proposals import (
    MAX_REPETITIONS,
    MAX_RESPONSE_CHARACTERS,
    record_proposal,
)
from episodes.bodies import RequestBody
from episodes.idempotency import KEY_PATTERN, MAX_KEY_LENGTH, idempotency_key
from episodes.models import Agent, Proposal, ProposalStatus
from episodes.queries.proposals import find_proposal, open_score, proposals_of
from scoring.readings import ReadingScore
from scoring.responses import Interface

_INTERFACES = [interface.value for interface in Interface]


class TextField(serializers.CharField):
    """A JSON string as it was sent: neither trimmed nor made of a number."""

    def to_internal_value(self, data: object) -> str:
        """Return the text, or refuse anything else."""
        if not isinstance(data, str):
            self.fail("invalid")
        return data


class ProposalRequest(RequestBody):
    """Which state is answered, under which interface, and the raw text of the answer."""

    state = serializers.CharField(max_length=50, help_text="Slug of a research state.")
    interface = serializers.ChoiceField(_INTERFACES)
    response = TextField(
        allow_blank=True,
        trim_whitespace=False,
        max_length=MAX_RESPONSE_CHARACTERS,
        help_text="The final answer alone, without a reasoning trace.",
    )


class DefinedField(serializers.FloatField):
    """A number, or null where it is undefined."""

    def to_representation(self, value: float) -> float | None:  # type: ignore[override]
        """Return null for NaN, which JSON does not have."""
        return None if math.isnan(value) else value


class ReadingScoreReply(serializers.Serializer[ReadingScore]):
    """What the readings of the action are worth in the state."""

    rate = serializers.FloatField(help_text="U_B, nats per unit cost. Higher is better.")
    ungated_rate = serializers.FloatField(help_text="The same without the budget.")
    best_rate = serializers.FloatField(help_text="Of the best affordable design.")
    efficiency = DefinedField(allow_null=True, help_text="Q_B = rate / best_rate.")
    ambiguity = DefinedField(allow_null=True, help_text="1 - 1 / n_readings.")
    n_readings = serializers.IntegerField()
    n_affordable = serializers.IntegerField()


class ProposalReply(serializers.Serializer[Proposal]):
    """A stored proposal. An invalid one scores 0 and stays in the denominator."""

    id = serializers.UUIDField()
    state = serializers.CharField(source="state_id")
    interface = serializers.ChoiceField(_INTERFACES)
    repetition = serializers.IntegerField(help_text=f"1 to {MAX_REPETITIONS}.")
    status = serializers.ChoiceField(ProposalStatus.choices)
    reason = serializers.CharField(help_text="Why it is invalid; empty if it is valid.")
    score = serializers.SerializerMethodField(
        help_text="Of an open state; null for a sealed one, whose scores only boards show."
    )
    created_at = serializers.DateTimeField()

    @extend_schema_field(ReadingScoreReply(allow_null=True))
    def get_score(self, proposal: Proposal) -> dict[str, Any] | None:
        """Return the score as far as it may be said."""
        score = open_score(proposal)
        return None if score is None else dict(ReadingScoreReply(score).data)


class ProposalDetail(ProposalReply):
    """A proposal with the response as it was sent."""

    response = serializers.CharField()


class ProposalListView(APIView):
    """The agent's proposals."""

    pagination_class = cast(type[CursorPagination], api_settings.DEFAULT_PAGINATION_CLASS)

    @extend_schema(
        operation_id="proposals_list",
        summary="List your proposals",
        responses={200: ProposalReply(many=True)},
    )
    def get(self, request: Request) -> Response:
        """List the proposals of this agent, newest first, a page at a time."""
        pages = self.pagination_class()
        page = pages.paginate_queryset(proposals_of(_agent(request)), request, view=self)
        return pages.get_paginated_response([ProposalReply(one).data for one in page or []])

    @extend_schema(
        operation_id="proposals_record",
        summary="Answer a research state",
        request=ProposalRequest,
        parameters=[
            OpenApiParameter(
                "Idempotency-Key",
                {"type": "string", "maxLength": MAX_KEY_LENGTH, "pattern": KEY_PATTERN},
                OpenApiParameter.HEADER,
                description="Your name for this one proposal. When you retry it, REUSE the same "
                "key: you get the stored proposal again and use up no repetition.",
            ),
            OpenApiParameter(
                "Idempotent-Replay",
                OpenApiTypes.STR,
                OpenApiParameter.HEADER,
                response=[201],
                enum=["true"],
                description="Present if the proposal was stored by an earlier request.",
            ),
        ],
        responses={
            201: ProposalReply,
            404: OpenApiResponse(description="`state_not_found`"),
            409: OpenApiResponse(
                description=f"`repetitions_exceeded`: {MAX_REPETITIONS} answers a state and "
                "interface are the most; or `idempotency_key_reused`"
            ),
        },
        examples=[
            OpenApiExample(
                "propose",
                {
                    "state": "g1-00",
                    "interface": "l3",
                    "response": "Target: I3\nInterventions: {I1, I3}\nSeeds: 8",
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Store the response as it is and read it strictly.

        What the parser cannot read is stored too, with the reason: it scores 0.
        """
        sent = ProposalRequest(data=request.data)
        sent.is_valid(raise_exception=True)
        recorded = record_proposal(
            agent=_agent(request),
            state=find_state(sent.validated_data["state"]),
            interface=Interface(sent.validated_data["interface"]),
            response=sent.validated_data["response"],
            idempotency_key=idempotency_key(request),
            now=timezone.now(),
        )
        headers = {"Idempotent-Replay": "true"} if recorded.replayed else {}
        return Response(ProposalReply(recorded.proposal).data, status=201, headers=headers)


class ProposalView(APIView):
    """One proposal of the agent."""

    @extend_schema(
        operation_id="proposals_retrieve",
        summary="Read a proposal",
        responses={
            200: ProposalDetail,
            404: OpenApiResponse(description="`not_found`: no such proposal of this agent"),
        },
    )
    def get(self, request: Request, proposal_id: UUID) -> Response:
        """Return the proposal with the response as it was sent."""
        found = find_proposal(agent=_agent(request), proposal_id=proposal_id)
        return Response(ProposalDetail(found).data)


def _agent(request: Request) -> Agent:
    """Return who asks; the default permission lets nobody in without a key."""
    return cast(Agent, request.user)
