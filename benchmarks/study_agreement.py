"""Time the agreement over a million judgments in Postgres, by codes and by single choices.

Run as ``python -m benchmarks.study_agreement``; prints JSON lines. Synthetic people judge eight
scenarios of sixty each, in a throwaway PostgreSQL. ``ratio`` is the time of the statement over the
codes of cells over that of the same statement over single choices (joins and window functions),
1,000,032 judgments, the best of three in one run; both must find the same numbers as NumPy. The
growth is the time of the codes for 100,000 people, 4,800,000 judgments, over that for 20,834.
"""

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tests.throwaway_site import throwaway_site

if TYPE_CHECKING:
    from judgments.models import Study

N_SMALL, N_LARGE = 20_834, 100_000
N_CELLS, N_PAIRS = 8, 6
REPEATS = 3

Result = TypeVar("Result")

_PEOPLE = """
INSERT INTO judgments_participant (
    id, study_id, protocol_id, kind, token_sha256, platform_session, seed, session_epoch,
    joined_at, last_seen_at, hold_until, breaks_taken, closing_comment
)
SELECT gen_random_uuid(), %s, %s, 'person', %s || n, '', n, 0, now(), now(), now(), 0, ''
FROM generate_series(0, %s - 1) AS n
"""
# A middling agreement that differs by scenario; nothing is drawn, so every run has the same rows.
_CELLS = """
INSERT INTO judgments_cell (
    participant_id, scenario_id, place, orientation, completed_at, is_usable, code
)
SELECT
    participant.id, (%s::text[])[1 + scenario], place + 1, 21, now(), true,
    CASE WHEN (seed * 7919 + place) %% 10 < scenario / 6 THEN 63
        ELSE (seed * 104729 + place * 31) %% 64 END
FROM judgments_participant AS participant
CROSS JOIN generate_series(0, 7) AS place
CROSS JOIN LATERAL (SELECT ((seed * 8 + place) %% 60)::int AS scenario) AS drawn
WHERE participant.study_id = %s
"""
_ITEMS = """
INSERT INTO judgments_item (cell_id, participant_id, position, kind, left_id, right_id)
SELECT
    cell.id, cell.participant_id, 6 * (cell.place - 1) + pair.number + 1, 'judgment',
    CASE WHEN cell.orientation >> pair.number & 1 = 1 THEN lower.id ELSE higher.id END,
    CASE WHEN cell.orientation >> pair.number & 1 = 1 THEN higher.id ELSE lower.id END
FROM judgments_cell AS cell
JOIN judgments_participant AS participant ON participant.id = cell.participant_id
CROSS JOIN (VALUES (0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 1, 2), (4, 1, 3), (5, 2, 3))
    AS pair (number, lower, higher)
JOIN catalog_action AS lower
    ON lower.scenario_id = cell.scenario_id AND lower.number = pair.lower
JOIN catalog_action AS higher
    ON higher.scenario_id = cell.scenario_id AND higher.number = pair.higher
WHERE participant.study_id = %s
"""
_JUDGMENTS = """
INSERT INTO judgments_judgment (
    item_id, participant_id, choice, chosen_id, answered_at, layout, is_fast,
    has_impossible_timing, comment
)
SELECT
    item.id, item.participant_id,
    CASE WHEN chosen.id = item.left_id THEN 'left' ELSE 'right' END, chosen.id, now(),
    'unknown', false, false, ''
FROM judgments_item AS item
JOIN judgments_cell AS cell ON cell.id = item.cell_id
JOIN judgments_participant AS participant ON participant.id = cell.participant_id
JOIN catalog_action AS one ON one.id = item.left_id
JOIN catalog_action AS other ON other.id = item.right_id
JOIN catalog_action AS chosen
    ON chosen.scenario_id = cell.scenario_id
    AND chosen.number = CASE
        WHEN cell.code >> ((item.position - 1) %% 6) & 1 = 1 THEN least(one.number, other.number)
        ELSE greatest(one.number, other.number) END
WHERE participant.study_id = %s
"""


def main() -> None:
    with throwaway_site():
        measure()


def measure() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    small, scenarios = make_study("small", N_SMALL, with_choices=True)
    codes_s, by_codes = timed(lambda: correlations(small, scenarios, by_codes=True))
    choices_s, by_choices = timed(lambda: correlations(small, scenarios, by_codes=False))
    difference = largest_difference(by_codes, by_choices, by_numpy(small, scenarios))
    if difference > 1e-12:
        msg = f"the three ways differ by {difference:g}"
        raise AssertionError(msg)
    report(
        "study_agreement_codes_to_choices",
        round(codes_s / choices_s, 4),
        n_judgments=N_SMALL * N_CELLS * N_PAIRS,
        codes_s=codes_s,
        choices_s=choices_s,
        largest_difference=difference,
    )
    large, _ = make_study("large", N_LARGE, with_choices=False)
    large_s, _ = timed(lambda: correlations(large, scenarios, by_codes=True))
    report(
        "study_agreement_growth",
        round(large_s / codes_s, 2),
        n_judgments=N_LARGE * N_CELLS * N_PAIRS,
        times_the_judgments=round(N_LARGE / N_SMALL, 2),
        codes_s=large_s,
    )


def make_study(slug: str, n_people: int, *, with_choices: bool) -> tuple["Study", list[str]]:
    from django.db import connection

    from catalog.models import Scenario
    from tests.judgments.studies import make_study as make_empty_study

    study = make_empty_study(slug)
    scenarios = sorted(Scenario.objects.values_list("slug", flat=True))
    with connection.cursor() as cursor:
        # The rows are right by construction: nobody has to look up each reference of millions.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(_PEOPLE, [slug, study.protocols.get().pk, slug, n_people])
        cursor.execute(_CELLS, [scenarios, slug])
        if with_choices:
            cursor.execute(_ITEMS, [slug])
            cursor.execute(_JUDGMENTS, [slug])
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("ANALYZE")
    return study, scenarios


def correlations(study: "Study", scenarios: list[str], *, by_codes: bool) -> list[float]:
    from judgments.queries.participants import counted_participants
    from leaderboards.queries import correlate

    people = counted_participants(study)
    found = correlate(people, scenarios, by_codes=by_codes)["gated"]
    return [found.mean_within, found.pooled, *found.within]


def by_numpy(study: "Study", scenarios: list[str]) -> list[float]:
    from judgments.queries.participants import counted_participants
    from leaderboards.agreement_report import cells_of
    from leaderboards.queries.agreement import load_answers
    from scoring.agreement import agree
    from scoring.ranks import scenario_ranks

    answers = load_answers(counted_participants(study), scenarios)
    cells = cells_of(answers, len(scenarios))
    # The metric of the tests' scenarios: action k is worth 0.4 - k / 10.
    metric = np.tile([0.4 - number / 10 for number in range(4)], (len(scenarios), 1))
    found = agree(scenario_ranks(cells), metric)
    return [found.mean_within, found.pooled, *found.within]


def largest_difference(*ways: list[float]) -> float:
    first, *others = map(np.array, ways)
    return float(max(np.abs(first - other).max() for other in others))


def report(benchmark: str, ratio: float, **figures: float) -> None:
    print(json.dumps({"benchmark": benchmark, "ratio": ratio, **figures}))


def timed(call: Callable[[], Result]) -> tuple[float, Result]:
    best_s = float("inf")
    for _ in range(REPEATS):
        started = time.perf_counter()
        result = call()
        best_s = min(best_s, time.perf_counter() - started)
    return best_s, result


if __name__ == "__main__":
    main()
