"""Published results of studies over HTTP."""

from typing import Any, cast

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from judgments.models import Audience, Study
from leaderboards import actions, queries
from leaderboards.agreement_records import EVERYBODY, WITHOUT_FLAGGED

Json = dict[str, Any]


class PercentileIntervalReply(serializers.Serializer[Json]):
    """A 95 % percentile bootstrap interval; null with a reason where there is none."""

    lower = serializers.FloatField(allow_null=True)
    upper = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)
    unit = serializers.CharField(help_text="What was drawn.")
    n = serializers.IntegerField()
    draws = serializers.IntegerField()
    n_dropped = serializers.IntegerField(help_text="Draws without a defined value.")
    seed = serializers.IntegerField()
    undefined = serializers.CharField(help_text="Why there is no interval; empty if there is one.")


class WiderIntervalReply(serializers.Serializer[Json]):
    """Allows for other scenarios and other people: se^2 is the sum of both."""

    lower = serializers.FloatField(allow_null=True)
    upper = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)
    participant_error = serializers.FloatField(
        allow_null=True, help_text="Of the jackknife over participants."
    )
    undefined = serializers.CharField()


class CorrelationReply(serializers.Serializer[Json]):
    """How far two rankings agree; null is undefined, never 0."""

    mean_within = serializers.FloatField(
        allow_null=True, help_text="Mean of the defined Spearman correlations within scenarios."
    )
    n_defined = serializers.IntegerField()
    n_scenarios = serializers.IntegerField()
    pooled = serializers.FloatField(
        allow_null=True, help_text="Spearman over all actions of all scenarios."
    )
    scenario_bootstrap = PercentileIntervalReply()
    wider = WiderIntervalReply()
    paper_bootstrap = PercentileIntervalReply()
    pooled_bootstrap = PercentileIntervalReply()


class HumanMetricReply(serializers.Serializer[Json]):
    """People and the metric, unaffordable readings worth 0 (gated) or their own rate (ungated)."""

    gated = CorrelationReply()
    ungated = CorrelationReply()


class CellCountsReply(serializers.Serializer[Json]):
    """What became of the scenarios given out."""

    n_given = serializers.IntegerField()
    n_ranked = serializers.IntegerField(help_text="Six choices or ties: these count.")
    n_ranked_with_ties = serializers.IntegerField()
    n_cannot_judge = serializers.IntegerField(help_text="Dropped.")
    n_incomplete = serializers.IntegerField(help_text="Dropped: fewer than six answered.")
    n_not_begun = serializers.IntegerField()


class CeilingReply(serializers.Serializer[Json]):
    """How well people predict each other."""

    correlation = serializers.FloatField(allow_null=True)
    n_defined = serializers.IntegerField()
    n = serializers.IntegerField()


class SplitHalfReply(CeilingReply):
    """One half of the people and the other; corrected by Spearman and Brown."""

    corrected = serializers.FloatField(allow_null=True)
    splits = serializers.IntegerField()
    seed = serializers.IntegerField()


class AmongPeopleReply(serializers.Serializer[Json]):
    """How far people agree among each other."""

    leave_one_out = CeilingReply()
    split_half = SplitHalfReply()
    ordinal_alpha = serializers.FloatField(allow_null=True, help_text="Krippendorff's.")
    mean_concordance = serializers.FloatField(
        allow_null=True, help_text="Mean of Kendall's W, corrected for ties."
    )
    n_concordance_defined = serializers.IntegerField()


class ShareReply(serializers.Serializer[Json]):
    """A share with its exact 95 % interval."""

    n_successes = serializers.IntegerField()
    n = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)
    lower = serializers.FloatField(allow_null=True)
    upper = serializers.FloatField(allow_null=True)


class TestedShareReply(ShareReply):
    """A share, and the exact two-sided p value of one half."""

    p_value = serializers.FloatField(allow_null=True)


class PairReply(TestedShareReply):
    """Of the pairs with a choice; ties are counted apart."""

    n_ties = serializers.IntegerField()


class CheckSharesReply(serializers.Serializer[Json]):
    """Attention checks that were passed, of those answered."""

    instructed = ShareReply()
    dominated = ShareReply(help_text="For analysis only.")
    repeats = ShareReply(help_text="Repeated pairs answered the same.")


class DifferenceReply(serializers.Serializer[Json]):
    """Rank of the action name minus rank of the one-line design, by scenario."""

    mean = serializers.FloatField(allow_null=True)
    lower = serializers.FloatField(allow_null=True)
    upper = serializers.FloatField(allow_null=True)
    undefined = serializers.CharField()
    n_design_first = serializers.IntegerField()
    n_name_first = serializers.IntegerField()
    n_level = serializers.IntegerField()


class OrderingReply(serializers.Serializer[Json]):
    """How people and the metric order the action name and the one-line design."""

    n_scenarios = serializers.IntegerField()
    people = DifferenceReply()
    metric = DifferenceReply()
    people_minus_metric = DifferenceReply()
    n_same_order = serializers.IntegerField()
    pair = PairReply(help_text="Design chosen where the two met.")


