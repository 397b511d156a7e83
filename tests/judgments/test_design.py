"""The certificate of a design, and the same figures from the rows (case C24)."""

import random

import pytest

from judgments import tasks
from judgments.actions.design import realised_design, try_design
from judgments.actions.launch import start_check
from judgments.assignment import Assignment, ItemKind, PlannedItem
from judgments.certificates import certify
from judgments.design import coverage_of, describe
from judgments.models import CheckKind, LaunchCheck
from tests.builders import NOW
from tests.judgments.desk import version_of
from tests.judgments.materials import CHECKS, QUOTAS, make_material
from tests.judgments.studies import join, make_study

WORTH = {"a": (0, 1, 2, 3)}


@pytest.fixture(scope="module")
def certificate():
    """2,016 people: 112 studies of 18."""
    return certify(
        make_material(), quotas=QUOTAS, checks=CHECKS, n_people=18, n_studies=112, seed=1
    )


def test_18_people_cover_36_scenarios_twice_and_24_three_times_in_every_simulated_study(
    certificate,
):
    [(coverage, n_studies)] = certificate.coverages
    assert (coverage.scenarios, n_studies) == (((2, 36), (3, 24)), 112)
    assert set(coverage.domains.values()) == {48}
    assert certificate.spread_with_leavers <= 2


def test_no_two_factors_of_2016_simulated_people_are_associated(certificate):
    assert len(certificate.figures.associations) == 10
    assert min(test.p_value for test in certificate.figures.associations) > 1e-4
    assert certificate.faults == ()


def test_sides_and_checks_are_even_for_everybody(certificate):
    figures = certificate.figures
    assert figures.better_left == ((24, 2016),)
    assert [difference for difference, _ in figures.imbalance] == [0, 1]
    assert figures.expected_left == {"instructed": ((2, 2016),), "dominated": ((2, 2016),)}
    assert figures.n_misplaced == 0
    assert sum(figures.check_places) == 12 * 2016
    assert sum(map(sum, figures.check_screens.values())) == 12 * 2016
    assert [figures.check_screens[kind.value][0] for kind in CHECKS] == [0, 0, 0]
    assert [len(row) for row in figures.sides] == [6] * 8
    assert {shown for row in figures.sides for _, shown in row} == {2016}


def test_the_same_seed_gives_the_same_certificate():
    first, again, other = (
        certify(make_material(3), quotas=QUOTAS, checks=CHECKS, n_people=4, n_studies=3, seed=seed)
        for seed in (5, 5, 6)
    )
    assert first == again
    assert first != other


def person(*items: tuple[ItemKind, int, int], expected: int | None = None) -> Assignment:
    return Assignment(
        (),
        tuple(
            PlannedItem(
                position, "a", kind, left, right, None if kind == ItemKind.JUDGMENT else expected
            )
            for position, (kind, left, right) in enumerate(items, start=1)
        ),
    )


def figures_of(*people: Assignment):
    return describe(people, worth=WORTH, domains={"a": "systems"}, rng=random.Random(0))


def test_the_figures_of_a_hand_made_session_are_those_counted_by_hand():
    judged, asked = ItemKind.JUDGMENT, ItemKind.INSTRUCTED
    one = person((judged, 0, 1), (judged, 3, 2), (asked, 1, 0), (judged, 0, 2), expected=1)
    figures = figures_of(one)
    assert figures.better_left == ((2, 1),)  # 0 before 1, 0 before 2
    # left minus right: 0 twice left; 1 once right; 2 twice right; 3 once left
    assert figures.imbalance == ((1, 2), (2, 2))
    assert figures.check_places == (0, 1, 0, 0)
    assert figures.check_screens["instructed"] == (0, 0, 1, 0)
    assert figures.expected_left["instructed"] == ((1, 1),)
    assert figures.n_misplaced == 0
    assert figures.sides[0][:3] == ((1, 1), (0, 1), (1, 1))


