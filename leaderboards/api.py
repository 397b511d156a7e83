"""Boards, and scores of closed episodes, over HTTP."""

from typing import Any, cast
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

import scoring
from catalog.models import Track
from episodes.models import Agent, AgentKind, View
from episodes.states import EpisodeState
from leaderboards import queries
from leaderboards.metrics import Direction, Metric, as_row
from leaderboards.queries import BoardReading, ClosedEpisode, ControlCell, ControlTable, Entry
from scoring.controls import METHODS
from scoring.surfaces import STRICT_TOLERANCES

_CLOSED = [state.value for state in EpisodeState if state is not EpisodeState.OPEN]
_STRICT = {
    "type": "object",
    "nullable": True,
    "properties": {str(tolerance): {"type": "boolean"} for tolerance in STRICT_TOLERANCES},
    "required": [str(tolerance) for tolerance in STRICT_TOLERANCES],
}


@extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}})
class FamilyScoresField(serializers.JSONField):
    """{family: recovery}."""


@extend_schema_field(_STRICT)
class StrictField(serializers.JSONField):
    """{tolerance: passed}, or null."""


class MetricReply(serializers.Serializer[Metric]):
    """One metric: its name is the field of an entry."""

    name = serializers.CharField()
    title = serializers.CharField()
    direction = serializers.ChoiceField([direction.value for direction in Direction])
    unit = serializers.CharField()
    formula = serializers.CharField()
    digits = serializers.IntegerField(help_text="Decimals on the page.")


class EntryReply(serializers.Serializer[Entry]):
    """One entry of a board. Means are family-macro; null is undefined."""

    rank = serializers.IntegerField(
        source="standing.rank", allow_null=True, help_text="Ties share a rank; null: not ranked."
    )
    rank_low = serializers.IntegerField(source="standing.rank_low", allow_null=True)
    rank_high = serializers.IntegerField(source="standing.rank_high", allow_null=True)
    unranked_reason = serializers.CharField(source="standing.unranked_reason")
    agent = serializers.CharField(source="standing.agent.name")
    agent_id = serializers.UUIDField(source="standing.agent_id")
    kind = serializers.ChoiceField(AgentKind.choices, source="standing.agent.kind")
    is_baseline = serializers.BooleanField(source="standing.is_baseline")
    recovery_score = serializers.FloatField(source="standing.recovery_score")
    recovery_low = serializers.FloatField(
        source="standing.recovery_low", allow_null=True, help_text="Of the 95 % interval."
    )
    recovery_high = serializers.FloatField(source="standing.recovery_high", allow_null=True)
    delivered_recovery_score = serializers.FloatField(
        source="standing.delivered_recovery_score", allow_null=True
    )
    exact_share = serializers.FloatField(source="standing.exact_share")
    strict_share = serializers.FloatField(source="standing.strict_share")
    selection_regret = serializers.FloatField(source="standing.selection_regret", allow_null=True)
    grid_mae = serializers.FloatField(source="standing.grid_mae", allow_null=True)
    interaction_mae = serializers.FloatField(source="standing.interaction_mae", allow_null=True)
    n_delivered = serializers.IntegerField(source="standing.n_delivered")
    n_attempted = serializers.IntegerField(
        source="standing.n_attempted", help_text="Closed episodes, without those lost by us."
    )
    n_attempted_tasks = serializers.IntegerField(source="standing.n_attempted_tasks")
    family_scores = FamilyScoresField(source="standing.family_scores")