class RankedScenarioReply(serializers.Serializer[Json]):
    """People's ranks in one scenario; action k is at place k."""

    scenario = serializers.SlugField()
    n_people = serializers.IntegerField()
    human_ranks = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="Mean ranks, 1 is first."
    )
    concordance = serializers.FloatField(allow_null=True, help_text="Kendall's W.")
    gated_correlation = serializers.FloatField(allow_null=True)
    ungated_correlation = serializers.FloatField(allow_null=True)


class GroupReply(serializers.Serializer[Json]):
    """The numbers of everybody who counts, or of those without a quality flag."""

    group = serializers.ChoiceField([EVERYBODY, WITHOUT_FLAGGED])
    n_people = serializers.IntegerField()
    cells = CellCountsReply()
    human_metric = HumanMetricReply()
    among_people = AmongPeopleReply()
    position = TestedShareReply(help_text="Left side chosen.")
    checks = CheckSharesReply()
    name_against_short = OrderingReply()
    scenarios = RankedScenarioReply(many=True)


class MetricScenarioReply(serializers.Serializer[Json]):
    """What the metric says of the four actions of a scenario."""

    scenario = serializers.SlugField()
    domain = serializers.CharField()
    gated_metric = serializers.ListField(
        child=serializers.FloatField(), help_text="Nats per unit cost."
    )
    ungated_metric = serializers.ListField(child=serializers.FloatField())
    gated_metric_ranks = serializers.ListField(child=serializers.FloatField())
    ungated_metric_ranks = serializers.ListField(child=serializers.FloatField())


class PaperFigureReply(serializers.Serializer[Json]):
    """A figure that the paper reports of its own study: not ours."""

    figure = serializers.CharField()
    value = serializers.FloatField()
    of = serializers.CharField()


class StudyResultsReply(serializers.Serializer[Json]):
    """The report on one study and protocol version, with what is needed to repeat it."""

    study = serializers.SlugField()
    title = serializers.CharField()
    audience = serializers.ChoiceField(Audience.choices)
    versions = serializers.ListField(
        child=serializers.IntegerField(), help_text="Protocol versions that were put together."
    )
    other_versions = serializers.ListField(child=serializers.IntegerField())
    scoring_version = serializers.CharField()
    input_digest = serializers.CharField(help_text="SHA-256 of the facts that went in.")
    seed = serializers.IntegerField()
    draws = serializers.IntegerField()
    as_of = serializers.DateTimeField(help_text="When the newest scenario was completed.")
    command = serializers.CharField(help_text="What prints every number again.")
    published_by_the_paper = PaperFigureReply()
    not_collected = serializers.ListField(
        child=serializers.CharField(), help_text="Comparisons that wait for models."
    )
    n_excluded = serializers.IntegerField(help_text="People whom staff excluded.")
    n_flagged = serializers.IntegerField()
    largest_difference = serializers.FloatField(help_text="Between Postgres and NumPy.")
    scenarios = MetricScenarioReply(many=True)
    groups = GroupReply(many=True)


class StudyResultsSummary(serializers.Serializer[Study]):
    """A study whose results are public."""

    study = serializers.SlugField(source="slug")
    title = serializers.CharField()
    published_at = serializers.DateTimeField()


class StudyResultsListView(APIView):
    """Studies whose results are public."""

    permission_classes = [AllowAny]
    pagination_class = cast(type[CursorPagination], api_settings.DEFAULT_PAGINATION_CLASS)

    @extend_schema(
        operation_id="study_results_list",
        summary="List published results of studies",
        responses={200: StudyResultsSummary(many=True)},
    )
    def get(self, request: Request) -> Response:
        """List the studies by slug, a page at a time."""
        pages = self.pagination_class()
        studies = queries.published_studies().order_by("slug")
        page = pages.paginate_queryset(studies, request, view=self)
        return pages.get_paginated_response([StudyResultsSummary(one).data for one in page or []])


class StudyResultsView(APIView):
    """The results of one study."""

    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="study_results_retrieve",
        summary="Read the published results of a study",
        parameters=[
            OpenApiParameter(
                "version",
                int,
                description="Protocol version; the newest with answers if not given.",
            )
        ],
        responses={200: StudyResultsReply, 404: OpenApiResponse(description="`results_not_found`")},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return every number with every digit; page and CSV show the same ones."""
        study = queries.published_studies().filter(pk=slug).first()
        if study is None:
            raise queries.ResultsNotFound
        try:
            version = queries.choose_version(study, request.query_params.get("version", ""))
        except queries.NothingToReport:
            raise queries.ResultsNotFound from None
        computation = actions.bring_agreement_up_to_date(study=study, versions=[version])
        reading = queries.AgreementReading(computation, shows_metric=True)
        return Response(StudyResultsReply(queries.agreement_content(reading)).data)
