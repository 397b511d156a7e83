"""The quality flags of everybody in a study, from the rows as they are: nothing is stored."""

import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from catalog.models import Scenario
from judgments.flags import PEOPLE_FOR_MEDIAN, Figures, Flag, assess
from judgments.models import Study
from judgments.queries.participants import counted_participants
from scoring.ranks import N_ACTIONS, code_triads

# One statement is one snapshot, and one row a person whatever the size of the study.
_FIGURES = """
WITH screen AS (
    SELECT
        item.participant_id, item.cell_id, item.position, item.kind, item.shown_at,
        judgment.choice, judgment.answered_at,
        judgment.item_id IS NOT NULL AS is_answered,
        CASE WHEN NOT judgment.has_impossible_timing THEN judgment.active_ms END AS active_ms,
        item.kind IN ('instructed', 'repeat') AS can_fail,
        CASE item.kind
            WHEN 'instructed' THEN judgment.chosen_id IS DISTINCT FROM item.expected_id
            WHEN 'repeat' THEN judgment.chosen_id IS DISTINCT FROM original.chosen_id
                OR judgment.chosen_id IS NULL AND judgment.choice <> original.choice
        END AS fails
    FROM judgments_participant AS participant
    JOIN judgments_item AS item ON item.participant_id = participant.id
    LEFT JOIN judgments_judgment AS judgment ON judgment.item_id = item.id
    LEFT JOIN judgments_judgment AS original ON original.item_id = item.repeat_of_id
    WHERE participant.study_id = %(study)s
),
island AS (
    -- Answers of one side in a row: both numberings grow together, so their difference stays.
    SELECT participant_id, choice, count(*) AS length
    FROM (
        SELECT participant_id, choice,
            row_number() OVER (PARTITION BY participant_id ORDER BY position)
            - row_number() OVER (PARTITION BY participant_id, choice ORDER BY position) AS number
        FROM screen
        WHERE kind = 'judgment' AND is_answered
    ) AS numbered
    WHERE choice IN ('left', 'right')
    GROUP BY participant_id, choice, number
),
run AS (
    SELECT participant_id, max(length) AS longest_run FROM island GROUP BY participant_id
),
cell AS (
    SELECT
        cell.participant_id,
        count(*) AS n_scenarios,
        count(cell.completed_at) AS n_complete,
        count(cell.code) AS n_coded,
        coalesce(sum((%(triads)s::int[])[cell.code + 1]), 0) AS n_triads,
        coalesce(sum(text.n_words) FILTER (WHERE cell.completed_at IS NOT NULL), 0) AS read_words
    FROM judgments_participant AS participant
    JOIN judgments_cell AS cell ON cell.participant_id = participant.id
    JOIN unnest(%(slugs)s::text[], %(n_words)s::int[]) AS text (slug, n_words)
        ON text.slug = cell.scenario_id
    WHERE participant.study_id = %(study)s
    GROUP BY cell.participant_id
),
complete AS (
    SELECT
        screen.participant_id,
        CASE WHEN count(*) = count(screen.active_ms) THEN sum(screen.active_ms) END
            AS read_active_ms
    FROM screen
    JOIN judgments_cell AS cell ON cell.id = screen.cell_id AND cell.completed_at IS NOT NULL
    WHERE screen.is_answered
    GROUP BY screen.participant_id
),
total AS (
    SELECT
        participant_id,
        count(*) AS n_screens,
        count(*) FILTER (WHERE kind = 'judgment') AS n_pairs,
        count(*) FILTER (WHERE can_fail) AS n_can_fail,
        count(*) FILTER (WHERE is_answered) AS n_answered,
        count(*) FILTER (WHERE is_answered AND active_ms IS NULL) AS n_untimed,
        count(*) FILTER (WHERE can_fail AND is_answered) AS n_can_fail_answered,
        count(*) FILTER (WHERE can_fail AND is_answered AND fails) AS n_failed,
        count(*) FILTER (WHERE kind = 'judgment' AND choice = 'left') AS n_left,
        count(*) FILTER (WHERE kind = 'judgment' AND choice = 'right') AS n_right,
        sum(active_ms) AS active_ms,
        max(answered_at) - min(shown_at) FILTER (WHERE position = 1) AS duration
    FROM screen
    GROUP BY participant_id
)
SELECT
    total.participant_id, participant.protocol_id,
    n_screens, n_pairs, n_scenarios, n_can_fail, n_answered, n_untimed, n_failed,
    n_can_fail_answered, n_left, n_right, coalesce(longest_run, 0) AS longest_run,
    n_complete, n_coded, n_triads,
    CASE WHEN n_untimed = 0 THEN active_ms END AS active_ms,
    read_words, read_active_ms, duration
FROM total
JOIN judgments_participant AS participant ON participant.id = total.participant_id
JOIN cell ON cell.participant_id = total.participant_id
LEFT JOIN run ON run.participant_id = total.participant_id
LEFT JOIN complete ON complete.participant_id = total.participant_id
"""


@dataclass(frozen=True)
class Assessment:
    """The figures of one person, and every rule with its verdict."""

    figures: Figures
    flags: tuple[Flag, ...]

    @property
    def raised(self) -> tuple[Flag, ...]:
        return tuple(flag for flag in self.flags if flag.is_raised)


def flags_of(study: Study) -> dict[UUID, tuple[Flag, ...]]:
    """Return the raised flags of everybody who joined, excluded people and previews too."""
    return {
        participant: assessment.raised for participant, assessment in assessments_of(study).items()
    }


def assessments_of(study: Study) -> dict[UUID, Assessment]:
    """Return every rule with its verdict for everybody who joined, in four queries."""
    counted = set(counted_participants(study).values_list("pk", flat=True))
    protocols: dict[UUID, int] = {}
    figures: dict[UUID, Figures] = {}
    totals: dict[int, list[int]] = defaultdict(list)
    for row in _rows(study):
        participant, protocol = row.pop("participant_id"), row.pop("protocol_id")
        mine = figures[participant] = Figures(**row)
        protocols[participant] = protocol
        # Results of protocol versions are never pooled silently, and neither are times.
        if participant in counted and mine.is_through and mine.active_ms is not None:
            totals[protocol].append(mine.active_ms)
    medians = {
        protocol: statistics.median(of_protocol)
        for protocol, of_protocol in totals.items()
        if len(of_protocol) >= PEOPLE_FOR_MEDIAN
    }
    return {
        participant: Assessment(mine, assess(mine, median_ms=medians.get(protocols[participant])))
        for participant, mine in figures.items()
    }


def _rows(study: Study) -> list[dict[str, Any]]:
    words = _words_to_read()
    parameters = {
        "study": study.pk,
        "triads": code_triads().tolist(),
        "slugs": list(words),
        "n_words": list(words.values()),
    }
    with connection.cursor() as cursor:
        cursor.execute(_FIGURES, parameters)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _words_to_read() -> Mapping[str, int]:
    """Return the words of each scenario with its four actions: what a person must read once."""
    words: dict[str, int] = {}
    for scenario in Scenario.objects.prefetch_related("actions"):
        parts = [*scenario.mechanisms, *scenario.interventions]
        passages = [
            scenario.question,
            scenario.baseline,
            *scenario.observations,
            *(text for part in parts for text in (part["name"], part["text"])),
            *(action.text for action in scenario.actions.all() if action.number < N_ACTIONS),
        ]
        words[scenario.pk] = sum(len(passage.split()) for passage in passages)
    return words
