"""A design tried out before the launch: many simulated studies, and what is wrong with them."""

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from judgments.assignment import Assignment, ItemKind, Material, assign
from judgments.design import Coverage, DesignFigures, ascending, coverage_of, describe, imbalances
from scoring.ranks import PAIRS

# A right design falls below it once in ten thousand tests.
CHANCE = 1e-4
N_AT_ONCE = 6
LEAVING = 0.25
SHARE_WITH_LEAVERS = 0.25  # of the simulated studies
MAX_SPREAD_WITH_LEAVERS = 2


@dataclass(frozen=True)
class Certificate:
    """A design tried out: many studies of `n_people`, all of one seed.

    `coverages` has the different outcomes, each with the number of studies; `spread_with_leavers`
    the largest difference of counts when a quarter leaves and is replaced, six at once: over all
    scenarios, or inside a domain if the domains are of different size.
    """

    seed: int
    n_people: int
    n_studies: int
    coverages: tuple[tuple[Coverage, int], ...]
    spread_with_leavers: int
    figures: DesignFigures
    faults: tuple[str, ...]

    def details(self) -> dict[str, Any]:
        """Return the certificate as it is stored."""
        return asdict(self)


class _Trial:
    """A study without tables: what counts is kept as the rows would keep it."""

    def __init__(
        self,
        material: Sequence[Material],
        quotas: Sequence[int],
        checks: Mapping[ItemKind, int],
        rng: random.Random,
    ) -> None:
        self.material = {one.slug: replace(one, served=()) for one in material}
        self.quotas, self.checks, self.rng = quotas, checks, rng

    def join(self) -> Assignment:
        assignment = assign(
            list(self.material.values()), quotas=self.quotas, checks=self.checks, rng=self.rng
        )
        for cell in assignment.cells:
            one = self.material[cell.slug]
            self.material[cell.slug] = replace(one, served=(*one.served, cell.orientation))
        return assignment

    def leave(self, assignment: Assignment) -> None:
        for cell in assignment.cells:
            one = self.material[cell.slug]
            served = list(one.served)
            served.remove(cell.orientation)
            self.material[cell.slug] = replace(one, served=tuple(served))

    def coverage(self) -> Coverage:
        counts = {slug: len(one.served) for slug, one in self.material.items()}
        return coverage_of(counts, {slug: one.domain for slug, one in self.material.items()})


def certify(
    material: Sequence[Material],
    *,
    quotas: Sequence[int],
    checks: Mapping[ItemKind, int],
    n_people: int,
    n_studies: int,
    seed: int,
) -> Certificate:
    """Return how a design fares in `n_studies` simulated studies of `n_people` each.

    Raises
    ------
    QuotaUnmet, ChecksMisfit
    """
    rng = random.Random(seed)  # noqa: S311 - a simulation to be run again, not a secret
    trials = [_Trial(material, quotas, checks, rng) for _ in range(n_studies)]
    studies = [[trial.join() for _ in range(n_people)] for trial in trials]
    outcomes = _alike(trial.coverage() for trial in trials)
    spread = max(
        _spread_with_leavers(_Trial(material, quotas, checks, rng), n_people)
        for _ in range(math.ceil(n_studies * SHARE_WITH_LEAVERS))
    )
    domains = {one.slug: one.domain for one in material}
    figures = describe(
        [person for joined in studies for person in joined],
        worth={one.slug: one.worth for one in material},
        domains=domains,
        rng=rng,
    )
    # The sides of an action even out inside a study, not over all of them.
    imbalance = Counter(number for joined in studies for number in imbalances(joined))
    figures = replace(figures, imbalance=ascending(imbalance))
    return Certificate(
        seed=seed,
        n_people=n_people,
        n_studies=n_studies,
        coverages=outcomes,
        spread_with_leavers=spread,
        figures=figures,
        faults=(
            *_coverage_faults([coverage for coverage, _ in outcomes], quotas, spread),
            *_figure_faults(figures, sum(quotas) * len(PAIRS), checks),
        ),
    )


def _alike(coverages: Iterable[Coverage]) -> tuple[tuple[Coverage, int], ...]:
    """Return the different coverages, the most frequent first, with their numbers."""
    found: list[tuple[Coverage, int]] = []
    for coverage in coverages:
        for index, (known, number) in enumerate(found):
            if known == coverage:
                found[index] = (known, number + 1)
                break
        else:
            found.append((coverage, 1))
    return tuple(sorted(found, key=lambda one: -one[1]))


def _spread_with_leavers(trial: _Trial, n_people: int) -> int:
    """Return the spread once n people have finished; each present one ends or leaves at random."""
    present = [trial.join() for _ in range(min(N_AT_ONCE, n_people))]
    n_finished = 0
    while n_finished < n_people:
        person = present.pop(trial.rng.randrange(len(present)))
        if trial.rng.random() < LEAVING:
            trial.leave(person)
        else:
            n_finished += 1
        if n_finished + len(present) < n_people:
            present.append(trial.join())
    sizes = Counter(one.domain for one in trial.material.values())
    coverage = trial.coverage()
    if len(set(sizes.values())) > 1:
        return coverage.spread
    counts = [count for count, _ in coverage.scenarios]
    return max(counts) - min(counts)


def _coverage_faults(
    coverages: Iterable[Coverage], quotas: Sequence[int], spread: int
) -> list[str]:
    faults = []
    widest = max(quotas) - min(quotas)
    for coverage in coverages:
        cells = coverage.domains.values()
        if max(cells) - min(cells) > widest:
            faults.append(f"domains differ by more than {widest} scenarios: {coverage.domains}")
        if coverage.spread > 1:
            faults.append(f"inside a domain, counts of scenarios differ by {coverage.spread}")
    if spread > MAX_SPREAD_WITH_LEAVERS:
        faults.append(f"with leavers, counts of scenarios differ by {spread}")
    return faults


def _figure_faults(
    figures: DesignFigures, n_judgments: int, checks: Mapping[ItemKind, int]
) -> list[str]:
    faults = []
    if figures.better_left != ((n_judgments // 2, figures.n_people),):
        faults.append("the better proposal is not left in half of everybody's judgments")
    if max(difference for difference, _ in figures.imbalance) > 1:
        faults.append("a proposal is on one side more often than on the other, by more than one")
    if figures.n_misplaced:
        faults.append(f"{figures.n_misplaced} checks are first, in a row, or not one a block")
    for kind, counts in figures.expected_left.items():
        asked = checks[ItemKind(kind)]
        if any(abs(2 * lefts - asked) > 1 for lefts, _ in counts):
            faults.append(f"checks ({kind}) ask for one side more often than for the other")
    faults += [
        f"{' and '.join(test.factors)} are associated (p = {test.p_value:.1g})"
        for test in figures.associations
        if test.p_value < CHANCE
    ]
    return faults
