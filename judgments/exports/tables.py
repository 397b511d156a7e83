"""The tables of an export: what is in each, and how its rows are found and counted."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from django.db.models import Model, QuerySet

from catalog.tabular_files import FlatTable, Row
from judgments.exports.columns import Names, Taken
from judgments.exports.definitions import (
    AUDIT,
    CELLS,
    ITEMS,
    PARTICIPANTS,
    RANKINGS,
    REVISIONS,
)
from judgments.exports.rankings import mid_ranks
from judgments.models import AuditEntry, Cell, Item, Participant, Revision, Study
from judgments.queries import exports
from judgments.queries.exports import Fates
from judgments.queries.flags import flags_of
from judgments.redaction import words_of
from scoring.ranks import N_ACTIONS, PAIRS

Values = Iterator[tuple[Any, ...]]


@dataclass(frozen=True)
class ExportTable:
    """A table, its rows, and the fates of all that could have been in it.

    Rows and fates are counted by the columns of `counted_by`. `n_each` is how many rows there are
    for one of what `fates` counts.
    """

    name: str
    title: str
    model: type[Model]
    taken: tuple[Taken, ...]
    read: Callable[[Study, tuple[str, ...]], Values]
    fates: Callable[[Study], Fates]
    counted_by: tuple[str, ...] = ("protocol_version",)
    n_each: int = 1

    @cached_property
    def flat(self) -> FlatTable:
        """The columns, as files and dictionary describe them."""
        described = tuple(one.described(self.model) for one in self.taken)
        return FlatTable(self.name, self.title, described)

    def rows(self, study: Study, names: Names) -> Iterator[Row]:
        """Yield the rows; little of them is in memory at a time."""
        converts = [one.convert for one in self.taken]
        for values in self.read(study, tuple(one.path for one in self.taken)):
            yield [convert(names, value) for convert, value in zip(converts, values, strict=True)]


def _stream(find: Callable[[Study], QuerySet[Any]], study: Study, paths: tuple[str, ...]) -> Values:
    # A path may serve two columns, and is asked for once.
    asked = list(dict.fromkeys(paths))
    places = [asked.index(path) for path in paths]
    for values in exports.stream(find(study), *asked):
        yield tuple(values[place] for place in places)


def _stream_ranks(study: Study, paths: tuple[str, ...]) -> Values:
    """Yield a row for each action of each usable cell, ranked by the six choices themselves."""
    *cell, _, _ = paths
    asked = (*cell, "left__number", "right__number", "judgment__choice")
    found = exports.stream(exports.ranked_items(study), "cell", *asked)
    for _, group in itertools.groupby(found, key=lambda values: values[: 1 + len(cell)]):
        pairs = list(group)
        if len(pairs) < len(PAIRS):
            continue  # the counts will tell that there are too few rows
        ranks = mid_ranks(pair[-3:] for pair in pairs)
        for number in range(N_ACTIONS):
            scenario = pairs[0][len(cell)]
            yield (*pairs[0][1 : 1 + len(cell)], f"{scenario}/{number}", ranks[number])


TABLES = (
    ExportTable(
        "items",
        "Answered items, attention checks among them",
        Item,
        ITEMS,
        partial(_stream, exports.items),
        exports.item_fates,
        counted_by=("protocol_version", "item_kind"),
    ),
    ExportTable(
        "revisions",
        "Changes of answers; items have the last one",
        Revision,
        REVISIONS,
        partial(_stream, exports.revisions),
        exports.revision_fates,
    ),
    ExportTable(
        "cells",
        "Complete cells: one participant in one scenario",
        Cell,
        CELLS,
        partial(_stream, exports.cells),
        exports.cell_fates,
    ),
    ExportTable(
        "rankings",
        "Ranks of the four actions of a scenario by one participant",
        Item,
        RANKINGS,
        _stream_ranks,
        exports.ranked_cell_fates,
        n_each=N_ACTIONS,
    ),
    ExportTable(
        "participants",
        "Who consented and counts",
        Participant,
        PARTICIPANTS,
        partial(_stream, exports.participants),
        exports.participant_fates,
    ),
    ExportTable(
        "audit",
        "What was done in the study, by whom and why",
        AuditEntry,
        AUDIT,
        partial(_stream, exports.audit_entries),
        exports.audit_fates,
        counted_by=(),
    ),
)


def names_of(study: Study) -> Names:
    """Return what stands for the ids of a study; it grows with people and staff, not answers."""
    words = {word for reason in exports.audit_reasons(study) for word in words_of(reason)}
    return Names(
        study_slug=study.slug,
        actions=exports.action_names(),
        staff=exports.staff_numbers(study),
        flags={
            participant: " ".join(flag.rule for flag in flags)
            for participant, flags in flags_of(study).items()
        },
        platform_ids=exports.platform_ids_among(study, words),
    )
