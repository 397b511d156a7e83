"""What a page on agreement shows of a report: tables and pictures, rounded and in words."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from catalog.models import Domain
from catalog.pictures.drawing import MINUS, Picture, Table
from leaderboards.agreement_pictures import (
    ForestRow,
    SlopeColumn,
    dots_picture,
    forest_picture,
    slope_picture,
)
from leaderboards.agreement_records import EVERYBODY, METRICS, WITHOUT_FLAGGED
from leaderboards.published_agreement import HUMAN_METRIC

Json = Mapping[str, Any]

NOT_COLLECTED = "not collected yet"
N_MODELS = 6  # of the panel, specs/judgments.md
GROUP_WORDS = {EVERYBODY: "everybody", WITHOUT_FLAGGED: "without flagged"}
METRIC_WORDS = {"gated": "metric", "ungated": "ungated metric"}
# What only models can give. The panel calls the same functions when it is there.
PLACES = (
    "Panel and metric",
    "Panel and people",
    *(f"Model {number} of {N_MODELS} and metric" for number in range(1, N_MODELS + 1)),
)


def group_of(report: Json, name: str) -> Json:
    """Return one group of a report."""
    found: Json = next(group for group in report["groups"] if group["group"] == name)
    return found


def rounded(value: float | None, reason: str = "") -> str:
    """Return a number with three decimals and a minus sign, or that it is undefined, and why."""
    if value is None:
        return f"undefined ({reason})" if reason else "undefined"
    return f"{value:z.3f}".replace("-", MINUS)  # z: what rounds to zero has no sign


def interval_words(interval: Json) -> str:
    """Return both bounds of an interval."""
    if interval["lower"] is None:
        return rounded(None, interval.get("undefined", ""))
    return f"{rounded(interval['lower'])} to {rounded(interval['upper'])}"


def percent(share: float | None) -> str:
    """Return a share in per cent with one decimal."""
    return "undefined" if share is None else f"{100 * share:.1f} %"


def defined_words(agreement: Json) -> str:
    """Return "59 of 60 defined"."""
    return f"{agreement['n_defined']} of {agreement['n_scenarios']} defined"


def agreement_table(report: Json) -> Table:
    """Return every correlation of people and metric, the paper's, and the places of the models."""
    header = (
        *("Pair", "Mean within", "Defined", "Other scenarios", "Other scenarios and people"),
        *("Other papers", "Pooled", "Pooled, other scenarios"),
    )
    rows: list[tuple[str, ...]] = [
        (
            f"People and {METRIC_WORDS[name]}, {GROUP_WORDS[group['group']]}",
            rounded(one["mean_within"]),
            defined_words(one),
            interval_words(one["scenario_bootstrap"]),
            interval_words(one["wider"]),
            interval_words(one["paper_bootstrap"]),
            rounded(one["pooled"]),
            interval_words(one["pooled_bootstrap"]),
        )
        for name in METRICS
        for group in report["groups"]
        for one in (group["human_metric"][name],)
    ]
    paper = ("The paper's own: people and metric", rounded(HUMAN_METRIC.value), HUMAN_METRIC.of)
    rows.append((*paper, *["not given here"] * 5))
    rows += [(place, NOT_COLLECTED, *[""] * 6) for place in PLACES]
    return Table(header, tuple(rows))


def forest(report: Json) -> Picture:
    """Draw the correlations with both intervals."""
    rows = [
        ForestRow(
            # Short: the words of an undefined number stand on the same line.
            name=f"{name.capitalize()}, {GROUP_WORDS[group['group']]}",
            words=f"{rounded(one['mean_within'])}, {defined_words(one)}",
            value=one["mean_within"],
            inner=_bounds(one["scenario_bootstrap"]),
            outer=_bounds(one["wider"]),
        )
        for name in METRICS
        for group in report["groups"]
        for one in (group["human_metric"][name],)
    ]
    rows.append(
        ForestRow(
            name="The paper's own study",
            words=f"{rounded(HUMAN_METRIC.value)}, {HUMAN_METRIC.of}",
            value=HUMAN_METRIC.value,
            is_ours=False,
        )
    )
    rows += [ForestRow(place, NOT_COLLECTED, None) for place in PLACES[:2]]
    return forest_picture(
        rows,
        key="forest",
        title="Mean correlation of people and metric within scenarios",
        description=(
            "One row a pair. Thick line: 95 % interval for other scenarios. Thin line with ends: "
            "for other scenarios and other people. Hollow: the paper's own figure."
        ),
        table=agreement_table(report),
    )


