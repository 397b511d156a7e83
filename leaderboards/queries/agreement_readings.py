"""What the doors show of the report on a study, to whom, and with which digits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from catalog.models import Action, Scenario
from catalog.pictures.drawing import Picture, Table
from judgments.models import Audience, Study
from leaderboards import agreement_tables as tables
from leaderboards.agreement_records import EVERYBODY, METRICS
from leaderboards.models import AgreementComputation
from leaderboards.published_agreement import HUMAN_METRIC, PublishedAgreement
from leaderboards.queries.agreement_records import NothingToReport, answered_versions
from scoring.ranks import N_ACTIONS

# Before publication these are hidden from whoever may only watch: they tell the metric's order.
_OF_THE_METRIC = {
    f"{name}_{part}" for name in METRICS for part in ("metric", "metric_ranks", "correlation")
}


class ResultsNotFound(Exception):
    """There are no published results of this study under this protocol version."""

    code = "results_not_found"
    details: Mapping[str, Any] = {}

    def __init__(self) -> None:
        super().__init__("There are no published results of this name and version.")


@dataclass(frozen=True)
class AgreementReading:
    """A stored report, with what is shown beside it."""

    computation: AgreementComputation
    shows_metric: bool

    @property
    def study(self) -> Study:
        """The study that it is about."""
        return self.computation.study

    @property
    def report(self) -> Mapping[str, Any]:
        """Every number; those that tell the metric's order only if they may be seen."""
        if self.shows_metric:
            report: Mapping[str, Any] = self.computation.report
            return report
        hidden: Mapping[str, Any] = _without_metric(self.computation.report)
        return hidden

    @property
    def versions(self) -> list[int]:
        """The protocol versions that were put together."""
        return [int(number) for number in self.computation.versions.split(",")]

    @property
    def other_versions(self) -> list[int]:
        """Protocol versions with answers that are not part of this report."""
        return sorted(set(answered_versions(self.study)) - set(self.versions))

    @property
    def is_by_robots(self) -> bool:
        """Whether robots played."""
        return self.study.audience == Audience.ROBOTS

    @property
    def published_figure(self) -> PublishedAgreement:
        """The paper's own figure."""
        return HUMAN_METRIC

    @property
    def everybody(self) -> Mapping[str, Any]:
        """The numbers of everybody who counts."""
        return tables.group_of(self.report, EVERYBODY)

    @property
    def headline(self) -> Mapping[str, str]:
        """The one number, its interval and its denominator in words."""
        agreement = self.everybody["human_metric"]["gated"]
        return {
            "value": tables.rounded(agreement["mean_within"]),
            "interval": tables.interval_words(agreement["wider"]),
            "defined": tables.defined_words(agreement),
        }

    @property
    def pictures(self) -> list[Picture]:
        """The forest, and the dots by scenario where the metric may be seen."""
        dots = [tables.scenario_dots(self.report)] if self.shows_metric else []
        return [tables.forest(self.report), *dots]

    @property
    def people_table(self) -> Table:
        """How far people agree among each other."""
        return tables.people_table(self.report)

    @property
    def ordering_table(self) -> Table:
        """How action names fare against one-line designs."""
        return tables.ordering_table(self.report)

    @property
    def quality_table(self) -> Table:
        """Cells, position bias and checks."""
        return tables.quality_table(self.report)

    @property
    def scenarios(self) -> list[Mapping[str, str]]:
        """The scenarios with their numbers in words."""
        domains = {one["scenario"]: one["domain"] for one in self.report["scenarios"]}
        return [
            {
                "slug": row["scenario"],
                "domain": tables.domain_words(domains[row["scenario"]]),
                "n_people": str(row["n_people"]),
                "concordance": tables.rounded(row["concordance"]),
                "correlation": tables.rounded(row.get("gated_correlation")),
            }
            for row in self.everybody["scenarios"]
        ]

    @property
    def command(self) -> str:
        """What prints every number again."""
        versions = "".join(f" --protocol {number}" for number in self.versions)
        return f"manage.py report_agreement {self.study.pk}{versions}"

    def figures(self) -> Iterator[tuple[str, str]]:
        """Yield every number under a name made of its place in the JSON; "" is undefined."""
        yield from flatten(agreement_content(self))


