"""What the database refuses, whoever asks."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Q

from judgments.actions import audit
from judgments.models import (
    AuditEntry,
    Cell,
    Choice,
    DeletionReceipt,
    Item,
    Judgment,
    Participant,
    ProtocolVersion,
)
from tests.builders import NOW
from tests.judgments.studies import answer, join_ready, later

pytestmark = pytest.mark.django_db


@pytest.fixture
def participant(study):
    return join_ready(study)


@pytest.mark.parametrize("model", [AuditEntry, DeletionReceipt, ProtocolVersion])
@pytest.mark.parametrize("deed", ["UPDATE", "DELETE"])
def test_logs_receipts_and_protocols_are_only_ever_added_to(study, model, deed):
    audit.record("something", study=study, now=NOW)
    DeletionReceipt.objects.create(study=study, deleted_at=NOW, n_judgments=1)
    rows = model._default_manager.filter(study=study)
    assert rows.exists()
    change = {
        "UPDATE": lambda: rows.update(study=study),
        "DELETE": lambda: rows._raw_delete(using="default"),
    }
    with pytest.raises(IntegrityError, match=f"{deed} of judgments_.* only ever added to"):
        change[deed]()


def test_what_was_drawn_at_join_stays(participant):
    items = Item.objects.filter(participant=participant, position=1)
    item = items.get()
    for change in ({"left": item.right, "right": item.left}, {"position": 99}):
        with pytest.raises(IntegrityError, match="drawn at join"), transaction.atomic():
            items.update(**change)
    items.update(shown_at=NOW)
    with pytest.raises(IntegrityError, match="drawn at join"), transaction.atomic():
        items.update(shown_at=later(minutes=1))


def test_an_item_has_one_judgment(participant):
    answer(participant, 1)
    row = Judgment.objects.values().get()
    with pytest.raises(IntegrityError):
        Judgment.objects.bulk_create([Judgment(**row)])


def test_nobody_can_hold_the_answer_to_somebody_elses_item(study, participant):
    other = join_ready(study)
    row = answer(participant, 1).judgment
    row.item = other.items.get(position=1)
    row.participant = participant
    row.save(force_insert=True)
    with pytest.raises(IntegrityError, match="judgment_of_own_item"), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_an_item_belongs_to_a_cell_of_the_same_person(study, participant):
    other = join_ready(study)
    item = participant.items.get(position=1)
    item.pk, item.position, item.cell = None, 99, Cell.objects.filter(participant=other)[0]
    item.save()
    with pytest.raises(IntegrityError, match="item_in_own_cell"), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (Participant, {"completion_code": "ABC"}),  # before the debrief
        (Cell, {"code": 5}),  # before it is complete
        (Cell, {"completed_at": NOW}),  # without a word on its use
        (Cell, {"orientation": 64}),
        (Judgment, {"chosen": None}),
        (Judgment, {"choice": Choice.EQUAL}),
    ],
    ids=lambda value: str(value),
)
def test_impossible_states_are_refused(participant, model, change):
    answer(participant, 1)
    with pytest.raises(IntegrityError):
        model._default_manager.filter(participant_of(model, participant)).update(**change)


def participant_of(model, participant):
    return Q(pk=participant.pk) if model is Participant else Q(participant=participant)
