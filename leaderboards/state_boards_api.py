"""Boards of research states over HTTP."""

from typing import cast

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from leaderboards import queries
from leaderboards.queries import StateBoardReading, StateEntry
from scoring.responses import Interface


class StateEntryReply(serializers.Serializer[StateEntry]):
    """One entry: an agent or a baseline. Shares are of the best affordable design, 0 to 1."""

    rank = serializers.IntegerField(
        source="standing.rank", allow_null=True, help_text="Null: a baseline, or not ranked."
    )
    rank_low = serializers.IntegerField(
        allow_null=True,
        help_text="Best rank that the 95 % intervals leave possible; null without an interval.",
    )
    rank_high = serializers.IntegerField(allow_null=True)
    entry = serializers.CharField(source="name")
    agent_id = serializers.UUIDField(source="standing.agent_id", allow_null=True)
    baseline = serializers.CharField(
        source="standing.baseline", help_text="Name of a policy; empty for an agent."
    )
    unranked_reason = serializers.CharField(source="standing.unranked_reason")
    efficiency_score = serializers.FloatField(
        source="standing.efficiency_score",
        allow_null=True,
        help_text="Mean over all states; an invalid or missing answer counts 0. All numbers are "
        "null where they would tell of single sealed states.",
    )
    efficiency_low = serializers.FloatField(
        source="standing.efficiency_low", allow_null=True, help_text="Of the 95 % interval."
    )
    efficiency_high = serializers.FloatField(source="standing.efficiency_high", allow_null=True)
    valid_efficiency_score = serializers.FloatField(
        source="standing.valid_efficiency_score",
        allow_null=True,
        help_text="Valid answers only: beside the score, never instead.",
    )
    rate_score = serializers.FloatField(
        source="standing.rate_score", allow_null=True, help_text="Nats per unit cost."
    )
    n_valid = serializers.IntegerField(source="standing.n_valid")
    n_proposals = serializers.IntegerField(source="standing.n_proposals")
    n_answered_states = serializers.IntegerField(source="standing.n_answered_states")
    paper_percent = serializers.CharField(
        source="published",
        help_text="The paper's own figure on its own states, as printed; empty if it gives none.",
    )


class StateBoardSummary(serializers.Serializer[StateBoardReading]):
    """A board of states and the computation that it shows."""

    slug = serializers.SlugField(source="board.slug")
    title = serializers.CharField()
    set = serializers.SlugField(source="board.state_set_id")
    interface = serializers.ChoiceField(
        [interface.value for interface in Interface], source="board.interface"
    )
    n_states = serializers.IntegerField(source="computation.n_states")
    n_open_states = serializers.IntegerField(source="computation.n_open_states")
    n_proposals = serializers.IntegerField(source="computation.n_proposals")
    scoring_version = serializers.CharField(source="computation.scoring_version")
    input_digest = serializers.CharField(
        source="computation.input_digest", help_text="SHA-256 of the facts that went in."
    )
    seed = serializers.IntegerField(source="computation.seed")
    draws = serializers.IntegerField(source="computation.n_draws")
    as_of = serializers.DateTimeField(source="computation.facts_until")
    command = serializers.CharField(help_text="What prints this computation again.")


class StateBoardDetail(StateBoardSummary):
    """A board with its entries: baselines, agents by rank, then those that are not ranked."""

    entries = StateEntryReply(many=True)


class StateBoardListView(APIView):
    """The published boards of states."""

    permission_classes = [AllowAny]
    pagination_class = cast(type[CursorPagination], api_settings.DEFAULT_PAGINATION_CLASS)

    @extend_schema(
        operation_id="state_boards_list",
        summary="List boards of research states",
        responses={200: StateBoardSummary(many=True)},
    )
    def get(self, request: Request) -> Response:
        """List the boards by slug, a page at a time."""
        pages = self.pagination_class()
        boards = queries.published_state_boards().order_by("slug")
        page = pages.paginate_queryset(boards, request, view=self)
        readings = [
            StateBoardReading(board, board.current) for board in page or [] if board.current
        ]
        return pages.get_paginated_response([StateBoardSummary(one).data for one in readings])


class StateBoardView(APIView):
    """One board of states."""

    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="state_boards_retrieve",
        summary="Read a board of research states",
        responses={200: StateBoardDetail, 404: OpenApiResponse(description="`board_not_found`")},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the board's entries with every digit; page and CSV show the same numbers."""
        return Response(StateBoardDetail(queries.find_state_board(slug)).data)
