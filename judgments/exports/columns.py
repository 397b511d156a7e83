"""How a column of an export is taken from the rows, and described from the models."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Field, Model

from catalog.tabular_files import Cell, Column
from judgments.links import pseudonym
from judgments.redaction import hide_names


@dataclass(frozen=True)
class Names:
    """What stands for ids in the files: pseudonyms, numbers of staff, scenario/number, flags."""

    study_slug: str
    actions: Mapping[int, str] = field(default_factory=dict)
    staff: Mapping[int, int] = field(default_factory=dict)
    flags: Mapping[UUID, str] = field(default_factory=dict)
    platform_ids: Collection[str] = ()


# `Any` is whatever the path of the column leads to.
Convert = Callable[[Names, Any], Cell]


def plain(names: Names, value: Any) -> Cell:  # noqa: ANN401
    """Return the value as it is; an empty text is not known, like in a CSV file."""
    cell: Cell = None if value == "" else value
    return cell


def instant(names: Names, value: datetime | None) -> Cell:
    """Return a time as ISO 8601 in UTC with its offset, always of the same length."""
    return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")


def participant_name(names: Names, value: UUID | None) -> Cell:
    """Return the pseudonym."""
    return None if value is None else pseudonym(names.study_slug, value)


def participant_flags(names: Names, value: UUID) -> Cell:
    """Return the codes of the raised flags, separated by spaces."""
    return names.flags.get(value) or None


def action_name(names: Names, value: int | None) -> Cell:
    """Return an action as scenario/number."""
    return None if value is None else names.actions[value]


def staff_name(names: Names, value: int | None) -> Cell:
    """Return a number for a member of staff."""
    return None if value is None else f"staff-{names.staff[value]}"


def without_names(names: Names, value: str) -> Cell:
    """Return what staff wrote, without addresses and ids of the platform."""
    return hide_names(value, platform_ids=names.platform_ids) or None


def numbers_only(names: Names, value: dict[str, Any]) -> Cell:
    """Return the figures of an entry as JSON; texts could name somebody."""
    figures = {key: one for key, one in value.items() if isinstance(one, int | float)}
    return json.dumps(figures, sort_keys=True) if figures else None


@dataclass(frozen=True)
class Taken:
    """A column, the path of its value from the table's model, and what is made of the value.

    Without a meaning of its own it has the help text of the field.
    """

    name: str
    kind: type[str] | type[int] | type[float] | type[bool]
    path: str
    meaning: str = ""
    convert: Convert = plain
    codes: tuple[str, ...] = ()

    def described(self, model: type[Model]) -> Column:
        """Return the column as files and dictionary describe it, from the field if it has one."""
        found = field_at(model, self.path)
        if found is None:
            return Column(self.name, self.kind, self.meaning, codes=self.codes)
        choices = tuple(str(value) for value, _ in found.flatchoices if self.kind is str)
        return Column(
            self.name,
            self.kind,
            self.meaning or str(found.help_text),
            source=f"{found.model.__name__}.{found.name}",
            codes=self.codes or choices,
        )


def field_at(model: type[Model], path: str) -> "Field[Any, Any] | None":
    """Return the field at the end of a lookup path; None if the query makes the value."""
    found: Any = None
    current: Any = model
    for part in path.split("__"):
        try:
            found = current._meta.get_field(part)
        except FieldDoesNotExist:
            return None
        current = found.related_model
    return found if isinstance(found, Field) else None