def scenario_dots(report: Json) -> Picture:
    """Draw the correlation of every scenario, by domain."""
    group = group_of(report, EVERYBODY)
    rho = {row["scenario"]: row["gated_correlation"] for row in group["scenarios"]}
    by_domain: dict[str, list[float | None]] = {}
    for one in report["scenarios"]:
        by_domain.setdefault(one["domain"], []).append(rho[one["scenario"]])
    strips = []
    for domain, values in by_domain.items():
        known = [value for value in values if value is not None]
        mean = rounded(math.fsum(known) / len(known)) if known else "undefined"
        words = f"mean {mean}, {len(known)} of {len(values)} defined"
        strips.append((domain_words(domain), words, known))
    return dots_picture(
        strips,
        key="dots",
        title="Agreement of people and metric in every scenario",
        description="A dot a scenario, everybody, gated metric; the bar is the domain's mean.",
        table=scenario_table(report),
    )


def scenario_table(report: Json) -> Table:
    """Return the correlation of every scenario, everybody, with its people."""
    group = group_of(report, EVERYBODY)
    domains = {one["scenario"]: one["domain"] for one in report["scenarios"]}
    return Table(
        ("Scenario", "Domain", "People", "Kendall's W", "Metric", "Ungated metric"),
        tuple(
            (
                row["scenario"],
                domain_words(domains[row["scenario"]]),
                str(row["n_people"]),
                rounded(row["concordance"]),
                *(rounded(row[f"{name}_correlation"]) for name in METRICS),
            )
            for row in group["scenarios"]
        ),
    )


def people_table(report: Json) -> Table:
    """Return how far people agree among each other, with and without flagged ones."""
    groups = [group["among_people"] for group in report["groups"]]
    n_scenarios = len(report["scenarios"])
    loo = [one["leave_one_out"] for one in groups]
    halves = [one["split_half"] for one in groups]
    rows: list[tuple[str, ...]] = [
        (
            "One person and the mean of the others",
            *(f"{rounded(one['correlation'])} ({one['n_defined']} of {one['n']})" for one in loo),
        ),
        (
            f"Half of the people and the other half, {halves[0]['splits']} splits",
            *(
                f"{rounded(one['correlation'])} ({one['n_defined']} of {one['n']})"
                for one in halves
            ),
        ),
        ("The same, stepped up to all people", *(rounded(one["corrected"]) for one in halves)),
        (
            "Kendall's W, mean over scenarios",
            *(
                f"{rounded(one['mean_concordance'])} "
                f"({one['n_concordance_defined']} of {n_scenarios})"
                for one in groups
            ),
        ),
        (
            f"Krippendorff's alpha, ordinal, over {4 * n_scenarios} actions",
            *(rounded(one["ordinal_alpha"]) for one in groups),
        ),
    ]
    return Table(("Among people", *_group_titles(report)), tuple(rows))


def quality_table(report: Json) -> Table:
    """Return position bias, checks, and what became of the cells."""
    groups = report["groups"]
    rows = [
        ("People with a complete scenario", *(str(group["n_people"]) for group in groups)),
        ("Scenarios given out", *(str(group["cells"]["n_given"]) for group in groups)),
        ("of them ranked", *(str(group["cells"]["n_ranked"]) for group in groups)),
        (
            "of those with a tie (half a win each)",
            *(str(group["cells"]["n_ranked_with_ties"]) for group in groups),
        ),
        (
            "dropped: “cannot judge” among the six",
            *(str(group["cells"]["n_cannot_judge"]) for group in groups),
        ),
        (
            "dropped: fewer than six answered",
            *(str(group["cells"]["n_incomplete"]) for group in groups),
        ),
        ("not begun", *(str(group["cells"]["n_not_begun"]) for group in groups)),
        ("Left side chosen", *(_share(group["position"]) for group in groups)),
        (
            "p, if sides did not matter",
            *(_p_value(group["position"]["p_value"]) for group in groups),
        ),
        (
            "Repeated pairs answered the same",
            *(_share(group["checks"]["repeats"]) for group in groups),
        ),
        (
            "Instructed choices followed",
            *(_share(group["checks"]["instructed"]) for group in groups),
        ),
        (
            "Dominating design chosen",
            *(_share(group["checks"]["dominated"]) for group in groups),
        ),
    ]
    return Table(("Quality", *_group_titles(report)), tuple(rows))


