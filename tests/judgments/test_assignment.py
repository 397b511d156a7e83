"""judgments.assignment: coverage, sides, orders and checks, over many simulated participants."""

import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest
from scipy.stats import chi2_contingency

from judgments.assignment import (
    ROUNDS,
    Assignment,
    ChecksMisfit,
    ItemKind,
    PlannedItem,
    QuotaUnmet,
    assign,
    balanced_orientations,
    complement,
    is_even,
    place_checks,
    place_sides,
    require_playable,
)
from scoring.agreement import agree
from scoring.ranks import PAIRS, doubled_mid_ranks
from tests.judgments.materials import CHECKS, DOMAINS, QUOTAS, make_material

CHANCE = 1e-4  # a right design fails one such test in ten thousand seeds; the seeds are fixed


class Study:
    """A study without tables: what counts is kept in a dict, as the rows would keep it."""

    def __init__(self, seed: int, n_per_domain: int = 20) -> None:
        self.rng = random.Random(seed)
        self.material = {m.slug: m for m in make_material(n_per_domain)}

    def join(self) -> Assignment:
        assignment = assign(
            list(self.material.values()), quotas=QUOTAS, checks=CHECKS, rng=self.rng
        )
        for cell in assignment.cells:
            material = self.material[cell.slug]
            self.material[cell.slug] = replace(
                material, served=(*material.served, cell.orientation)
            )
        return assignment

    def release(self, assignment: Assignment) -> None:
        for cell in assignment.cells:
            served = list(self.material[cell.slug].served)
            served.remove(cell.orientation)
            self.material[cell.slug] = replace(self.material[cell.slug], served=tuple(served))

    def counts(self) -> list[int]:
        return [len(m.served) for m in self.material.values()]

    def domain_counts(self) -> list[int]:
        totals: Counter[str] = Counter()
        for m in self.material.values():
            totals[m.domain] += len(m.served)
        return list(totals.values())


@pytest.fixture(scope="module")
def sessions():
    """2,000 people who join one after the other."""
    study = Study(seed=1)
    return [study.join() for _ in range(2000)], study


def judgments_of(assignment: Assignment) -> list[PlannedItem]:
    return [item for item in assignment.items if item.kind is ItemKind.JUDGMENT]


def test_of_the_64_orientations_24_are_even_and_10_of_these_balanced_for_any_order():
    assert sum(is_even(orientation) for orientation in range(64)) == 24
    for m in make_material():
        allowed = balanced_orientations(m.worth)
        assert len(allowed) == 10
        assert {complement(orientation) for orientation in allowed} == set(allowed)


@pytest.mark.parametrize("seed", range(20))
def test_18_people_give_24_scenarios_three_times_and_36_twice_with_equal_domains(seed):
    study = Study(seed)
    for _ in range(18):
        study.join()
    assert Counter(study.counts()) == {3: 24, 2: 36}
    assert study.domain_counts() == [48, 48, 48]


def test_counts_differ_by_at_most_one_inside_a_domain_at_any_time():
    study = Study(seed=3)
    for _ in range(100):
        study.join()
        for domain in DOMAINS:
            counts = [len(m.served) for m in study.material.values() if m.domain == domain]
            assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("seed", range(30))
def test_with_a_quarter_leaving_and_replaced_six_at_once_the_spread_is_at_most_two(seed):
    """Each of the six present ends or leaves at random; who leaves is replaced by a newcomer."""
    study, chance = Study(seed), random.Random(seed)
    present = [study.join() for _ in range(6)]
    n_finished = 0
    while n_finished < 18:
        assignment = present.pop(chance.randrange(len(present)))
        if chance.random() < 0.25:
            study.release(assignment)
        else:
            n_finished += 1
        if n_finished + len(present) < 18:
            present.append(study.join())
    assert not present
    assert sum(study.counts()) == 144
    assert max(study.counts()) - min(study.counts()) <= 2


def test_a_person_has_three_three_and_two_scenarios_and_all_pairs_of_each(sessions):
    for assignment in sessions[0][:200]:
        assert len(assignment.items) == 60
        assert [item.position for item in assignment.items] == list(range(1, 61))
        domains = Counter(cell.slug.rpartition("-")[0] for cell in assignment.cells)
        assert sorted(domains.values()) == [2, 3, 3]
        pairs = defaultdict(list)
        for item in judgments_of(assignment):
            pairs[item.slug].append(tuple(sorted((item.left, item.right))))
        assert [cell.slug for cell in assignment.cells] == list(pairs)
        for shown in pairs.values():
            assert sorted(shown) == sorted(PAIRS)
            rounds = [tuple(sorted(shown[k : k + 2])) for k in (0, 2, 4)]
            assert sorted(rounds) == sorted(ROUNDS)


