"""A study from its creation to the publication of its results."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import structlog
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.dateformat import format as date_format

from catalog.models import Scenario
from judgments.actions import audit
from judgments.assignment import ChecksMisfit, QuotaUnmet, require_playable
from judgments.links import normalise_pid
from judgments.models import Audience, BlockedPid, ParticipantKind, ProtocolVersion, Study
from judgments.protocol import Protocol
from judgments.queries.coverage import counted_cells
from judgments.queries.launch import Missing, current_protocol, missing_checks
from judgments.queries.participants import counted_participants
from judgments.queries.people import Person, awaited_people
from judgments.screen import screen_sha256

log = structlog.get_logger(__name__)


class StudyNotFound(Exception):
    """There is no study of this name."""


class SlugTaken(Exception):
    """There is a study of this name already."""


class PlatformIdTaken(Exception):
    """Another study has this id of the recruitment platform."""


class NotReady(Exception):
    """A study cannot be opened yet: `missing` says which checks do not stand as passed."""

    def __init__(
        self, missing: tuple[Missing, ...] = (), *, reason: str = "it has no protocol"
    ) -> None:
        self.missing = missing
        super().__init__("; ".join(str(one) for one in missing) or reason)


class WrongState(Exception):
    """What was asked for does not follow from how the study stands; the message says why."""


def create_study(
    *,
    slug: str,
    title: str,
    protocol: Protocol,
    staff: User | None,
    now: datetime,
    audience: Audience = Audience.PEOPLE,
    rehearsal_of: Study | None = None,
    staged_for: int | None = None,
) -> Study:
    """Return a new study that is not open, with its first protocol version.

    Raises
    ------
    SlugTaken
    """
    protocol = replace(protocol, screen=screen_sha256())
    with transaction.atomic(durable=True):
        study, is_new = Study.objects.get_or_create(
            slug=slug,
            defaults={
                "title": title,
                "created_at": now,
                "audience": audience,
                "rehearsal_of": rehearsal_of,
                "staged_for_id": staged_for,
            },
        )
        if not is_new:
            raise SlugTaken(slug)
        ProtocolVersion.objects.create(
            study=study,
            number=1,
            definition=protocol.definition(),
            sha256=protocol.sha256,
            created_at=now,
        )
        audit.record("study_created", study=study, staff=staff, now=now)
    log.info("study_created", study=slug, audience=audience)
    return study


def open_study(*, slug: str, staff: User | None, now: datetime) -> Study:
    """Let participants join, from now on.

    People may join only what was checked: of their studies the newest check of each kind on the
    current version must have passed. A study that was closed opens again by the same rule. Robots
    may join whatever can be given out.

    Raises
    ------
    StudyNotFound, NotReady
    WrongState
        If the study is open, or its results are public.
    """
    with transaction.atomic(durable=True):
        study = lock_study(slug)
        if study.is_open:
            raise WrongState("The study is open already.")
        if study.published_at:
            raise WrongState("Its results are public, so nobody can take part any more.")
        version = current_protocol(study)
        if version is None:
            raise NotReady
        is_for_people = study.audience == Audience.PEOPLE
        if missing := missing_checks(version) if is_for_people else ():
            raise NotReady(missing)
        _require_playable(version)
        event = "study_reopened" if study.opened_at else "study_opened"
        study.opened_at = study.opened_at or now
        study.closed_at = None
        study.save(update_fields=["opened_at", "closed_at"])
        audit.record(event, study=study, staff=staff, now=now, version=version.number)
    log.info(event, study=slug, version=version.number)
    return study


def _require_playable(version: ProtocolVersion) -> None:
    protocol = Protocol.from_definition(version.definition)
    domains = Scenario.objects.filter(pk__in=protocol.scenarios).values_list("domain", flat=True)
    try:
        require_playable(domains, quotas=protocol.quotas, checks=protocol.checks)
    except (QuotaUnmet, ChecksMisfit) as error:
        raise NotReady(reason=f"a protocol that can be played: {error}") from error


def close_study(*, slug: str, staff: User | None, now: datetime) -> Study:
    """Let nobody join any more; who has joined can finish, until the results are published.

    Raises
    ------
    StudyNotFound
    WrongState
        If the study is not open.
    """
    with transaction.atomic(durable=True):
        study = lock_study(slug)
        if not study.is_open:
            raise WrongState("The study is not open.")
        study.closed_at = now
        study.save(update_fields=["closed_at"])
        audit.record("study_closed", study=study, staff=staff, now=now)
    log.info("study_closed", study=slug)
    return study


def publish_results(*, slug: str, staff: User | None, now: datetime) -> Study:
    """Show the results of a closed people's study to everybody, for good.

    Raises
    ------
    StudyNotFound
    WrongState
        If robots took part, the study is not closed, nobody finished a scenario, somebody can still
        add to the results, or they are public.
    """
    with transaction.atomic(durable=True):
        study = lock_study(slug)
        if study.audience != Audience.PEOPLE:
            raise WrongState("Robots took part: its results are for staff alone.")
        if study.published_at:
            raise WrongState("Its results are public already.")
        if study.closed_at is None:
            raise WrongState("Close the study first: results would sway who still takes part.")
        if not counted_cells(counted_participants(study)).exists():
            raise WrongState("Nobody who counts has finished a scenario: there is no result.")
        _wait_for_answers(study)
        if awaited := awaited_people(study, now=now):
            raise WrongState(_awaited_words(awaited))
        study.published_at = now
        study.save(update_fields=["published_at"])
        audit.record("results_published", study=study, staff=staff, now=now)
    log.info("results_published", study=slug)
    return study


def _wait_for_answers(study: Study) -> None:
    """Let answers that are being stored end first; later ones find the results public."""
    list(study.participants.select_for_update().order_by("pk").values_list("pk"))


def _awaited_words(people: Sequence[Person]) -> str:
    last = max(person.awaited_until for person in people if person.awaited_until)
    subject = (
        "1 person who began can" if len(people) == 1 else f"{len(people)} people who began can"
    )
    return (
        f"{subject} still go on: until {date_format(last, 'j M Y, H:i')} UTC at most, or longer if "
        "they come back before. Publish when that is over, or exclude them: results do not wait "
        "for who is excluded."
    )


def change_settings(
    *,
    slug: str,
    title: str,
    platform_study_id: str,
    blocked_ids: Iterable[str],
    staff: User | None,
    now: datetime,
) -> Study:
    """Change what no participant's screen depends on; the list of blocked ids is replaced.

    Raises
    ------
    StudyNotFound, PlatformIdTaken
    """
    with transaction.atomic(durable=True):
        study = lock_study(slug)
        study.title, study.platform_study_id = title, platform_study_id or None
        # The unique key decides, also where another study takes the id in the same moment.
        try:
            with transaction.atomic():
                study.save(update_fields=["title", "platform_study_id"])
        except IntegrityError as error:
            raise PlatformIdTaken(platform_study_id) from error
        study.blocked_pids.all().delete()
        pids = sorted({pid for pid in map(normalise_pid, blocked_ids) if pid})
        BlockedPid.objects.bulk_create(BlockedPid(study=study, platform_pid=pid) for pid in pids)
        # The ids lead to people, and the log is never erased.
        audit.record("settings_changed", study=study, staff=staff, now=now, n_blocked=len(pids))
    log.info("settings_changed", study=slug)
    return study


def remove_previews(*, slug: str, staff: User | None, now: datetime) -> int:
    """Delete what staff left behind when they looked at the study; return how many.

    Raises
    ------
    StudyNotFound
    """
    with transaction.atomic(durable=True):
        study = lock_study(slug)
        previews = study.participants.filter(kind=ParticipantKind.PREVIEW)
        n_previews = previews.count()
        previews.delete()
        audit.record("previews_removed", study=study, staff=staff, now=now, n_previews=n_previews)
    log.info("previews_removed", study=slug, n_previews=n_previews)
    return n_previews


def lock_study(slug: str) -> Study:
    """Return the study, whose other changes and joins wait until this transaction ends.

    Raises
    ------
    StudyNotFound
    """
    # Without the key: rows that refer to the study need not wait.
    study = Study.objects.select_for_update(no_key=True).filter(pk=slug).first()
    if study is None:
        raise StudyNotFound(slug)
    return study
