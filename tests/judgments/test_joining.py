"""join_study: what is drawn is stored, once a person, and only what counts is counted."""

import random
from collections import Counter, defaultdict
from dataclasses import replace
from functools import partial

import pytest
from django.db.models import F

from catalog.proposals import FOIL_NUMBER
from judgments.actions import path, staff
from judgments.actions.joining import PidBlocked, StudyNotOpen, join_study
from judgments.assignment import ItemKind, Material, assign
from judgments.links import digest
from judgments.models import (
    AuditEntry,
    Cell,
    Item,
    Participant,
    ProtocolVersion,
)
from judgments.queries.coverage import coverage, served_orientations
from judgments.queries.participants import (
    ParticipantNotFound,
    find_by_link,
    find_by_session,
)
from tests.builders import NOW
from tests.judgments.studies import (
    PROTOCOL,
    SMALLEST,
    answer_all,
    consent,
    get_ready,
    join,
    join_ready,
    later,
    make_study,
)

pytestmark = pytest.mark.django_db


def counts(study, *, now=NOW) -> Counter[int]:
    protocol = ProtocolVersion.objects.get(study=study)
    return Counter(coverage(study, protocol.definition["scenarios"], now=now).values())


def test_what_is_stored_is_what_the_seed_draws():
    study = make_study()
    joined = join_study(study_slug=study.pk, seed=77, now=NOW)
    material = [
        Material(slug, slug.rpartition("-")[0], (), (0, 1, 2, 3), gold=0, foil=FOIL_NUMBER)
        for slug in ProtocolVersion.objects.get().definition["scenarios"]
    ]
    drawn = assign(material, quotas=PROTOCOL.quotas, checks=PROTOCOL.checks, rng=random.Random(77))
    cells = Cell.objects.order_by("place").values_list("scenario", "place", "orientation")
    assert list(cells) == [(cell.slug, cell.place, cell.orientation) for cell in drawn.cells]
    stored = Item.objects.order_by("position").values_list(
        "position",
        "cell__scenario",
        "kind",
        "left__number",
        "right__number",
        "expected__number",
        "repeat_of__position",
    )
    assert list(stored) == [
        (i.position, i.slug, i.kind, i.left, i.right, i.expected, i.repeat_of) for i in drawn.items
    ]
    assert joined.participant.seed == 77
    assert Item.objects.exclude(left__scenario=F("cell__scenario")).count() == 0


def test_18_people_cover_24_scenarios_three_times_and_36_twice():
    study = make_study()
    for _ in range(18):
        join(study)
    assert counts(study) == {3: 24, 2: 36}


def test_what_was_given_out_is_listed_the_oldest_first():
    """Whose complement is drawn next follows from this order: without it no draw can be redone."""
    study = make_study(**SMALLEST)
    for minute in range(6):
        join(study, now=later(minutes=minute))
    given: dict[str, tuple[int, ...]] = defaultdict(tuple)
    for slug, orientation in Cell.objects.order_by("participant__joined_at").values_list(
        "scenario", "orientation"
    ):
        given[slug] += (orientation,)
    assert served_orientations(study, now=later(minutes=6)) == given


def test_previews_and_excluded_people_do_not_count(django_user_model):
    study = make_study()
    admin = django_user_model.objects.create_user("ada")
    join(study, is_preview=True)
    excluded = join(study).participant
    staff.exclude_participant(
        participant_id=excluded.pk, staff=admin, reason="Is my colleague.", now=NOW
    )
    assert counts(study) == {0: 60}
    for _ in range(18):
        join(study)
    assert counts(study) == {3: 24, 2: 36}


def test_a_preview_can_look_at_a_study_before_it_opens_and_nobody_else():
    study = make_study(opened_at=None)
    assert join(study, is_preview=True).participant.items.count() == 60
    with pytest.raises(StudyNotOpen):
        join(study)


def test_a_closed_or_unknown_study_is_not_joined():
    study = make_study()
    study.closed_at = NOW
    study.save()
    with pytest.raises(StudyNotOpen):
        join(study)
    with pytest.raises(StudyNotOpen):
        join_study(study_slug="nowhere", seed=1, now=NOW)
    assert not Participant.objects.exists()


def test_a_hold_that_runs_out_frees_its_scenarios():
    study = make_study()
    join(study)
    assert counts(study, now=later(minutes=59)) == {0: 52, 1: 8}
    assert counts(study, now=later(minutes=60)) == {0: 60}


def test_complete_cells_of_somebody_who_stopped_still_count():
    study = make_study()
    participant = join_ready(study)
    position = participant.items.filter(cell__place=1).order_by("position").last().position
    answer_all(participant, range(1, position + 1))
    assert counts(study, now=later(days=2)) == {0: 59, 1: 1}