def ordering_table(report: Json) -> Table:
    """Return how people and the metric order action names and one-line designs."""
    orders = [group["name_against_short"] for group in report["groups"]]
    rows: list[tuple[str, ...]] = []
    for side, words in (
        ("people", "People: rank of the name minus rank of the design"),
        ("metric", "Metric: the same"),
        ("people_minus_metric", "People minus metric"),
    ):
        rows.append((words, *(_difference(one[side]) for one in orders)))
    for side, words in (("people", "People"), ("metric", "Metric")):
        rows.append(
            (
                f"{words}: design first / name first / level, scenarios",
                *(
                    f"{one[side]['n_design_first']} / {one[side]['n_name_first']} / "
                    f"{one[side]['n_level']}"
                    for one in orders
                ),
            )
        )
    rows.append(
        (
            "Same order by people and metric, scenarios",
            *(f"{one['n_same_order']} of {one['n_scenarios']}" for one in orders),
        )
    )
    rows.append(
        ("Design chosen where the two met", *(_share(one["pair"]) for one in orders)),
    )
    return Table(("Action name against one-line design", *_group_titles(report)), tuple(rows))


def scenario_slopes(report: Json, slug: str, *, shows_metric: bool) -> Picture:
    """Draw people's ranks, and the metric's, of one scenario's actions."""
    metric = next(one for one in report["scenarios"] if one["scenario"] == slug)
    columns = [
        SlopeColumn(f"people, {GROUP_WORDS[name]}", tuple(_row(report, name, slug)["human_ranks"]))
        for name in (WITHOUT_FLAGGED, EVERYBODY)
    ]
    if shows_metric:
        everybody = SlopeColumn("people", columns[1].ranks)
        columns = [everybody, SlopeColumn("metric", tuple(metric["gated_metric_ranks"]))]
    return slope_picture(
        columns,
        key="slopes",
        title="The four actions, ranked by " + (" and ".join(one.title for one in columns)),
        description="A line an action; lines that cross are ordered the other way round.",
        table=slope_table(report, slug, shows_metric=shows_metric),
    )


def slope_table(report: Json, slug: str, *, shows_metric: bool) -> Table:
    """Return the ranks of one scenario's actions, and what the metric says they are worth."""
    rows = [
        (
            f"People, {GROUP_WORDS[name]}",
            *(
                rounded(rank) if rank is not None else "not ranked"
                for rank in _row(report, name, slug)["human_ranks"]
            ),
        )
        for name in (EVERYBODY, WITHOUT_FLAGGED)
    ]
    n_actions = len(rows[0]) - 1
    if shows_metric:
        metric = next(one for one in report["scenarios"] if one["scenario"] == slug)
        for name in METRICS:
            words = METRIC_WORDS[name].capitalize()
            ranks, values = metric[f"{name}_metric_ranks"], metric[f"{name}_metric"]
            rows.append((words, *(f"{rank:g}" for rank in ranks)))
            rows.append((f"{words}, nats per cost", *(f"{value:.5f}" for value in values)))
    rows.append((f"Panel: {NOT_COLLECTED}", *[""] * n_actions))
    return Table(("Rank by", *(f"Action {number}" for number in range(n_actions))), tuple(rows))


def domain_words(domain: str) -> str:
    """Return a domain as it is read: ai-for-science is AI for science."""
    return str(Domain(domain).label)


def _row(report: Json, group: str, slug: str) -> Json:
    rows: Sequence[Json] = group_of(report, group)["scenarios"]
    return next(row for row in rows if row["scenario"] == slug)


def _group_titles(report: Json) -> list[str]:
    return [GROUP_WORDS[group["group"]].capitalize() for group in report["groups"]]


def _bounds(interval: Json) -> tuple[float, float] | None:
    if interval["lower"] is None:
        return None
    return interval["lower"], interval["upper"]


def _share(shares: Json) -> str:
    if not shares["n"]:
        return "undefined (none)"
    return (
        f"{percent(shares['share'])} of {shares['n']} "
        f"({percent(shares['lower'])} to {percent(shares['upper'])})"
    )


def _p_value(value: float | None) -> str:
    if value is None:
        return "undefined (none)"
    return f"{value:.3f}" if value >= 0.001 else "below 0.001"


def _difference(one: Json) -> str:
    if one["mean"] is None:
        return rounded(None, one["undefined"])
    return f"{rounded(one['mean'])} ({interval_words(one)})"
