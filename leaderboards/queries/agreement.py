"""What people chose, ranked and correlated in Postgres; and the same facts as plain values."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import F, PositiveSmallIntegerField, QuerySet, Value
from django.db.models.functions import Cast

from judgments.assignment import ItemKind
from judgments.models import Cell, Judgment, Participant
from judgments.queries.coverage import counted_cells
from leaderboards.agreement_records import Answers, Correlations, RankSums
from leaderboards.queries.agreement_statements import CORRELATIONS, SUMS
from scoring.ranks import N_ACTIONS, N_CODES, PAIRS, code_outcomes, code_ranks

_CODE_OUTCOMES = (2 * code_outcomes()).tolist()


def correlate(
    people: QuerySet[Participant], scenarios: Sequence[str], *, by_codes: bool = True
) -> dict[str, Correlations]:
    """Return the agreement of people's ranks and each metric.

    Without `by_codes` the ranks are taken from the single choices, not from the cells' codes: the
    slow way to the same numbers.
    """
    rows = _read(CORRELATIONS, people, scenarios, by_codes=by_codes)
    return {
        row["name"]: Correlations(
            within=tuple(_number(rho) for rho in row["within"]),
            mean_within=_number(row["mean_within"]),
            pooled=_number(row["pooled"]),
            n_defined=row["n_defined"],
        )
        for row in rows
    }


def differ_by_path(people: QuerySet[Participant], scenarios: Sequence[str]) -> bool:
    """Tell whether the codes of the cells and the single choices give different sums of ranks."""
    by_codes, by_choices = (rank_sums(people, scenarios, by_codes=flag) for flag in (True, False))
    same_sums = np.array_equal(by_codes.sums, by_choices.sums)
    return not (same_sums and np.array_equal(by_codes.counts, by_choices.counts))


def rank_sums(
    people: QuerySet[Participant], scenarios: Sequence[str], *, by_codes: bool = True
) -> RankSums:
    """Return the exact sums of people's ranks by scenario."""
    sums = np.zeros((len(scenarios), N_ACTIONS), dtype=np.int64)
    counts = np.zeros(len(scenarios), dtype=np.int64)
    for row in _read(SUMS, people, scenarios, by_codes=by_codes):
        sums[row["scenario"], row["number"]] = row["doubled_sum"]
        counts[row["scenario"]] = row["n_cells"]
    return RankSums(sums, counts)


def load_answers(people: QuerySet[Participant], scenarios: Sequence[str]) -> Answers:
    """Return every cell that counts, ordered by person and scenario."""
    place = {slug: number for number, slug in enumerate(scenarios)}
    cells = counted_cells(people)
    outcomes: dict[tuple[str, int], list[int]] = {
        (str(person), place[scenario]): _CODE_OUTCOMES[code]
        for person, scenario, code in cells.filter(code__isnull=False).values_list(
            "participant", "scenario", "code"
        )
    } | _tied_outcomes(cells, place)
    keys = sorted(outcomes)
    people_in_order = sorted({person for person, _ in keys})
    number = {person: index for index, person in enumerate(people_in_order)}
    return Answers(
        participants=np.array([number[person] for person, _ in keys], dtype=np.int64),
        scenarios=np.array([scenario for _, scenario in keys], dtype=np.int64),
        doubled_outcomes=np.array([outcomes[key] for key in keys], dtype=np.int64).reshape(
            len(keys), len(PAIRS)
        ),
        people=tuple(people_in_order),
    )


def _tied_outcomes(
    cells: QuerySet[Cell], place: dict[str, int]
) -> dict[tuple[str, int], list[int]]:
    """Return the outcomes of the cells without a code, from their choices."""
    choices = Judgment.objects.filter(
        item__cell__in=cells.filter(code__isnull=True), item__kind=ItemKind.JUDGMENT
    ).values_list(
        "participant",
        "item__cell__scenario",
        "chosen__number",
        "item__left__number",
        "item__right__number",
    )
    outcomes: dict[tuple[str, int], list[int]] = {}
    for person, scenario, chosen, *sides in choices:
        pair = (min(sides), max(sides))
        of_cell = outcomes.setdefault((str(person), place[scenario]), [0] * len(PAIRS))
        of_cell[PAIRS.index(pair)] = 1 if chosen is None else 2 * (chosen == pair[0])
    return outcomes


def _read(
    statement: str, people: QuerySet[Participant], scenarios: Sequence[str], *, by_codes: bool
) -> list[dict[str, Any]]:
    code = F("code") if by_codes else Cast(Value(None), PositiveSmallIntegerField())
    cells = counted_cells(people).annotate(used_code=code)
    # The rule of who counts is that of the query set; the statement adds what follows from it.
    cell_sql, cell_parameters = cells.values_list(
        "pk", "scenario_id", "used_code"
    ).query.sql_with_params()
    head = "WITH cell (id, scenario, code) AS NOT MATERIALIZED (" + cell_sql + ")"
    with connection.cursor() as cursor:
        cursor.execute(head + statement, [*cell_parameters, list(scenarios), *_code_table()])
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _code_table() -> tuple[list[int], list[int], list[int]]:
    """Return the 64 x 4 doubled mid-ranks as three columns: code, action, rank."""
    return (
        np.repeat(np.arange(N_CODES), N_ACTIONS).tolist(),
        np.tile(np.arange(N_ACTIONS), N_CODES).tolist(),
        code_ranks().ravel().tolist(),
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
