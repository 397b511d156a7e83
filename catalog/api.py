"""Tasks and research states over HTTP: what anybody may know, and nothing that is sealed."""

from collections.abc import Mapping
from typing import cast

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from catalog.models import Disclosure, ResearchState, Task
from catalog.queries import (
    current_tasks,
    find_state,
    find_task,
    research_states,
    state_requests,
)
from scoring.masks import MAX_FACTORS, MIN_FACTORS
from scoring.responses import Interface

# What every list understands beside its filters.
_OF_EVERY_LIST = {"cursor", "limit", "format"}


class ListFilter(serializers.Serializer[dict[str, object]]):
    """Refuses parameters that it does not know: a misspelt one would otherwise filter nothing."""

    def to_internal_value(self, data: Mapping[str, object]) -> dict[str, object]:
        """Return the values, or name every unknown parameter."""
        if unknown := sorted(set(data) - set(self.fields) - _OF_EVERY_LIST):
            known = ", ".join(sorted({*self.fields, *_OF_EVERY_LIST}))
            raise serializers.ValidationError(
                {name: [f"is no parameter of this list; they are: {known}"] for name in unknown}
            )
        values: dict[str, object] = super().to_internal_value(data)
        return values


class TaskFilter(ListFilter):
    """Which tasks to list."""

    family = serializers.SlugField(required=False, help_text="Slug of a family.")
    factors = serializers.IntegerField(
        required=False, min_value=MIN_FACTORS, max_value=MAX_FACTORS, help_text="Number of factors."
    )
    disclosure = serializers.ChoiceField(Disclosure.choices, required=False)


class TaskSummary(serializers.ModelSerializer[Task]):
    """A task in the list."""

    family = serializers.CharField(source="source.family_id")
    # The metaclass takes declared fields off the class, so this hides nothing.
    source = serializers.CharField(source="source_id")  # type: ignore[assignment]
    release = serializers.CharField(source="release_id")
    n_masks = serializers.IntegerField(help_text="Configurations, 2^n_factors.")

    class Meta:
        model = Task
        fields = [
            "slug",
            "version",
            "family",
            "source",
            "release",
            "track",
            "provenance",
            "disclosure",
            "n_factors",
            "n_masks",
            "question",
        ]


class FactorSerializer(serializers.Serializer[dict[str, str]]):
    """One factor: character i of a mask switches factor i."""

    letter = serializers.CharField()
    name = serializers.CharField()
    off = serializers.CharField(help_text="What 0 means.")
    on = serializers.CharField(help_text="What 1 means.")


@extend_schema_field(
    {"type": "object", "additionalProperties": {"type": "number"}, "nullable": True}
)
class SurfaceField(serializers.JSONField):
    """A response surface, {mask: utility}."""


class TaskDetail(TaskSummary):
    """Everything that an agent may know before it measures."""

    native_metric = serializers.CharField(source="source.family.native_metric")
    utility_definition = serializers.CharField(source="source.family.utility_definition")
    origin = serializers.CharField(source="source.origin")
    licence = serializers.CharField(source="source.licence")
    factors = FactorSerializer(many=True)
    open_surface = SurfaceField(
        read_only=True, help_text="All utilities {mask: utility}; null for a sealed task."
    )

    class Meta(TaskSummary.Meta):
        fields = [
            *TaskSummary.Meta.fields,
            "factors",
            "input_summary",
            "source_code",
            "native_metric",
            "utility_definition",
            "origin",
            "licence",
            "open_surface",
            "published_at",
        ]


class TaskListView(APIView):
    """The current tasks."""

    permission_classes = [AllowAny]
    pagination_class = cast(type[CursorPagination], api_settings.DEFAULT_PAGINATION_CLASS)

    @extend_schema(
        operation_id="tasks_list",
        summary="List tasks",
        parameters=[TaskFilter],
        responses={200: TaskSummary(many=True)},
    )
    def get(self, request: Request) -> Response:
        """List the current tasks by slug, a page at a time."""
        query = TaskFilter(data=request.query_params)
        query.is_valid(raise_exception=True)
        columns = {
            "family": "source__family",
            "factors": "n_factors",
            "disclosure": "disclosure",
        }
        wanted = {columns[name]: value for name, value in query.validated_data.items()}
        pages = self.pagination_class()
        page = pages.paginate_queryset(
            current_tasks().filter(**wanted).order_by("slug"), request, view=self
        )
        return pages.get_paginated_response(TaskSummary(page, many=True).data)


class TaskView(APIView):
    """One current task."""

    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="tasks_retrieve",
        summary="Read a task",
        responses={200: TaskDetail, 404: OpenApiResponse(description="`task_not_found`")},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return what an agent may know of the task before it measures."""
        return Response(TaskDetail(find_task(slug)).data)


class StateFilter(ListFilter):
    """Which research states to list."""

    set = serializers.SlugField(required=False, help_text="Slug of a set.")


class StateSummary(serializers.Serializer[ResearchState]):
    """A research state in the list."""

    slug = serializers.SlugField()
    set = serializers.SlugField(source="state_set_id")
    version = serializers.CharField(
        source="state_set.version", help_text="SHA-256 of the set's content."
    )
    budget = serializers.IntegerField()
    disclosure = serializers.ChoiceField(Disclosure.choices)


class StateTextSerializer(serializers.Serializer[dict[str, object]]):
    """What is known of a state."""

    question = serializers.CharField()
    method = serializers.CharField()
    results = serializers.ListField(child=serializers.CharField())
    mechanisms = serializers.ListField(child=serializers.CharField())
    interventions = serializers.ListField(child=serializers.CharField())


@extend_schema_field(
    {
        "type": "object",
        "properties": {interface.value: {"type": "string"} for interface in Interface},
        "required": [interface.value for interface in Interface],
    }
)
class RequestsField(serializers.DictField):
    """The whole text of each interface's request, {interface: text}."""


class StateDetail(StateSummary):
    """Everything that an agent may know before it proposes."""

    text = StateTextSerializer()
    requests = serializers.SerializerMethodField()
    prior = serializers.ListField(
        source="open_prior",
        child=serializers.FloatField(),
        allow_null=True,
        help_text="Of the six mechanisms; null for a sealed state.",
    )

    @extend_schema_field(RequestsField)
    def get_requests(self, state: ResearchState) -> dict[str, str]:
        """Return the requests by the interfaces' names."""
        return {interface.value: text for interface, text in state_requests(state).items()}


class StateListView(APIView):
    """The research states."""

    permission_classes = [AllowAny]
    pagination_class = cast(type[CursorPagination], api_settings.DEFAULT_PAGINATION_CLASS)

    @extend_schema(
        operation_id="states_list",
        summary="List research states",
        parameters=[StateFilter],
        responses={200: StateSummary(many=True)},
    )
    def get(self, request: Request) -> Response:
        """List the research states by slug, a page at a time."""
        query = StateFilter(data=request.query_params)
        query.is_valid(raise_exception=True)
        states = research_states().order_by("slug")
        if "set" in query.validated_data:
            states = states.filter(state_set=query.validated_data["set"])
        pages = self.pagination_class()
        page = pages.paginate_queryset(states, request, view=self)
        return pages.get_paginated_response([StateSummary(one).data for one in page or []])


class StateView(APIView):
    """One research state."""

    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="states_retrieve",
        summary="Read a research state",
        responses={200: StateDetail, 404: OpenApiResponse(description="`state_not_found`")},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return what an agent may know of the state, with the request of every interface."""
        return Response(StateDetail(find_state(slug)).data)