@dataclass(frozen=True)
class ScenarioReading:
    """One scenario of a report, with the texts of its actions."""

    reading: AgreementReading
    scenario: Scenario

    @property
    def actions(self) -> list[str]:
        """What the four actions say."""
        actions = Action.objects.filter(scenario=self.scenario, number__lt=N_ACTIONS)
        return list(actions.order_by("number").values_list("text", flat=True))

    @property
    def row(self) -> Mapping[str, Any]:
        """The scenario's numbers, everybody."""
        found: Mapping[str, Any] = next(
            row
            for row in self.reading.everybody["scenarios"]
            if row["scenario"] == self.scenario.pk
        )
        return found

    @property
    def correlation(self) -> str:
        """How far people and the gated metric agree here."""
        return tables.rounded(self.row.get("gated_correlation"), "a side is constant or missing")

    @property
    def concordance(self) -> str:
        """How far people agree among each other here."""
        return tables.rounded(self.row["concordance"], "fewer than two people, or all tie")

    @property
    def picture(self) -> Picture:
        """The slopes."""
        return tables.scenario_slopes(
            self.reading.report, self.scenario.pk, shows_metric=self.reading.shows_metric
        )


def choose_version(study: Study, asked: str) -> int:
    """Return the protocol version asked for; without one, the newest that has answers.

    Raises
    ------
    leaderboards.queries.NothingToReport
        If none has.
    ResultsNotFound
        If the one asked for has none.
    """
    versions = answered_versions(study)
    if not versions:
        raise NothingToReport
    if not asked:
        return versions[-1]
    if asked not in map(str, versions):
        raise ResultsNotFound
    return int(asked)


def read_scenario(reading: AgreementReading, slug: str) -> ScenarioReading:
    """Return one scenario of a report.

    Raises
    ------
    ResultsNotFound
        If the study has no such scenario.
    """
    if slug not in [one["scenario"] for one in reading.report["scenarios"]]:
        raise ResultsNotFound
    return ScenarioReading(reading, Scenario.objects.get(pk=slug))


def published_studies() -> QuerySet[Study]:
    """Return the studies whose results are public, the newest first."""
    return Study.objects.filter(published_at__isnull=False).order_by("-published_at", "slug")


def agreement_content(reading: AgreementReading) -> dict[str, Any]:
    """Return the report as JSON values, with what is needed to repeat it."""
    computation = reading.computation
    return {
        "study": reading.study.pk,
        "title": reading.study.title,
        "audience": reading.study.audience,
        "versions": reading.versions,
        "other_versions": reading.other_versions,
        "scoring_version": computation.scoring_version,
        "input_digest": computation.input_digest,
        "seed": computation.seed,
        "draws": computation.n_draws,
        "as_of": computation.facts_until.isoformat().replace("+00:00", "Z"),
        "command": reading.command,
        "published_by_the_paper": {
            "figure": HUMAN_METRIC.name,
            "value": HUMAN_METRIC.value,
            "of": HUMAN_METRIC.of,
        },
        "not_collected": list(tables.PLACES),
        **reading.report,
    }


def flatten(value: object, path: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield every leaf of JSON values with its place, as text with every digit."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from flatten(part, (*path, str(name)))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from flatten(part, (*path, _name_of(part) or str(number)))
    else:
        yield ".".join(path), "" if value is None else str(value)


def _name_of(part: object) -> str:
    """Return what a row is called: a group or a scenario by its name, others by their number."""
    if not isinstance(part, Mapping):
        return ""
    return str(part.get("group") or part.get("scenario") or "")


def _without_metric(value: Any) -> Any:  # noqa: ANN401 (JSON)
    if isinstance(value, dict):
        return {
            name: _without_metric(part)
            for name, part in value.items()
            if name not in _OF_THE_METRIC
        }
    return [_without_metric(part) for part in value] if isinstance(value, list) else value