def test_the_better_action_is_left_24_and_right_24_times_for_every_person(sessions):
    everybody, study = sessions
    for assignment in everybody:
        better_left = sum(
            study.material[item.slug].worth.index(item.left)
            < study.material[item.slug].worth.index(item.right)
            for item in judgments_of(assignment)
        )
        assert better_left == 24


def test_over_its_raters_an_action_is_left_as_often_as_right_within_one():
    study = Study(seed=5)
    lefts: Counter[tuple[str, int]] = Counter()
    rights: Counter[tuple[str, int]] = Counter()
    for _ in range(40):
        for item in judgments_of(study.join()):
            lefts[item.slug, item.left] += 1
            rights[item.slug, item.right] += 1
        assert all(
            abs(lefts[slug, action] - rights[slug, action]) <= 1
            for slug in study.material
            for action in range(4)
        )


def test_the_next_person_on_a_scenario_gets_the_complement(sessions):
    seen = defaultdict(list)
    for assignment in sessions[0]:
        for cell in assignment.cells:
            seen[cell.slug].append(cell.orientation)
    for orientations in seen.values():
        for first, second in zip(orientations[::2], orientations[1::2], strict=False):
            assert second == complement(first)


def test_a_complement_whose_original_left_finds_its_partner_again():
    study = Study(seed=6, n_per_domain=3)
    first, second = study.join(), study.join()
    study.release(first)
    third = study.join()
    kept = {cell.slug: cell.orientation for cell in second.cells}
    for cell in third.cells:
        if cell.slug in kept:
            assert cell.orientation == complement(kept[cell.slug])


def test_an_orientation_places_the_lower_number_left_where_its_bit_is_set():
    assert place_sides((0, 1), 0b000001) == (0, 1)
    assert place_sides((2, 3), 0b000001) == (3, 2)


def association(pairs) -> float:
    """Return the chance of a table at least as uneven, if the two factors are independent."""
    rows, columns = (sorted(set(values)) for values in zip(*pairs, strict=True))
    counts = Counter(pairs)
    return chi2_contingency([[counts[row, column] for column in columns] for row in rows]).pvalue


