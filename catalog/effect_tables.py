"""Whole response surfaces as flat tables: records, effects, interactions, structure."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from catalog.surfaces import SurfaceSummary, summarise
from catalog.tabular_files import Column, FlatTable, Row
from scoring.masks import anchors
from scoring.structure import REVERSAL_FLOORS, SurfaceStructure, structure


@dataclass(frozen=True)
class Outcomes:
    """What all configurations of a task gave, by mask in ascending order.

    Native values and prediction hashes are known to those who may read the hidden outcomes.
    """

    utilities: Mapping[str, float]
    native_values: Mapping[str, float] = field(default_factory=dict)
    prediction_sha256: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TaskSurface:
    """The outcomes of one task version with what names the task."""

    release: str
    family: str
    source: str
    task: str
    version: str
    track: str
    disclosure: str
    factors: Mapping[str, str]  # letter to name
    outcomes: Outcomes

    @property
    def utilities(self) -> Mapping[str, float]:
        return self.outcomes.utilities

    @property
    def letters(self) -> tuple[str, ...]:
        return tuple(self.factors)

    def summary(self) -> SurfaceSummary:
        """Return effects and interactions, for pages and files alike."""
        return summarise(self.letters, self.utilities)

    def structure(self) -> SurfaceStructure:
        """Return scale, reversals and shares of variance."""
        return structure(list(self.utilities.values()))

    def names(self) -> tuple[str, ...]:
        """Return the cells that every row of the task begins with."""
        return (
            self.release,
            self.family,
            self.source,
            self.task,
            self.version,
            self.track,
            self.disclosure,
        )


_NAMES = (
    Column("release", str, "slug of the release"),
    Column("family", str, "slug of the family of workflows"),
    Column("source", str, "slug of the data set; a six-factor condition shares it"),
    Column("task", str, "slug of the task"),
    Column("version", str, "SHA-256 of data, code and scoring rule"),
    Column("track", str, "d4, d6-paired or d6-added"),
    Column("disclosure", str, "open: everybody may see the surface; sealed: hidden answers"),
)

RECORDS = FlatTable(
    "records",
    "Outcome of every configuration",
    (
        *_NAMES,
        Column("mask", str, "configuration: character i is 1 if factor i is on"),
        Column("n_on", int, "number of factors that are on"),
        Column("is_anchor", bool, "whether every episode observes it for free"),
        Column("utility", float, "in [0, 1], higher is better"),
        Column("native_value", float, "the family's metric; in exports of outcomes only"),
        Column("prediction_sha256", str, "of the rounded prediction; in exports of outcomes only"),
    ),
)

CONDITIONAL_EFFECTS = FlatTable(
    "conditional_effects",
    "Effect of every factor on every background",
    (
        *_NAMES,
        Column("factor", str, "letter of the factor that is switched on"),
        Column("background", str, "levels of the others, a dash in the factor's place"),
        Column("utility_off", float, "utility with the factor off"),
        Column("utility_on", float, "utility with the factor on"),
        Column("effect", float, "utility_on - utility_off, in [-1, 1]"),
    ),
)

PAIR_INTERACTIONS = FlatTable(
    "pair_interactions",
    "Mean interaction of every pair of factors",
    (
        *_NAMES,
        Column("first", str, "letter of a factor"),
        Column("second", str, "letter of a later factor"),
        Column("interaction", float, "mean over backgrounds of u11 - u10 - u01 + u00"),
    ),
)


def _reversing_column(floor: float) -> Column:
    if floor:
        limit, name = f"{floor:.0%} of the utility range", f"above_{floor * 100:.0f}_percent"
    else:
        limit, name = "1e-12", "above_1e_12"
    return Column(f"reversing_{name}", str, f"letters of factors with both signs above {limit}")


STRUCTURE = FlatTable(
    "structure",
    "Scale, reversals and shares of variance of every task",
    (
        *_NAMES,
        Column("n_records", int, "number of configurations, 2^d"),
        Column("n_effects", int, "number of conditional effects, d 2^(d-1)"),
        Column("n_interactions", int, "number of pairs, d (d-1) / 2"),
        Column("utility_range", float, "largest minus smallest utility"),
        Column("mean_absolute_effect", float, "A, the scale of effect recovery"),
        *map(_reversing_column, REVERSAL_FLOORS),
        Column("order_1_share", float, "share of the variance of utility in main effects"),
        Column("order_2_share", float, "share in interactions of two factors"),
        Column("higher_order_share", float, "share in interactions of three or more factors"),
    ),
)


RELEASE_STRUCTURE = FlatTable(
    "release_structure",
    "Counts over all tasks of a release, sealed ones too",
    (
        Column("release", str, "slug of the release"),
        Column("n_tasks", int, "current tasks"),
        Column("n_records", int, "configurations"),
        Column("n_effects", int, "conditional effects"),
        Column("n_interactions", int, "pairs of factors"),
        Column("n_factors", int, "factors"),
        Column("median_higher_order_share", float, "median of the tasks' higher_order_share"),
        Column("floor_share", float, "floor as a share of the utility range, at least 1e-12"),
        Column("n_reversing", int, "tasks with a factor that has both signs above the floor"),
        Column("n_factors_reversing", int, "factors that have both signs above the floor"),
        Column("scoring_version", str, "of the package that counted"),
    ),
)


def record_rows(surfaces: Iterable[TaskSurface]) -> Iterator[Row]:
    """Yield one row for each configuration."""
    for one in surfaces:
        native_value, sha256 = one.outcomes.native_values, one.outcomes.prediction_sha256
        free = anchors(len(one.factors))
        for mask, utility in one.utilities.items():
            cells = (mask, mask.count("1"), mask in free, utility)
            yield (*one.names(), *cells, native_value.get(mask), sha256.get(mask))


def effect_rows(surfaces: Iterable[TaskSurface]) -> Iterator[Row]:
    """Yield one row for each factor and background."""
    for one in surfaces:
        for factor in one.summary().factors:
            for background, effect in zip(factor.backgrounds, factor.effects, strict=True):
                off, on = (one.utilities[background.replace("-", level)] for level in "01")
                yield (*one.names(), factor.letter, background, off, on, effect)


def interaction_rows(surfaces: Iterable[TaskSurface]) -> Iterator[Row]:
    """Yield one row for each pair of factors."""
    for one in surfaces:
        for pair in one.summary().pairs:
            yield (*one.names(), pair.first, pair.second, pair.mean)


def structure_rows(surfaces: Iterable[TaskSurface]) -> Iterator[Row]:
    """Yield one row for each task."""
    for one in surfaces:
        found = one.structure()
        yield (
            *one.names(),
            found.n_masks,
            found.n_effects,
            found.n_interactions,
            found.utility_range,
            found.mean_absolute_effect,
            *("".join(itertools.compress(one.letters, flags)) for flags in found.reverses),
            found.order_shares[0],
            found.order_shares[1],
            found.higher_order_share,
        )


TABLES: dict[FlatTable, Callable[[Iterable[TaskSurface]], Iterator[Row]]] = {
    RECORDS: record_rows,
    CONDITIONAL_EFFECTS: effect_rows,
    PAIR_INTERACTIONS: interaction_rows,
    STRUCTURE: structure_rows,
}