def test_the_same_person_comes_back_to_the_same_items_whatever_the_spelling():
    study = make_study()
    first = join(study, pid="5f3C ab")
    again = join(study, pid=" 5F3cab ", now=later(minutes=5))
    assert again.participant == first.participant
    assert again.token is None
    assert Participant.objects.count() == 1
    assert Item.objects.count() == 60
    assert AuditEntry.objects.filter(event="joined_again").count() == 1


def test_who_comes_back_late_gets_the_old_place_and_the_gap_is_written_down():
    study = make_study()
    join(study, pid="x")
    join(study, pid="x", now=later(hours=3))
    assert counts(study, now=later(hours=3, minutes=30)) == {0: 52, 1: 8}
    assert AuditEntry.objects.get(event="participant_returned").details == {"gap_seconds": 10800}


def test_the_same_person_in_another_study_is_another_participation():
    first, second = make_study("one"), make_study("two")
    assert join(first, pid="x").participant != join(second, pid="x").participant


def test_people_without_a_platform_id_are_all_different():
    study = make_study()
    assert join(study).participant != join(study).participant


@pytest.mark.parametrize("spelling", ["blocked1", " BLOCKED1", "Blocked 1"])
def test_a_blocked_person_is_refused_in_any_spelling(spelling):
    study = make_study()
    study.blocked_pids.create(platform_pid="blocked1")
    with pytest.raises(PidBlocked):
        join(study, pid=spelling)
    assert not Participant.objects.exists()


def test_the_link_is_stored_as_its_digest_only_and_opens_its_study_only():
    study, other = make_study("one"), make_study("two")
    joined = join(study)
    link = joined.token or ""
    assert joined.participant.token_sha256 == digest(link)
    assert link not in str(Participant.objects.values().get())
    assert find_by_link(study_slug="one", token=link) == joined.participant
    for slug, token in ((other.pk, link), ("one", link[:-1])):
        with pytest.raises(ParticipantNotFound):
            find_by_link(study_slug=slug, token=token)


def test_a_session_opens_its_own_study_only_and_ends_at_hand_over():
    study = make_study("one")
    make_study("two")
    participant = join(study).participant
    find = partial(find_by_session, participant_id=participant.pk, epoch=participant.session_epoch)
    assert find(study_slug="one") == participant
    with pytest.raises(ParticipantNotFound):
        find(study_slug="two")
    path.hand_over(participant_id=participant.pk, now=NOW)
    with pytest.raises(ParticipantNotFound):
        find(study_slug="one")


def test_a_new_protocol_version_is_for_newcomers_only():
    study = make_study()
    before = join(study, pid="x").participant
    protocol = replace(
        PROTOCOL, scenarios=tuple(before.protocol.definition["scenarios"]), hold_seconds=60
    )
    study.closed_at = NOW
    study.save()
    version = staff.publish_protocol(study=study, protocol=protocol, staff=None, now=NOW)
    assert version.number == 2
    study.closed_at = None
    study.save()
    assert join(study).participant.protocol == version
    assert join(study, pid="x").participant.protocol == before.protocol
    same = staff.publish_protocol(study=study, protocol=protocol, staff=None, now=NOW)
    assert same == version


@pytest.mark.parametrize("is_given", [True, False])
def test_a_refusal_frees_the_place_at_once(is_given):
    study = make_study()
    consent(join(study).participant, is_given=is_given)
    assert counts(study) == ({0: 52, 1: 8} if is_given else {0: 60})


def test_each_person_has_checks_among_the_items():
    study = make_study()
    participant = get_ready(join(study).participant)
    kinds = Counter(participant.items.values_list("kind", flat=True))
    assert kinds == {
        ItemKind.JUDGMENT: 48,
        ItemKind.INSTRUCTED: 4,
        ItemKind.DOMINATED: 4,
        ItemKind.REPEAT: 4,
    }


def test_dropouts_previews_and_exclusions_leave_the_coverage_even(django_user_model):
    """Case C25: 18 finish, 6 drop out at random points, 5 are previews, 2 are excluded."""
    study = make_study()
    ada, chance = django_user_model.objects.create_user("ada"), random.Random(25)
    arrivals = ["drops"] * 6 + ["preview"] * 5 + ["excluded"] * 2 + ["finishes"] * 12
    chance.shuffle(arrivals)
    n_left_behind = 0
    for hour, what in enumerate([*arrivals, *["finishes"] * 6]):
        now = later(hours=2 * hour)  # by then the hold of who dropped out has ended
        participant = join(study, now=now, is_preview=what == "preview").participant
        n_complete = chance.randrange(8) if what == "drops" else 8
        n_left_behind += n_complete if what == "drops" else 0
        participant.cells.filter(place__lte=n_complete).update(completed_at=now, is_usable=True)
        if what == "excluded":
            staff.exclude_participant(
                participant_id=participant.pk, staff=ada, reason="Is a colleague.", now=now
            )
    slugs = study.protocols.get().definition["scenarios"]
    covered = coverage(study, slugs, now=later(days=9))
    assert sum(covered.values()) == 18 * 8 + n_left_behind
    assert max(covered.values()) - min(covered.values()) <= 1
