"""What an export reads: rows in a total order, and what became of every row of a study.

Rows are found by who counts and what is complete. Fates are told row by row over everything that
is stored. The two do not use each other, so an export in which they disagree is wrong.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from django.db import connection, transaction
from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)

from catalog.models import Action
from judgments.assignment import ItemKind
from judgments.links import normalise_pid
from judgments.models import (
    AuditEntry,
    Cell,
    ComprehensionAttempt,
    Consent,
    Item,
    Participant,
    ParticipantKind,
    Revision,
    Study,
)
from judgments.queries.checks import check_counts
from judgments.queries.participants import counted_participants, exclusions_in_force

READ_ROWS = 2000


class Fate(StrEnum):
    """What became of a row in an export: in it, or left out for the first reason that applies."""

    EXPORTED = "exported"
    WITHDRAWN = "withdrawn"
    PREVIEW = "preview"
    EXCLUDED = "excluded"
    NO_CONSENT = "no-consent"
    INCOMPLETE = "incomplete"
    UNUSABLE = "unusable"


FATE_WORDS = {
    Fate.EXPORTED: "in the file",
    Fate.WITHDRAWN: "withdrawn: left and erased, as receipts say",
    Fate.PREVIEW: "previews by staff",
    Fate.EXCLUDED: "excluded by staff",
    Fate.NO_CONSENT: "without consent",
    Fate.INCOMPLETE: "not answered or not complete",
    Fate.UNUSABLE: "with a pair that could not be judged",
}


@contextmanager
def snapshot() -> Iterator[None]:
    """Let every read inside see the same moment, and none write."""
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def exported_participants(study: Study) -> QuerySet[Participant]:
    """Return who is in exports: who counts for results and has consented."""
    return counted_participants(study).filter(consent__is_given=True)


def stream(rows: QuerySet[Any], *paths: str) -> Iterator[tuple[Any, ...]]:
    """Yield the values of the rows from a cursor of the database, a few thousand at a time."""
    return rows.values_list(*paths).iterator(chunk_size=READ_ROWS)


def participants(study: Study) -> QuerySet[Participant]:
    """Return the people of an export, with sums over what they answered."""
    attempts = ComprehensionAttempt.objects.filter(participant=OuterRef("pk"))
    return (
        exported_participants(study)
        .annotate(
            passed_comprehension=Exists(attempts.filter(is_passed=True)),
            n_comprehension_attempts=Subquery(attempts.order_by("-number").values("number")[:1]),
            n_judgments=Count(
                "items", filter=Q(items__judgment__isnull=False, items__kind=ItemKind.JUDGMENT)
            ),
            active_ms=Sum("items__judgment__active_ms"),
            **check_counts("items__"),
        )
        .order_by("joined_at", "pk")
    )


def items(study: Study) -> QuerySet[Item]:
    """Return the answered items of an export, person by person as they were shown."""
    return (
        Item.objects.filter(participant__in=exported_participants(study), judgment__isnull=False)
        .annotate(
            n_revisions=Subquery(
                Revision.objects.filter(judgment=OuterRef("pk"))
                .order_by()
                .values("judgment")
                .annotate(n=Count("pk"))
                .values("n")
            )
        )
        .order_by("participant__joined_at", "participant", "position")
    )


def revisions(study: Study) -> QuerySet[Revision]:
    """Return the changes of answers."""
    return Revision.objects.filter(judgment__participant__in=exported_participants(study)).order_by(
        "judgment__participant__joined_at",
        "judgment__participant",
        "judgment__item__position",
        "pk",
    )


def cells(study: Study) -> QuerySet[Cell]:
    """Return the complete cells."""
    return Cell.objects.filter(
        participant__in=exported_participants(study), completed_at__isnull=False
    ).order_by("participant__joined_at", "participant", "place")


def ranked_items(study: Study) -> QuerySet[Item]:
    """Return the six pairs of every usable cell, cell by cell."""
    return Item.objects.filter(
        cell__in=cells(study).filter(is_usable=True).order_by(), kind=ItemKind.JUDGMENT
    ).order_by("participant__joined_at", "participant", "cell__place", "position")


def audit_entries(study: Study) -> QuerySet[AuditEntry]:
    """Return the entries of an export; `exported_participant` is who may be named there.

    What staff did about somebody excluded stays, without the pseudonym.
    """
    named = exported_participants(study).filter(pk=OuterRef("participant_id"))
    people = Participant.objects.filter(study=study).exclude(kind=ParticipantKind.PREVIEW)
    excluded = Exists(exclusions_in_force("participant_id").filter(participant__in=people))
    return (
        AuditEntry.objects.filter(study=study)
        .annotate(exported_participant=Subquery(named.order_by().values("pk")))
        .filter(
            Q(participant_id__isnull=True)
            | Q(exported_participant__isnull=False)
            | Q(excluded, staff__isnull=False)
        )
        .order_by("pk")
    )


def action_names() -> dict[int, str]:
    """Return every action as scenario/number."""
    actions = Action.objects.values_list("pk", "scenario", "number")
    return {pk: f"{scenario}/{number}" for pk, scenario, number in actions}


def staff_numbers(study: Study) -> dict[int, int]:
    """Return a number for everybody of staff in the log, in the order of their first deed."""
    firsts = (
        study.audit_entries.filter(staff__isnull=False)
        .order_by()
        .values("staff")
        .annotate(first=Min("pk"))
        .order_by("first")
    )
    return {
        staff: number for number, (staff, _) in enumerate(firsts.values_list("staff", "first"), 1)
    }


def platform_ids_among(study: Study, words: Iterable[str]) -> set[str]:
    """Return which of the words are platform ids of this study."""
    asked = {normalise_pid(word) for word in words}
    known = Participant.objects.filter(study=study, platform_pid__in=asked)
    blocked = study.blocked_pids.filter(platform_pid__in=asked)
    return {
        *known.values_list("platform_pid", flat=True),  # type: ignore[arg-type]  # not NULL: asked
        *blocked.values_list("platform_pid", flat=True),
    }


def audit_reasons(study: Study) -> QuerySet[AuditEntry, str]:
    """Return the reasons that staff wrote."""
    return study.audit_entries.exclude(reason="").values_list("reason", flat=True)


Fates = Counter[tuple[Any, ...]]


def participant_fates(study: Study) -> Fates:
    """Return how many people have each fate, by protocol version."""
    return _fates(Participant.objects.filter(study=study), "", "protocol__number")


def item_fates(study: Study) -> Fates:
    """Return how many items that were drawn have each fate, by protocol version and kind."""
    return _fates(
        Item.objects.filter(participant__study=study),
        "participant__",
        "participant__protocol__number",
        "kind",
        incomplete=Q(judgment__isnull=True),
    )


def revision_fates(study: Study) -> Fates:
    """Return how many changes of answers have each fate, by protocol version."""
    return _fates(
        Revision.objects.filter(judgment__participant__study=study),
        "judgment__participant__",
        "judgment__participant__protocol__number",
    )


def cell_fates(study: Study) -> Fates:
    """Return how many cells have each fate, by protocol version."""
    return _fates(
        Cell.objects.filter(participant__study=study),
        "participant__",
        "participant__protocol__number",
        incomplete=Q(completed_at__isnull=True),
    )


def ranked_cell_fates(study: Study) -> Fates:
    """Return how many cells have ranks, by protocol version, and why the others have none."""
    return _fates(
        Cell.objects.filter(participant__study=study),
        "participant__",
        "participant__protocol__number",
        incomplete=Q(completed_at__isnull=True),
        unusable=Q(is_usable=False),
    )


def audit_fates(study: Study) -> Fates:
    """Return how many entries of the log have each fate."""
    person = Participant.objects.filter(pk=OuterRef("participant_id"))
    whens = [
        When(participant_id__isnull=True, then=Value(Fate.EXPORTED)),
        When(~Exists(person), then=Value(Fate.WITHDRAWN)),
        When(Exists(person.filter(kind=ParticipantKind.PREVIEW)), then=Value(Fate.PREVIEW)),
        When(
            Exists(exclusions_in_force("participant_id")),
            then=Case(
                When(staff__isnull=True, then=Value(Fate.EXCLUDED)), default=Value(Fate.EXPORTED)
            ),
        ),
        When(~Exists(_consents("participant_id")), then=Value(Fate.NO_CONSENT)),
    ]
    return _counted(AuditEntry.objects.filter(study=study), whens)


def withdrawals(study: Study) -> tuple[int, int]:
    """Return how many people left and were erased, and how many answers they had given."""
    total = study.receipts.aggregate(n=Count("pk"), n_answers=Sum("n_judgments"))
    return total["n"], total["n_answers"] or 0


def protocol_versions(study: Study) -> list[dict[str, Any]]:
    """Return the versions of the protocol, the first one first."""
    versions = study.protocols.order_by("number")
    return [dict(one) for one in versions.values("number", "sha256", "created_at")]


def participant_kinds(study: Study) -> dict[str, int]:
    """Return how many exported participants are people, and how many robots."""
    counts = exported_participants(study).order_by().values("kind").annotate(n=Count("pk"))
    return dict(counts.order_by("kind").values_list("kind", "n"))


def _consents(participant: str) -> QuerySet[Consent]:
    return Consent.objects.filter(participant=OuterRef(participant), is_given=True)


def _fates(
    rows: QuerySet[Any],
    person: str,
    *keys: str,
    incomplete: Q | None = None,
    unusable: Q | None = None,
) -> Fates:
    """Count rows by fate and keys; `person` is the path to the participant."""
    path = f"{person}pk"
    whens = [
        When(**{f"{person}kind": ParticipantKind.PREVIEW}, then=Value(Fate.PREVIEW)),
        When(Exists(exclusions_in_force(path)), then=Value(Fate.EXCLUDED)),
        When(~Exists(_consents(path)), then=Value(Fate.NO_CONSENT)),
    ]
    whens += [
        When(condition, then=Value(fate))
        for condition, fate in ((incomplete, Fate.INCOMPLETE), (unusable, Fate.UNUSABLE))
        if condition is not None
    ]
    return _counted(rows, whens, *keys)


def _counted(rows: QuerySet[Any], whens: list[When], *keys: str) -> Fates:
    fate = Case(*whens, default=Value(Fate.EXPORTED), output_field=CharField())
    counts = rows.order_by().annotate(fate=fate).values("fate", *keys).annotate(n=Count("pk"))
    return Counter({tuple(key): n for *key, n in counts.values_list("fate", *keys, "n")})