def test_checks_that_are_first_in_a_row_or_crowded_are_counted():
    judged, asked = ItemKind.JUDGMENT, ItemKind.INSTRUCTED
    first = person((asked, 0, 1), (judged, 0, 1))
    in_a_row = person((judged, 0, 1), (asked, 0, 1), (asked, 0, 1))
    crowded = person((judged, 0, 1), (asked, 0, 1), (judged, 0, 1), (asked, 0, 1))
    assert [figures_of(one).n_misplaced for one in (first, in_a_row, crowded)] == [1, 2, 1]


def test_two_factors_in_lock_step_are_found():
    """The side follows the place of the pair, as when one seed drives both."""
    judged = ItemKind.JUDGMENT
    sides = [(0, 1), (1, 0), (0, 1), (1, 0), (0, 1), (1, 0)]
    people = [person(*((judged, *pair) for pair in sides))] * 300
    tests = {test.factors: test.p_value for test in figures_of(*people).associations}
    assert tests["place of the pair", "side"] < 1e-10


def test_coverage_counts_scenarios_cells_and_the_spread_inside_domains():
    coverage = coverage_of(
        {"a": 0, "b": 2, "c": 3, "d": 3}, {"a": "x", "b": "x", "c": "y", "d": "y"}
    )
    assert coverage.scenarios == ((0, 1), (2, 1), (3, 2))
    assert coverage.domains == {"x": 2, "y": 6}
    assert coverage.spread == 2


@pytest.mark.django_db
def test_the_rows_of_a_study_have_the_figures_of_its_design():
    study = make_study(n_per_domain=3)
    for _ in range(6):
        join(study)
    join(study, is_preview=True)
    realised = realised_design(version=version_of(study), seed=1, now=NOW)
    assert realised.figures.n_people == 6
    assert realised.figures.better_left == ((24, 6),)
    assert [difference for difference, _ in realised.figures.imbalance] in ([0], [0, 1])
    assert realised.figures.n_misplaced == 0
    assert realised.figures.associations == ()  # too few people
    assert set(realised.coverage.domains.values()) == {16}
    assert realised.coverage.spread <= 1


@pytest.mark.django_db
def test_nobody_joined_yet_has_figures_too():
    study = make_study(n_per_domain=3)
    realised = realised_design(version=version_of(study), seed=1, now=NOW)
    assert realised.figures.n_people == 0
    assert realised.coverage.scenarios == ((0, 9),)


@pytest.mark.django_db
def test_a_worker_writes_the_certificate_down_once_with_seed_and_figures():
    study = make_study(n_per_domain=3)
    version = version_of(study)
    check = start_check(version=version, kind=CheckKind.CERTIFICATE, staff=None, now=NOW)
    for seed in (7, 8):  # a message that comes twice
        tasks.certify_design(check_id=check.pk, n_people=3, n_studies=2, seed=seed)
    check = LaunchCheck.objects.get()
    assert (check.status, check.details["seed"], check.details["n_people"]) == ("passed", 7, 3)
    assert check.details["figures"]["better_left"] == [[24, 6]]
    expected = try_design(version=version, n_people=3, n_studies=2, seed=7)
    assert check.details["figures"]["sides"] == [
        [list(cell) for cell in row] for row in expected.figures.sides
    ]


@pytest.mark.django_db
def test_a_certificate_that_breaks_off_fails_and_does_not_run_for_ever(monkeypatch):
    def break_off(**arguments):
        raise ArithmeticError

    monkeypatch.setattr(tasks, "try_design", break_off)
    study = make_study(n_per_domain=3)
    check = start_check(version=version_of(study), kind=CheckKind.CERTIFICATE, staff=None, now=NOW)
    tasks.certify_design(check_id=check.pk, n_people=3, n_studies=1, seed=1)
    check.refresh_from_db()
    assert check.status == "failed"
    assert "broke off: ArithmeticError" in check.details["faults"][0]


@pytest.mark.django_db
def test_a_design_that_cannot_be_played_fails_with_its_reason():
    study = make_study(n_per_domain=3, opened_at=None, quotas=(4, 3, 2))
    check = start_check(version=version_of(study), kind=CheckKind.CERTIFICATE, staff=None, now=NOW)
    tasks.certify_design(check_id=check.pk, n_people=3, n_studies=1, seed=1)
    check.refresh_from_db()
    assert check.status == "failed"
    assert "has 3 scenarios, not 4" in check.details["faults"][0]
