"""Agreement in Postgres: the examples of the specification, and NumPy's numbers at 1e-12."""

import math

import numpy as np
import pytest
from django.db import connection

from judgments.models import Cell, Choice
from judgments.queries.participants import counted_participants
from leaderboards.agreement_report import cells_of
from leaderboards.queries.agreement import correlate, differ_by_path, load_answers, rank_sums
from scoring.agreement import agree
from scoring.ranks import N_CODES, Cells, code_ranks, scenario_ranks
from tests.judgments.studies import make_study
from tests.leaderboards.study_facts import (
    FIRST_THEN_CIRCLE,
    ORDER,
    REVERSE,
    TWO_AND_TWO,
    add_person,
    oracle,
    play,
    rank,
    scenarios,
    set_metric,
)

pytestmark = pytest.mark.django_db


def same(first: float, second: float) -> bool:
    return (math.isnan(first) and math.isnan(second)) or abs(first - second) <= 1e-12


def assert_equal(found, expected) -> None:
    assert same(found.mean_within, expected.mean_within)
    assert same(found.pooled, expected.pooled)
    assert found.n_defined == expected.n_defined
    assert all(map(same, found.within, expected.within))


def metric_of(slugs) -> np.ndarray:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rate FROM catalog_actionmetric JOIN catalog_action ON action_id = id "
            "WHERE scenario_id = ANY(%s) ORDER BY scenario_id, number",
            [list(slugs)],
        )
        return np.array(cursor.fetchall()).reshape(len(slugs), 4)


@pytest.mark.parametrize(
    ("codes", "metric", "expected"),
    [
        # Case C33; without regard to ties it would be -0.2, 0.9 and 0.5.
        ([FIRST_THEN_CIRCLE], (0.1, 0.2, 0.2, 0.2), -1.0),
        ([ORDER], (0.3, 0.2, 0.2, 0.1), 0.948683),
        ([TWO_AND_TWO], (0.4, 0.3, 0.2, 0.1), 0.894427),
        ([ORDER, REVERSE], (0.4, 0.3, 0.2, 0.1), math.nan),
        ([ORDER], (0.2, 0.2, 0.2, 0.2), math.nan),
        # Equal but for rounding noise: no order.
        ([ORDER], (0.1 + 0.2, 0.3, 0.3, 0.3), math.nan),
    ],
)
def test_the_examples_of_the_specification(codes, metric, expected):
    study = make_study(n_per_domain=3)
    slug = scenarios()[0]
    set_metric(slug, metric)
    for code in codes:
        rank(add_person(study), [(slug, code)])
    found = correlate(counted_participants(study), [slug])["gated"]
    assert found.within[0] == pytest.approx(expected, abs=5e-7, nan_ok=True)
    assert found.mean_within == pytest.approx(expected, abs=5e-7, nan_ok=True)
    assert found.n_defined == (not math.isnan(expected))


def test_perfect_agreement_is_one():
    study = make_study(n_per_domain=3)
    rank(add_person(study), [(slug, ORDER) for slug in scenarios()])
    assert correlate(counted_participants(study), scenarios())["gated"].mean_within == 1.0


def test_random_studies_are_numpys_at_1e_12():
    study = make_study(n_per_domain=3)
    slugs, rng = scenarios(), np.random.default_rng(11)
    people = [add_person(study) for _ in range(7)]
    undefined = 0
    for _ in range(20):
        Cell.objects.all().delete()
        for slug in slugs:
            # Few values: ties, some of them but for noise.
            set_metric(slug, rng.choice([0.0, 0.1 + 0.2, 0.3, 0.05, 1 / 3], 4).tolist())
        for person in people:
            chosen = rng.choice(slugs, rng.integers(1, 9), replace=False)
            codes = [(slug, int(rng.integers(N_CODES))) for slug in chosen]
            rank(person, codes, with_choices=False)
        counted = counted_participants(study)
        found = correlate(counted, slugs)["gated"]
        cells = cells_of(load_answers(counted, slugs), len(slugs))
        expected = agree(scenario_ranks(cells), metric_of(slugs))
        assert_equal(found, expected)
        undefined += len(slugs) - found.n_defined
    assert undefined > 2