class BoardSummary(serializers.Serializer[BoardReading]):
    """A board and the computation that it shows."""

    slug = serializers.SlugField(source="board.slug")
    title = serializers.CharField()
    release = serializers.SlugField(source="board.release_id")
    track = serializers.ChoiceField(Track.choices, source="board.track")
    budget = serializers.IntegerField(source="board.budget_credits")
    view = serializers.ChoiceField(View.choices, source="board.view")
    n_tasks = serializers.IntegerField(source="computation.n_tasks")
    n_sources = serializers.IntegerField(source="computation.n_sources")
    n_families = serializers.IntegerField(source="computation.n_families")
    n_episodes = serializers.IntegerField(source="computation.n_episodes")
    scoring_version = serializers.CharField(source="computation.scoring_version")
    input_digest = serializers.CharField(
        source="computation.input_digest", help_text="SHA-256 of the facts that went in."
    )
    seed = serializers.IntegerField(source="computation.seed")
    draws = serializers.IntegerField(source="computation.n_draws")
    as_of = serializers.DateTimeField(
        source="computation.facts_until", help_text="When the newest fact was closed."
    )
    command = serializers.CharField(help_text="What prints this computation again.")


class BoardDetail(BoardSummary):
    """A board with its entries, in order of rank; those without a rank come last."""

    entries = EntryReply(many=True)
    metrics = MetricReply(many=True)


@extend_schema_field(
    {"type": "object", "nullable": True, "additionalProperties": {"type": "number"}}
)
class StrictCountsField(serializers.JSONField):
    """{tolerance: number of tasks}, or null."""


class ControlCellReply(serializers.Serializer[ControlCell]):
    """One method at one budget over all tasks of a track; null until all its records are there."""

    method = serializers.ChoiceField(METHODS)
    budget = serializers.IntegerField()
    n_records = serializers.IntegerField()
    n_planned = serializers.IntegerField()
    recovery_score = serializers.FloatField(allow_null=True, help_text="Family-macro mean.")
    native_recovery_score = serializers.FloatField(
        allow_null=True, help_text="The same in the native metrics' units."
    )
    exact_count = serializers.FloatField(
        allow_null=True, help_text="Tasks; the mean over the seeds of a random order."
    )
    strict_counts = StrictCountsField()


class ControlTableReply(serializers.Serializer[ControlTable]):
    """The controls of one track of one release."""

    release = serializers.SlugField(source="release.slug")
    track = serializers.ChoiceField(Track.choices)
    n_tasks = serializers.IntegerField()
    cells = ControlCellReply(many=True)


class ControlRecordReply(serializers.Serializer[dict[str, Any]]):
    """The score of one control on one task; numbers of sealed tasks are rounded."""

    task = serializers.SlugField()
    version = serializers.CharField()
    method = serializers.ChoiceField(METHODS)
    budget_credits = serializers.IntegerField()
    spent_credits = serializers.IntegerField()
    seed = serializers.IntegerField()
    scoring_version = serializers.CharField()
    effect_recovery = serializers.FloatField()
    native_recovery = serializers.FloatField(allow_null=True)
    effect_mae = serializers.FloatField()
    mean_absolute_effect = serializers.FloatField()
    interaction_mae = serializers.FloatField()
    grid_mae = serializers.FloatField()
    selection_regret = serializers.FloatField()
    utility_range = serializers.FloatField()
    exact_choice = serializers.BooleanField()
    near_choice = serializers.BooleanField()
    strict = StrictField()


class ScoreReply(serializers.Serializer[ClosedEpisode]):
    """Every metric of a closed episode, each error with its scale.

    An expired episode counts 0; its errors are null, as there is no table to measure. A lost one,
    which is our fault, has no score at all.
    """

    episode = serializers.UUIDField(source="episode.id")
    state = serializers.ChoiceField(_CLOSED)
    cause = serializers.CharField(help_text="Why nothing was delivered, e.g. limit:deadline.")
    scoring_version = serializers.CharField()
    effect_recovery = serializers.FloatField(
        allow_null=True,
        help_text="max(0, 1 - effect_mae / mean_absolute_effect). Higher is better.",
    )
    effect_mae = serializers.FloatField(allow_null=True, help_text="E. Lower is better.")
    mean_absolute_effect = serializers.FloatField(
        allow_null=True, help_text="A: the scale of effect_mae and interaction_mae."
    )
    interaction_mae = serializers.FloatField(allow_null=True, help_text="Lower is better.")
    grid_mae = serializers.FloatField(allow_null=True, help_text="Lower is better.")
    selection_regret = serializers.FloatField(allow_null=True, help_text="Lower is better.")
    utility_range = serializers.FloatField(
        allow_null=True, help_text="Scale of grid_mae, selection_regret and strict."
    )
    selected_mask = serializers.CharField(allow_null=True)
    exact_choice = serializers.BooleanField(allow_null=True, help_text="Regret at most 1e-12.")
    near_choice = serializers.BooleanField(allow_null=True, help_text="Regret at most 0.02.")
    strict = StrictField(
        help_text="Whether every effect error is within this share of the utility range."
    )

    def to_representation(self, closed: ClosedEpisode) -> dict[str, Any]:
        """Return the reply in the order of the fields."""
        values = _NOTHING if closed.score is None else as_row(closed.score)
        if closed.state is EpisodeState.EXPIRED:
            values = _NOTHING | _MISS
        head = {
            "episode": closed.episode.id,
            "state": closed.state,
            "cause": closed.cause,
            "scoring_version": scoring.VERSION,
        }
        return {str(name): (values | head)[str(name)] for name in self.fields}


