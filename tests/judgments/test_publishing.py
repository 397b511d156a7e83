"""Results become public when nobody can add to them, and from then on nobody can (0014)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judgments.actions import path, presence
from judgments.actions.path import TooLate
from judgments.actions.staff import exclude_participant
from judgments.actions.studies import WrongState, close_study, publish_results
from judgments.models import Choice, Judgment, Participant, Revision, Study
from judgments.queries.coverage import counted_judgments
from tests.builders import NOW
from tests.judgments.desk import make_staff
from tests.judgments.person import Person
from tests.judgments.studies import (
    HALF,
    answer,
    answer_all,
    consent,
    get_ready,
    join,
    join_ready,
    later,
    make_study,
)
from tests.races import wait_for_a_waiting_query

pytestmark = pytest.mark.django_db
TOO_LATE = "That came too late: it was not stored."


@pytest.fixture
def study():
    return make_study(**HALF)


def finish_scenario(participant, *, now=NOW):
    n_items = participant.items.filter(cell__place=1).count()
    answer_all(participant, range(1, n_items + 1), now=now)


def publish(*, now):
    return publish_results(slug="main", staff=None, now=now)


def test_publication_waits_for_everybody_who_can_still_add_to_the_results(study):
    finish_scenario(join_ready(study))
    excluded = join_ready(study, now=later(hours=10))
    reading = join(study, now=later(hours=12)).participant
    join_ready(study, now=later(hours=13), is_preview=True)
    refused = join(study, now=later(hours=14)).participant
    consent(refused, is_given=False, now=later(hours=14))
    close_study(slug="main", staff=None, now=later(hours=12))

    with pytest.raises(WrongState, match=r"^3 people who began can still go on: until 30 Nov"):
        publish(now=later(hours=12, minutes=30))
    with pytest.raises(WrongState, match="exclude them: results do not wait for who is excluded"):
        publish(now=later(hours=12, minutes=30))
    exclude_participant(
        participant_id=excluded.pk, staff=make_staff(), reason="A test.", now=later(hours=13)
    )
    with pytest.raises(WrongState, match=r"^1 person who began can still go on"):
        publish(now=later(hours=13, minutes=1))  # whoever reads the consent is waited for an hour
    assert reading.hold_until == later(hours=13)
    assert publish(now=later(hours=24, minutes=1)).published_at


def test_a_study_whose_last_person_finished_is_published_at_once(study):
    participant = join_ready(study)
    answer_all(participant, range(1, 31))
    close_study(slug="main", staff=None, now=NOW)
    assert publish(now=NOW).published_at == NOW
    # Who has answered everything fetches the code; that moves no figure.
    done = path.finish(participant_id=participant.pk, now=later(hours=1))
    assert done.completion_code


@pytest.fixture
def people(study):
    """Return one at every step that is left when the results become public."""
    finish_scenario(join_ready(study))
    found = {name: join(study).participant for name in ("consent", "eligibility", "items")}
    consent(found["eligibility"])
    answer(get_ready(found["items"]), 1)
    study.closed_at, study.published_at = later(hours=1), later(hours=1)
    study.save()
    return found


def test_from_publication_on_nobody_goes_on_and_what_was_answered_is_kept(study, people):
    before = list(counted_judgments(study).order_by("pk").values())
    now = later(hours=2)
    ready = {"participant_id": people["eligibility"].pk, "now": now}
    with pytest.raises(TooLate):
        consent(people["consent"], now=now)
    with pytest.raises(TooLate):
        path.answer_eligibility(is_eligible=True, **ready)
    with pytest.raises(TooLate):
        path.read_instructions(**ready)
    with pytest.raises(TooLate):
        path.answer_comprehension(number=1, answers={}, **ready)
    with pytest.raises(TooLate):
        answer(people["items"], 2, now=now)
    with pytest.raises(TooLate):  # the last answer cannot be changed any more either
        answer(people["items"], 1, Choice.RIGHT, now=now)
    assert list(counted_judgments(study).order_by("pk").values()) == before
    assert not Revision.objects.exists()


def sign_in(study, participant, **headers) -> Person:
    """Give the participant a browser, by a personal link of a form that was sent before."""
    person = Person(study, Client(headers=headers))
    session = person.client.session
    session[f"participant:{study.pk}"] = {"id": str(participant.pk), "epoch": 0}
    session.save()
    return person


@pytest.mark.parametrize(
    ("language", "heading", "kept", "late"),
    [
        ("en", "This study is over", "The answers that you gave are kept", TOO_LATE),
        ("zh-CN", "本研究已经结束", "您给出的回答会保留", "未能保存。"),
    ],
)
def test_their_page_says_so_and_links_the_results(study, people, language, heading, kept, late):
    for participant in people.values():
        person = sign_in(study, participant, accept_language=language)
        page = person.get()
        assert person.heading == heading
        assert kept in page
        assert f'href="/study/{study.pk}/results/"' in page
    page = person.post(step="item", position=2, choice="left")
    assert (person.heading, late in page) == (heading, True)
    assert Judgment.objects.filter(participant=people["items"]).count() == 1
    last = person.client.get(reverse("judgments:last-answer", args=[study.pk]))
    assert last.status_code == 303


def test_staff_can_still_look_at_a_study_whose_results_are_public(study, people):
    preview = join(study, is_preview=True, now=later(hours=2)).participant
    get_ready(preview, now=later(hours=2))
    answer(preview, 1, now=later(hours=2))
    assert preview.judgments.count() == 1


def test_a_place_that_is_lost_comes_back_by_no_change_of_an_answer(study):
    participant = join_ready(study)
    answer(participant, 1)
    with pytest.raises(TooLate):
        answer(participant, 1, Choice.RIGHT, now=later(hours=25))
    participant.refresh_from_db()
    assert (participant.last_seen_at, Revision.objects.count()) == (NOW, 0)
    assert participant.judgments.get().choice == Choice.LEFT


@pytest.mark.django_db(transaction=True)
def test_an_answer_and_the_publication_in_the_same_moment_do_not_miss_each_other():
    study = make_study(**HALF)
    finish_scenario(join_ready(study))
    participant = join(study).participant
    consent(participant)
    Study.objects.update(closed_at=NOW)
    now = later(days=2)

    def in_a_thread(work):
        def run():
            try:
                return work()
            except (TooLate, WrongState) as refusal:
                return refusal
            finally:
                connection.close()

        return run

    with ThreadPoolExecutor(1) as pool:
        # The publication has looked and is about to be written down: the answer waits, and is late.
        with transaction.atomic():
            list(study.participants.select_for_update())
            Study.objects.update(published_at=now)
            work = pool.submit(
                in_a_thread(
                    lambda: path.answer_eligibility(
                        participant_id=participant.pk, is_eligible=True, now=now
                    )
                )
            )
            wait_for_a_waiting_query(work)
        assert isinstance(work.result(), TooLate)
        assert Participant.objects.get(pk=participant.pk).is_eligible is None

        # The answer is being stored: the publication waits, and finds somebody in the middle.
        Study.objects.update(published_at=None)
        with transaction.atomic():
            presence.keep_place(presence.lock(participant.pk), now=now)
            work = pool.submit(in_a_thread(lambda: publish(now=now)))
            wait_for_a_waiting_query(work)
        assert isinstance(work.result(), WrongState)
    assert Study.objects.get().published_at is None


def test_the_page_for_staff_says_for_whom_the_results_wait(study):
    ada = Client()
    ada.force_login(make_staff())
    participant = join_ready(study, now=timezone.now())
    finish_scenario(participant, now=timezone.now())
    Study.objects.update(closed_at=timezone.now())
    page = " ".join(ada.get("/staff/studies/main/").content.decode().split())
    assert "Not yet: 1 person who began can still go on, until" in page
    assert "Publish the results" not in page
    gone = timezone.now() - timedelta(hours=25)
    Participant.objects.update(last_seen_at=gone, hold_until=gone)
    assert "Publish the results" in ada.get("/staff/studies/main/").content.decode()