def test_a_tie_is_half_a_win_and_cannot_judge_drops_the_cell():
    study = make_study(n_per_domain=3, allows_equal=True, allows_cannot_judge=True)
    rng = np.random.default_rng(12)

    def choose(item):
        return Choice(
            rng.choice(["left", "right", "equal", "cannot-judge"], p=[0.4, 0.4, 0.17, 0.03])
        )

    for _ in range(6):
        play(study, choose)
    counted, slugs = counted_participants(study), scenarios()
    answers = load_answers(counted, slugs)
    assert Cell.objects.filter(is_usable=True, code__isnull=True).count() > 5
    assert Cell.objects.filter(is_usable=False).count() > 5
    assert len(answers.scenarios) == Cell.objects.filter(is_usable=True).count()
    assert (answers.doubled_outcomes == 1).any()
    cells = cells_of(answers, len(slugs))
    assert_equal(correlate(counted, slugs)["gated"], agree(scenario_ranks(cells), metric_of(slugs)))
    sums = rank_sums(counted, slugs)
    assert np.array_equal(sums.counts, np.bincount(cells.scenarios, minlength=len(slugs)))


def test_all_ties_rank_nothing():
    study = make_study(n_per_domain=3, allows_equal=True)
    play(study, lambda item: Choice.EQUAL)
    found = correlate(counted_participants(study), scenarios())["gated"]
    assert found.n_defined == 0
    assert math.isnan(found.mean_within)
    assert math.isnan(found.pooled)
    sums = rank_sums(counted_participants(study), scenarios())
    assert np.array_equal(np.unique(sums.sums[sums.counts == 1]), [5])  # twice 2.5


def test_codes_and_single_choices_lead_to_the_same_numbers():
    study = make_study(n_per_domain=3)
    rng = np.random.default_rng(13)
    for _ in range(3):
        play(study, lambda item: Choice(rng.choice(["left", "right"])))
    counted, slugs = counted_participants(study), scenarios()
    assert correlate(counted, slugs)["gated"].n_defined > 5
    assert not differ_by_path(counted, slugs)
    for by_codes, by_choices in zip(
        correlate(counted, slugs).values(),
        correlate(counted, slugs, by_codes=False).values(),
        strict=True,
    ):
        assert_equal(by_codes, by_choices)


def test_a_code_that_its_choices_do_not_give_is_found():
    study = make_study(n_per_domain=3)
    play(study, oracle)
    cell = Cell.objects.first()
    cell.code = REVERSE
    cell.save()
    assert differ_by_path(counted_participants(study), scenarios())


def test_a_million_judgments_are_numpys_at_1e_12():
    """20,834 people x 48 = 1,000,032 judgments, as the cells keep them: eight codes a person."""
    study = make_study()
    slugs = scenarios()
    n_people, n_cells = 20_834, 8
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO judgments_participant (
                id, study_id, protocol_id, kind, token_sha256, platform_session, seed,
                session_epoch, joined_at, last_seen_at, hold_until, breaks_taken, closing_comment
            )
            SELECT gen_random_uuid(), %s, %s, 'person', 'synthetic-' || n, '', n,
                0, now(), now(), now(), 0, ''
            FROM generate_series(1, %s) AS n
            """,
            [study.pk, study.protocols.get().pk, n_people],
        )
        cursor.execute(
            """
            INSERT INTO judgments_cell (
                participant_id, scenario_id, place, orientation, completed_at, is_usable, code
            )
            SELECT id, (%s::text[])[1 + (seed * 8 + place) %% 60], place + 1, 0, now(), true,
                -- A middling agreement, another one in each scenario, reproducible anywhere.
                CASE WHEN (seed * 7919 + place) %% 10 < (seed * 8 + place) %% 60 / 6
                    THEN 63 ELSE (seed * 104729 + place * 31) %% 64 END
            FROM judgments_participant
            CROSS JOIN generate_series(0, %s - 1) AS place
            """,
            [slugs, n_cells],
        )
    rng = np.random.default_rng(14)
    for slug in slugs:
        set_metric(slug, (rng.random(4).round(2) / 2).tolist())
    counted = counted_participants(study)
    found = correlate(counted, slugs)["gated"]
    rows = np.array(Cell.objects.values_list("code", "participant__seed", "place"), dtype=np.int64)
    assert len(rows) * 6 == 1_000_032
    cells = Cells(
        rows[:, 1], (rows[:, 1] * 8 + rows[:, 2] - 1) % 60, code_ranks()[rows[:, 0]], len(slugs)
    )
    assert_equal(found, agree(scenario_ranks(cells), metric_of(slugs)))
    assert found.n_defined == 60
