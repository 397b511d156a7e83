"""Many people at once: copies of one, made by the database, where only their number matters."""

from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Max, Model

from judgments.models import (
    Cell,
    ComprehensionAttempt,
    Consent,
    Item,
    Judgment,
    Participant,
)

PERSON = "md5(%(seed)s || copy.number)::uuid"


def copy_person(person: Participant, n: int) -> None:
    """Add n people who saw and answered what this one did; ids follow the last ones in order."""
    cells, items = _offset(Cell), _offset(Item)
    cell_id = f"{cells} + copy.number * %(n_cells)s + place"
    item_id = f"{items} + copy.number * %(n_items)s + item.position"
    parameters: dict[str, str | int | UUID] = {
        "person": person.pk,
        "seed": f"{person.pk}-{items}-",
        "n": n,
        "n_cells": person.cells.count() + 1,
        "n_items": person.items.count() + 1,
    }
    item_of_judgment = "JOIN judgments_item AS item ON item.id = original.item_id"
    places = "JOIN judgments_cell AS cell ON cell.id = original.cell_id"
    with connection.cursor() as cursor:
        for model, changes, join in (
            (
                Participant,
                {
                    "id": PERSON,
                    "token_sha256": f"md5({PERSON}::text)",
                    "platform_pid": "NULL",
                    "completion_code": "NULL",
                    "joined_at": "joined_at + copy.number * interval '1 second'",
                },
                "",
            ),
            (Consent, {"participant_id": PERSON}, ""),
            (ComprehensionAttempt, {"participant_id": PERSON, "id": ""}, ""),
            (Cell, {"participant_id": PERSON, "id": cell_id}, ""),
            (
                Item,
                {
                    "participant_id": PERSON,
                    "id": item_id.replace("item.", "original."),
                    "cell_id": cell_id.replace("place", "cell.place"),
                    "repeat_of_id": f"{items} + copy.number * %(n_items)s + first.position",
                },
                f"{places} LEFT JOIN judgments_item AS first ON first.id = original.repeat_of_id",
            ),
            (Judgment, {"participant_id": PERSON, "item_id": item_id}, item_of_judgment),
        ):
            cursor.execute(_copy(model, changes, join), parameters)
        cursor.execute("ANALYZE")


def _offset(model: type[Model]) -> int:
    last: int | None = model.objects.aggregate(last=Max("pk"))["last"]  # type: ignore[attr-defined]
    return last or 0


def _copy(model: Any, changes: dict[str, str], join: str) -> str:
    columns = [field.column for field in model._meta.concrete_fields]
    values = {column: changes.get(column, f"original.{column}") for column in columns}
    # An empty value is left to the table.
    kept = {column: value for column, value in values.items() if value}
    own = "original.id" if model is Participant else "original.participant_id"
    return (
        f"INSERT INTO {model._meta.db_table} ({', '.join(kept)}) "
        f"SELECT {', '.join(kept.values())} FROM {model._meta.db_table} AS original {join} "
        f"CROSS JOIN generate_series(1, %(n)s) AS copy (number) WHERE {own} = %(person)s"
    )