def test_scenario_place_pair_place_and_side_are_not_associated(sessions):
    """One judgment a person, so that every observation is independent of the others."""
    rng = random.Random(8)
    drawn = []
    for assignment in sessions[0]:
        k = rng.randrange(48)
        item = judgments_of(assignment)[k]
        pair = PAIRS.index(tuple(sorted((item.left, item.right))))
        drawn.append((k // 6, k % 6, pair, item.left < item.right, item.slug.rpartition("-")[0]))
    factors = list(zip(*drawn, strict=True))
    for first in range(len(factors)):
        for second in range(first):
            both = list(zip(factors[first], factors[second], strict=True))
            assert association(both) > CHANCE, (first, second)


def test_each_side_is_the_better_one_at_every_place_of_the_session(sessions):
    everybody, study = sessions
    seen = [
        (k, study.material[item.slug].worth.index(item.left) < worth_of_right)
        for assignment in everybody
        for k, item in enumerate(judgments_of(assignment))
        for worth_of_right in [study.material[item.slug].worth.index(item.right)]
    ]
    assert association(seen) > CHANCE


def test_choosing_always_left_agrees_with_nothing():
    """18 sessions: mean correlation of the robot's ranks with the metric near 0, exactly so over
    scenarios whose raters come in complementary pairs."""
    study = Study(seed=9)
    wins: dict[str, Counter[int]] = defaultdict(Counter)
    for _ in range(15):  # 15 x 8 = 120: every scenario twice
        for item in judgments_of(study.join()):
            wins[item.slug][item.left] += 1
    assert all(set(counts.values()) == {3} for counts in wins.values())  # all equal: no order
    study = Study(seed=9)
    ranks, metric = [], []
    for _ in range(18):
        by_cell: dict[str, Counter[int]] = defaultdict(Counter)
        assignment = study.join()
        for item in judgments_of(assignment):
            by_cell[item.slug][item.left] += 1
        for slug, counts in by_cell.items():
            ranks.append(doubled_mid_ranks([counts[action] for action in range(4)]) / 2)
            worth = study.material[slug].worth
            metric.append([-float(worth.index(action)) for action in range(4)])
    # 144 cells, complementary but for 24: a mean of rho within 0.15 of 0
    assert abs(agree(ranks, metric).mean_within) < 0.15


@pytest.mark.parametrize("seed", range(50))
def test_one_check_follows_a_judgment_of_every_four_never_first_never_two_in_a_row(seed):
    kinds = place_checks(48, checks=CHECKS, rng=random.Random(seed))
    assert [(place - 1) // 4 for place in sorted(kinds)] == list(range(12))
    assert Counter(kinds.values()) == CHECKS


def test_checks_are_never_first_never_adjacent_and_belong_to_the_scenario_at_hand(sessions):
    for assignment in sessions[0][:300]:
        kinds = [item.kind for item in assignment.items]
        assert Counter(kinds) == CHECKS | {ItemKind.JUDGMENT: 48}
        assert kinds[0] is ItemKind.JUDGMENT
        for before, after in pairwise(assignment.items):
            if after.kind is not ItemKind.JUDGMENT:
                assert before.kind is ItemKind.JUDGMENT
                assert before.slug == after.slug


def test_a_perfect_reader_passes_every_instructed_check_in_1000_sessions(sessions):
    for assignment in sessions[0][:1000]:
        asked = [i for i in assignment.items if i.kind is ItemKind.INSTRUCTED]
        assert all(item.expected in (item.left, item.right) for item in asked)
        # left and right are asked for twice each: no side passes all
        assert sum(item.expected == item.left for item in asked) == 2


def test_a_dominated_pair_shows_the_foil_beside_the_design_that_dominates_it(sessions):
    everybody, study = sessions
    for assignment in everybody[:300]:
        pairs = [item for item in assignment.items if item.kind is ItemKind.DOMINATED]
        for item in pairs:
            gold = study.material[item.slug].gold
            assert {item.left, item.right} == {gold, 4}
            assert item.expected == gold
        assert sum(item.expected == item.left for item in pairs) == 2


def test_a_repeat_swaps_the_sides_of_an_earlier_pair_that_was_not_just_shown(sessions):
    for assignment in sessions[0][:300]:
        items = {item.position: item for item in assignment.items}
        for item in assignment.items:
            assert (item.repeat_of is not None) is (item.kind is ItemKind.REPEAT)
            if item.repeat_of is not None:
                original = items[item.repeat_of]
                assert original.kind is ItemKind.JUDGMENT
                assert (original.slug, original.left, original.right) == (
                    item.slug,
                    item.right,
                    item.left,
                )
                assert item.expected is None
                assert item.position - original.position >= 2


def test_the_foil_is_shown_in_dominated_pairs_only(sessions):
    for assignment in sessions[0][:300]:
        for item in assignment.items:
            assert (4 in (item.left, item.right)) is (item.kind is ItemKind.DOMINATED)


def test_the_same_seed_gives_the_same_session():
    assert Study(seed=4).join() == Study(seed=4).join()
    assert Study(seed=4).join() != Study(seed=5).join()


def test_a_domain_with_too_few_scenarios_is_refused():
    with pytest.raises(QuotaUnmet, match="has 2 scenarios, not 3"):
        Study(seed=0, n_per_domain=2).join()


@pytest.mark.parametrize("quotas", [(3, 3), (2, 2, 2, 2)])
def test_quotas_for_other_domains_than_there_are_are_refused(quotas):
    with pytest.raises(QuotaUnmet, match="3 domains"):
        assign(make_material(), quotas=quotas, checks=CHECKS, rng=random.Random(0))


def test_a_design_that_shows_nobody_anything_is_refused():
    quotas, checks = (0, 0, 0), dict.fromkeys(CHECKS, 0)
    with pytest.raises(QuotaUnmet, match="0 in every domain"):
        assign(make_material(), quotas=quotas, checks=checks, rng=random.Random(0))
    domains = [scenario.domain for scenario in make_material()]
    with pytest.raises(QuotaUnmet, match="0 in every domain"):
        require_playable(domains, quotas=quotas, checks=checks)


@pytest.mark.parametrize(
    "checks",
    [
        {ItemKind.INSTRUCTED: 4, ItemKind.DOMINATED: 4, ItemKind.REPEAT: 3},
        {ItemKind.INSTRUCTED: 4, ItemKind.DOMINATED: 3, ItemKind.REPEAT: 5},
    ],
)
def test_checks_that_do_not_fit_are_refused(checks):
    with pytest.raises(ChecksMisfit):
        place_checks(48, checks=checks, rng=random.Random(0))
