"""Every number of a report on agreement. Plain values in, JSON values out: undefined is None."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leaderboards.agreement_records import (
    METRICS,
    AgreementRecords,
    Answers,
    Correlations,
    Group,
    Material,
)
from scoring.agreement import (
    agree,
    bootstrap_pooled,
    bootstrap_within,
    participant_jackknife_error,
    wider_interval,
)
from scoring.intervals import Interval, bootstrap_mean
from scoring.masks import Floats
from scoring.proportions import Proportion, proportion
from scoring.ranks import (
    PAIRS,
    Cells,
    doubled_mid_ranks,
    doubled_wins,
    mean_ranks,
    round_for_ranking,
    scenario_ranks,
)
from scoring.reliability import concordance, leave_one_out_ceiling, rank_alpha, split_half_ceiling

SEED = 3
N_DRAWS = 5000
TOLERANCE = 1e-12

Json = dict[str, Any]


class PathsDisagree(Exception):
    """Postgres and NumPy find different numbers in the same facts: one of them is wrong."""


def write_report(records: AgreementRecords) -> Json:
    """Return the report.

    Raises
    ------
    PathsDisagree
    """
    return {
        "n_excluded": records.n_excluded,
        "n_flagged": records.n_flagged,
        "largest_difference": check_paths(records),
        "scenarios": _scenarios(records.material),
        "groups": [_group(group, records.material) for group in records.groups],
    }


def check_paths(records: AgreementRecords) -> float:
    """Return the largest difference between Postgres and NumPy, over all correlations.

    Raises
    ------
    PathsDisagree
        If it is above 1e-12, or one of them finds something undefined that the other does not.
    """
    differences = [0.0]
    for group in records.groups:
        cells = cells_of(group.answers, len(records.material.scenarios))
        for name in METRICS:
            found = group.correlations[name]
            expected = agree(scenario_ranks(cells), records.material.metrics[name])
            mine = [found.mean_within, found.pooled, *found.within]
            theirs = [expected.mean_within, expected.pooled, *expected.within]
            if [math.isnan(one) for one in mine] != [math.isnan(one) for one in theirs]:
                raise PathsDisagree(f"{group.name}, {name}: not the same is undefined")
            differences.append(float(np.nanmax([0.0, *np.abs(np.subtract(mine, theirs))])))
    if max(differences) > TOLERANCE:
        raise PathsDisagree(f"largest difference {max(differences):g}")
    return max(differences)


def cells_of(answers: Answers, n_scenarios: int) -> Cells:
    """Return the ranks that follow from the choices."""
    wins = doubled_wins(answers.doubled_outcomes / 2.0)
    return Cells(answers.participants, answers.scenarios, doubled_mid_ranks(wins), n_scenarios)


def _scenarios(material: Material) -> list[Json]:
    return [
        {
            "scenario": slug,
            "domain": domain,
            **{f"{name}_metric": material.metrics[name][row].tolist() for name in METRICS},
            **{f"{name}_metric_ranks": _ranks(material.metrics[name])[row] for name in METRICS},
        }
        for row, (slug, domain) in enumerate(zip(material.scenarios, material.domains, strict=True))
    ]


def _ranks(metric: ArrayLike) -> list[list[float]]:
    ranks: list[list[float]] = (doubled_mid_ranks(round_for_ranking(metric)) / 2.0).tolist()
    return ranks


def _group(group: Group, material: Material) -> Json:
    cells = cells_of(group.answers, len(material.scenarios))
    return {
        "group": group.name,
        "n_people": group.n_people,
        "cells": asdict(group.cells),
        "human_metric": {name: _agreement(group, cells, material, name) for name in METRICS},
        "among_people": _among_people(cells),
        "position": _proportion(proportion(group.n_left, group.n_sided)),
        "checks": _checks(group),
        "name_against_short": _name_against_short(group, material),
        "scenarios": _by_scenario(group, cells, material),
    }


def _agreement(group: Group, cells: Cells, material: Material, name: str) -> Json:
    found, metric = group.correlations[name], material.metrics[name]
    by_scenario = bootstrap_within(found.within, draws=N_DRAWS, seed=SEED)
    by_paper = bootstrap_within(found.within, material.papers, draws=N_DRAWS, seed=SEED)
    ranks = mean_ranks(group.rank_sums.sums, group.rank_sums.counts)
    pooled = bootstrap_pooled(ranks, metric, draws=N_DRAWS, seed=SEED)
    return {
        "mean_within": _defined(found.mean_within),
        "n_defined": found.n_defined,
        "n_scenarios": len(found.within),
        "pooled": _defined(found.pooled),
        "scenario_bootstrap": _percentile(by_scenario, "scenario"),
        "wider": _wider(found, by_scenario, participant_jackknife_error(cells, metric), group),
        "paper_bootstrap": _percentile(by_paper, "source paper"),
        "pooled_bootstrap": _percentile(pooled, "scenario"),
    }


def _percentile(interval: Interval, unit: str) -> Json:
    return {
        "lower": _defined(interval.lower),
        "upper": _defined(interval.upper),
        "standard_error": _defined(interval.standard_error),
        "unit": unit,
        "n": interval.n,
        "draws": interval.draws,
        "n_dropped": interval.n_dropped,
        "seed": interval.seed,
        "undefined": _why_no_percentiles(interval, unit),
    }


def _why_no_percentiles(interval: Interval, unit: str) -> str:
    if math.isfinite(interval.lower):
        return ""
    if math.isnan(interval.estimate):
        return "nothing is defined"
    if interval.n < 2:
        return f"one {unit} only"
    return f"{interval.n_dropped} of {interval.draws} draws are undefined"


def _wider(found: Correlations, by_scenario: Interval, error: float, group: Group) -> Json:
    wide = wider_interval(by_scenario, error)
    reason = _why_no_percentiles(by_scenario, "scenario")
    if not reason and math.isnan(error):
        is_single = len(group.answers.people) < 2
        reason = "one participant only" if is_single else "undefined without one participant"
    return {
        "lower": _defined(wide.lower),
        "upper": _defined(wide.upper),
        "standard_error": _defined(wide.standard_error),
        "participant_error": _defined(error),
        "undefined": reason,
    }


def _among_people(cells: Cells) -> Json:
    one_out, halves = leave_one_out_ceiling(cells), split_half_ceiling(cells)
    w = concordance(cells)
    return {
        "leave_one_out": _defined_all(asdict(one_out)),
        "split_half": _defined_all(asdict(halves)),
        "ordinal_alpha": _defined(rank_alpha(cells)),
        "mean_concordance": _mean(w),
        "n_concordance_defined": int(np.isfinite(w).sum()),
    }


def _checks(group: Group) -> Json:
    checks = group.checks
    return {
        "instructed": _proportion(
            proportion(checks.n_instructed_passed, checks.n_instructed), has_test=False
        ),
        "dominated": _proportion(
            proportion(checks.n_dominated_passed, checks.n_dominated), has_test=False
        ),
        "repeats": _proportion(
            proportion(checks.n_repeats_consistent, checks.n_repeats), has_test=False
        ),
    }


def _name_against_short(group: Group, material: Material) -> Json:
    """Compare how people and the metric order the action name and the one-line design.

    A difference is the rank of the name minus that of the design: above 0, the design comes first.
    """
    sums, counts = group.rank_sums.sums, group.rank_sums.counts
    ranked = np.flatnonzero(counts)
    names, shorts = np.array(material.names)[ranked], np.array(material.shorts)[ranked]
    metric = doubled_mid_ranks(round_for_ranking(material.metrics["gated"]))
    # Twice the differences, those of people times their number: whole, so that level is level.
    n = counts[ranked]
    by_people = sums[ranked, names] - sums[ranked, shorts]
    by_metric = metric[ranked, names] - metric[ranked, shorts]
    return {
        "n_scenarios": len(ranked),
        "people": _mean_difference(by_people / (2 * n)),
        "metric": _mean_difference(by_metric / 2),
        "people_minus_metric": _mean_difference((by_people - n * by_metric) / (2 * n)),
        "n_same_order": int((np.sign(by_people) == np.sign(by_metric)).sum()),
        "pair": _pair_choices(group.answers, material),
    }


def _mean_difference(differences: Floats) -> Json:
    orders: Json = {
        "n_design_first": int((differences > 0).sum()),
        "n_name_first": int((differences < 0).sum()),
        "n_level": int((differences == 0).sum()),
    }
    if not len(differences):
        return {"mean": None, "lower": None, "upper": None, "undefined": "nobody ranked", **orders}
    interval = bootstrap_mean(differences, draws=N_DRAWS, seed=SEED)
    return {
        "mean": interval.estimate,
        "lower": _defined(interval.lower),
        "upper": _defined(interval.upper),
        "undefined": _why_no_percentiles(interval, "scenario"),
        **orders,
    }


def _pair_choices(answers: Answers, material: Material) -> Json:
    """Return how often the design was chosen where the two were compared directly."""
    names = np.array(material.names)[answers.scenarios]
    shorts = np.array(material.shorts)[answers.scenarios]
    place = {pair: number for number, pair in enumerate(PAIRS)}
    pairs = [
        place[min(pair), max(pair)] for pair in zip(names.tolist(), shorts.tolist(), strict=True)
    ]
    outcomes = answers.doubled_outcomes[np.arange(len(pairs)), pairs]
    chose_short = np.where(shorts < names, outcomes == 2, outcomes == 0)
    n_ties = int((outcomes == 1).sum())
    shares = proportion(int(chose_short.sum()), len(pairs) - n_ties)
    return {**_proportion(shares), "n_ties": n_ties}


def _by_scenario(group: Group, cells: Cells, material: Material) -> list[Json]:
    ranks = mean_ranks(group.rank_sums.sums, group.rank_sums.counts)
    w = concordance(cells)
    return [
        {
            "scenario": slug,
            "n_people": int(group.rank_sums.counts[row]),
            "human_ranks": [_defined(rank) for rank in ranks[row].tolist()],
            "concordance": _defined(float(w[row])),
            **{
                f"{name}_correlation": _defined(group.correlations[name].within[row])
                for name in METRICS
            },
        }
        for row, slug in enumerate(material.scenarios)
    ]


def _proportion(shares: Proportion, *, has_test: bool = True) -> Json:
    values = _defined_all(asdict(shares))
    if not has_test:
        del values["p_value"]
    return values


def _mean(values: Floats) -> float | None:
    defined: Sequence[float] = values[np.isfinite(values)].tolist()
    return math.fsum(defined) / len(defined) if defined else None


def _defined_all(values: Mapping[str, Any]) -> Json:
    return {
        name: _defined(value) if isinstance(value, float) else value
        for name, value in values.items()
    }


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None