_NOTHING: dict[str, Any] = dict.fromkeys(map(str, ScoreReply().fields))
_MISS = {
    "effect_recovery": 0.0,
    "exact_choice": False,
    "near_choice": False,
    "strict": {str(tolerance): False for tolerance in STRICT_TOLERANCES},
}


class BoardListView(APIView):
    """The published boards."""

    permission_classes = [AllowAny]
    pagination_class = cast(type[CursorPagination], api_settings.DEFAULT_PAGINATION_CLASS)

    @extend_schema(
        operation_id="boards_list",
        summary="List boards",
        responses={200: BoardSummary(many=True)},
    )
    def get(self, request: Request) -> Response:
        """List the boards by slug, a page at a time."""
        pages = self.pagination_class()
        page = pages.paginate_queryset(
            queries.published_boards().order_by("slug"), request, view=self
        )
        readings = queries.read_boards(page or [])
        return pages.get_paginated_response([BoardSummary(reading).data for reading in readings])


class BoardView(APIView):
    """One board."""

    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="boards_retrieve",
        summary="Read a board",
        responses={200: BoardDetail, 404: OpenApiResponse(description="`board_not_found`")},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the board's entries with every digit; page and CSV show the same numbers."""
        return Response(BoardDetail(queries.read_board(slug)).data)


class ControlListView(APIView):
    """The numerical controls together."""

    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="controls_list",
        summary="Read the numerical controls",
        responses={200: ControlTableReply(many=True)},
    )
    def get(self, request: Request) -> Response:
        """Return one table a release and track; page and CSV show the same numbers."""
        return Response([ControlTableReply(table).data for table in queries.control_tables()])


class ControlRecordListView(APIView):
    """The numerical controls one by one."""

    permission_classes = [AllowAny]
    pagination_class = cast(type[CursorPagination], api_settings.DEFAULT_PAGINATION_CLASS)

    @extend_schema(
        operation_id="control_records_list",
        summary="List the records of the numerical controls",
        responses={200: ControlRecordReply(many=True)},
    )
    def get(self, request: Request) -> Response:
        """List the records of current tasks, a page at a time: scores, no mask and no table."""
        pages = self.pagination_class()
        page = pages.paginate_queryset(queries.control_records(), request, view=self)
        records = map(queries.served_record, page or [])
        return pages.get_paginated_response([ControlRecordReply(row).data for row in records])


class ScoreView(APIView):
    """The score of one episode of the agent."""

    @extend_schema(
        operation_id="episodes_score",
        summary="Read the score of an episode",
        responses={
            200: ScoreReply,
            404: OpenApiResponse(description="`not_found`: no such episode of this agent"),
            409: OpenApiResponse(description="`episode_open`: it is scored when it is closed"),
        },
    )
    def get(self, request: Request, episode_id: UUID) -> Response:
        """Return every metric of a closed episode, with its scale."""
        closed = queries.read_score(
            agent=cast(Agent, request.user), episode_id=episode_id, now=timezone.now()
        )
        return Response(ScoreReply(closed).data)
