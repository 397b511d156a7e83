"""Staff's pages of the studies: create, change, certify, open, close, publish, look."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from judgments import tasks
from judgments.models import (
    AuditEntry,
    CheckKind,
    CheckStatus,
    LaunchCheck,
    ParticipantKind,
    Study,
)
from judgments.protocol import Protocol
from judgments.protocol_forms import ProtocolForm
from tests.builders import NOW
from tests.judgments.desk import (
    log_in,
    make_assistant,
    make_staff,
    pass_checks,
    typed,
    version_of,
)
from tests.judgments.person import press_begin
from tests.judgments.studies import answer_all, get_ready, join, make_scenarios, make_study
from tests.races import wait_for_a_waiting_query

pytestmark = pytest.mark.django_db
DESK = "/staff/studies/"


@pytest.fixture
def ada():
    return log_in(make_staff())


@pytest.fixture
def study():
    return make_study(n_per_domain=3, opened_at=None)


def words(response) -> str:
    """Return what a page says, in one line."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(unescape(text).split())


def post(client, path: str, **data):
    return client.post(f"{DESK}{path}", data, follow=True)


def test_a_title_and_a_click_make_a_study_that_reproduces_the_source_study(ada):
    make_scenarios(n_per_domain=3)
    reply = post(ada, "new/", title="What would teach more?")
    assert reply.redirect_chain[-1][0] == f"{DESK}what-would-teach-more/"
    study = Study.objects.get()
    definition = version_of(study).definition
    assert (study.is_open, len(definition["scenarios"])) == (False, 9)
    assert definition["quotas"] == [3, 3, 2]
    assert sorted(definition["consent"]) == ["en", "zh-hans"]
    assert AuditEntry.objects.get().staff.username == "ada"
    assert "Not open yet" in words(reply)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"title": ""}, "Title : This field is required"),
        ({"title": "Taken", "slug": "main"}, "There is a study “main” already"),
        ({"title": "New"}, "Write a name of its own"),
        ({"title": "..."}, "Write a name of its own"),
        ({"title": "A", "slug": "a b"}, "Enter a valid “slug”"),
        ({"title": "x" * 121}, "at most 120 characters"),
    ],
    ids=["no title", "taken", "reserved", "no letters", "not a name", "too long"],
)
def test_a_study_that_cannot_be_made_is_refused_and_what_was_typed_stays(ada, study, data, said):
    reply = post(ada, "new/", **data)
    assert reply.status_code == 422
    assert said in words(reply)
    assert data["title"] in unescape(reply.content.decode())
    assert Study.objects.count() == 1


def test_without_scenarios_the_page_says_how_to_bring_them(ada):
    assert "load_scenarios" in words(ada.get(f"{DESK}new/"))


def test_the_list_shows_problems_first_then_what_is_open(ada, study):
    make_study("running")
    make_study("broken", opened_at=None)
    pass_checks(Study.objects.get(pk="broken"))
    LaunchCheck.objects.filter(kind=CheckKind.EXPORT).update(status="failed")
    page = words(ada.get(DESK))
    assert page.index("broken draft export check failed") < page.index("running open nothing")
    assert page.index("running open nothing") < page.index("main draft nothing")


def edit(ada, study, **changes):
    protocol = Protocol.from_definition(version_of(study).definition)
    form = typed(ProtocolForm(protocol=protocol)) | {"based_on": version_of(study).number}
    return post(ada, f"{study.pk}/protocol/edit/", **form | changes)


def test_a_change_is_compared_first_and_saved_as_the_next_version(ada, study):
    compared = edit(ada, study, minutes=20, contact_en="Ask Ada.", compare="1")
    assert "minutes 45 20" in words(compared)
    assert "texts, contact, en – Ask Ada." in words(compared)
    assert "read whether they still say what is true: consent, en; consent, zh-hans" in words(
        compared
    )
    assert study.protocols.count() == 1
    saved = edit(ada, study, minutes=20, save="1")
    assert "Version 2 is the current one" in words(saved)
    assert version_of(study).definition["minutes"] == 20
    page = words(ada.get(f"{DESK}main/protocol/"))
    assert "What version 2 changed Changes Part Before After minutes 45 20" in page


def test_of_two_who_edit_at_once_the_second_is_told_and_undoes_nothing_unseen(ada, study):
    shown = ada.get(f"{DESK}main/protocol/edit/").content.decode()
    assert 'name="based_on" value="1"' in shown
    typed_meanwhile = {"minutes": 30, "based_on": 1}
    edit(ada, study, contact_en="Ask Ada.", save="1")
    for bob_sends in ({}, {"based_on": ""}):
        refused = edit(ada, study, contact_en="", save="1", **typed_meanwhile | bob_sends)
        assert refused.status_code == 409
        assert "Somebody saved another version while you were typing" in words(refused)
        assert 'name="minutes" value="30"' in refused.content.decode()
        assert 'name="based_on" value="2"' in refused.content.decode()
    assert study.protocols.count() == 2
    # Now that the comparison shows that it goes, it may.
    compared = edit(ada, study, minutes=30, contact_en="", compare="1")
    assert "texts, contact, en Ask Ada. –" in words(compared)
    assert "Version 3" in words(edit(ada, study, minutes=30, contact_en="", save="1"))


def test_saving_without_a_change_makes_no_version(ada, study):
    assert "Nothing changed: version 1 stays" in words(edit(ada, study, save="1"))
    assert study.protocols.count() == 1


def test_a_wrong_protocol_is_refused_beside_its_field_and_kept_as_typed(ada, study):
    reply = edit(ada, study, quotas="3 3", save="1")
    assert reply.status_code == 422
    assert "2 quotas for 3 domains" in words(reply)
    assert 'value="3 3"' in reply.content.decode()
    assert study.protocols.count() == 1


def test_editing_a_launched_study_is_warned_of_and_waits_for_its_closing(ada):
    study = make_study(n_per_domain=3)
    join(study)
    page = words(ada.get(f"{DESK}main/protocol/edit/"))
    assert "This study was launched. 1 person has joined." in page
    assert "never pools versions silently" in page
    refused = edit(ada, study, minutes=20, save="1")
    assert refused.status_code == 409
    assert "The study is open. Close it first; what you typed is kept" in words(refused)
    assert 'value="20"' in refused.content.decode()
    post(ada, "main/close/")
    assert "Version 2" in words(edit(ada, study, minutes=20, save="1"))
    assert study.participants.get().protocol.number == 1


def test_opening_is_refused_with_the_list_of_what_is_missing_until_all_four_passed(ada, study):
    refused = words(post(ada, "main/open/"))
    assert (
        "The study was not opened. Missing: design certificate: not run on this version; "
        "robots' rehearsal: not run on this version; leak crawl: not run on this version; "
        "export check: not run on this version." in refused
    )
    pass_checks(study, CheckKind.CERTIFICATE, CheckKind.LEAK_CRAWL, CheckKind.EXPORT)
    assert "1 of four checks stands in the way" in words(ada.get(f"{DESK}main/"))
    assert "Missing: robots' rehearsal" in words(post(ada, "main/open/"))
    pass_checks(study, CheckKind.ROBOTS)
    assert "The study is open" in words(post(ada, "main/open/"))
    assert Study.objects.get().is_open


def test_a_study_is_closed_opened_again_and_published(ada, study):
    pass_checks(study)
    post(ada, "main/open/")
    assert "Nothing was changed. The study is open already" in words(post(ada, "main/open/"))
    assert "Who has begun can finish" in words(post(ada, "main/close/"))
    assert "The study is open" in words(post(ada, "main/open/"))
    assert "Close the study first" in words(post(ada, "main/publish/"))
    now = timezone.now()
    participant = get_ready(join(study, now=now).participant, now=now)
    post(ada, "main/close/")
    assert "Nobody who counts has finished a scenario" in words(post(ada, "main/publish/"))
    answer_all(participant, range(1, participant.items.filter(cell__place=1).count() + 1), now=now)
    refused = words(post(ada, "main/publish/"))
    assert "Nothing was changed. 1 person who began can still go on" in refused
    # A day later, which is the resume rule.
    gone = timezone.now() - timedelta(hours=25)
    study.participants.update(last_seen_at=gone, hold_until=gone)
    assert "The results are public" in words(post(ada, "main/publish/"))
    page = words(ada.get(f"{DESK}main/"))
    assert "Closed for good" in page
    assert "Open again" not in page


def test_a_click_asks_robots_for_a_rehearsal_once(ada, study):
    assert "It takes a minute or two" in words(post(ada, "main/rehearse/"))
    assert "Robots are playing the study already" in words(post(ada, "main/rehearse/"))
    waiting = LaunchCheck.objects.filter(status="running", heard_at=None)
    assert sorted(waiting.values_list("kind", flat=True)) == ["export", "leak-crawl", "robots"]
    entry = AuditEntry.objects.get(event="rehearsal_started")
    assert entry.staff.username == "ada"


def test_a_click_certifies_the_design_and_the_page_shows_planned_against_realised(ada, study):
    page = words(ada.get(f"{DESK}main/certificate/"))
    assert "six at once at most 2 not run" in page
    page = words(post(ada, "main/certificate/run/", n_people=3, seed=7))
    assert "being tried out" in page
    assert "Design certificate running" in page
    check = LaunchCheck.objects.get()
    tasks.certify_design(check_id=check.pk, n_people=3, n_studies=2, seed=7)
    for _ in range(3):
        join(study, is_preview=True)
    page = words(ada.get(f"{DESK}main/certificate/"))
    assert "2 studies of 3 people, 6 in all Seed 7" in page
    assert "half, for everybody 24: 6 people nobody yet" in page
    Study.objects.update(opened_at=NOW)
    for _ in range(3):
        join(study)
    page = words(ada.get(f"{DESK}main/certificate/"))
    assert "half, for everybody 24: 6 people 24: 3 people" in page
    assert "simulated studies of 3 people, seed 7" in words(ada.get(f"{DESK}main/"))


@pytest.mark.parametrize("n_people", ["0", "501", "many", ""])
def test_a_certificate_of_an_impossible_number_of_people_is_refused(ada, study, n_people):
    reply = post(ada, "main/certificate/run/", n_people=n_people)
    assert reply.status_code == 422
    assert not LaunchCheck.objects.exists()


def test_settings_keep_title_platform_id_and_blocked_ids_as_they_are_compared(ada, study):
    make_study("other").platform_study_id = "S1"
    Study.objects.filter(pk="other").update(platform_study_id="S1")
    sent = {"title": "New", "platform_study_id": "S1", "blocked_ids": "AB 1\n\n ab1\nx"}
    reply = post(ada, "main/settings/", **sent)
    assert (reply.status_code, "Another study has this id" in words(reply)) == (422, True)
    post(ada, "main/settings/", **sent | {"platform_study_id": "S2"})
    study.refresh_from_db()
    assert (study.title, study.platform_study_id) == ("New", "S2")
    assert sorted(study.blocked_pids.values_list("platform_pid", flat=True)) == ["ab1", "x"]
    assert AuditEntry.objects.get(event="settings_changed").details == {"n_blocked": 2}
    # The small letters of this one are two: 41 of them are 82 as they are compared.
    for long in ("y" * 81, "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}" * 41):
        reply = post(ada, "main/settings/", title="New", blocked_ids=long)
        assert (reply.status_code, "at most 80 characters" in words(reply)) == (422, True)


@pytest.mark.django_db(transaction=True)
def test_a_platform_id_that_another_study_takes_in_this_moment_is_the_fields_error(ada, study):
    make_study("other")

    def save():
        try:
            return post(ada, "main/settings/", title="New", platform_study_id="S1")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Study.objects.filter(pk="other").update(platform_study_id="S1")
            saving = pool.submit(save)
            wait_for_a_waiting_query(saving)
        reply = saving.result()
    assert (reply.status_code, "Another study has this id" in words(reply)) == (422, True)
    assert Study.objects.get(pk="main").platform_study_id is None


def test_a_certificate_that_no_worker_can_be_told_of_fails_at_once(ada, study, monkeypatch):
    def be_away(**arguments):
        raise OperationalError

    monkeypatch.setattr(tasks.certify_design, "delay", be_away)
    reply = post(ada, "main/certificate/run/", n_people=18)
    assert (reply.status_code, "No worker could be reached" in words(reply)) == (200, True)
    assert LaunchCheck.objects.get().status == CheckStatus.FAILED


DOORS = [
    ("get", "new/"),
    ("get", "main/settings/"),
    ("get", "main/protocol/edit/"),
    ("post", "main/certificate/run/"),
    ("post", "main/rehearse/"),
    ("post", "main/preview/remove/"),
    ("post", "main/open/"),
    ("post", "main/close/"),
    ("post", "main/publish/"),
]


@pytest.mark.parametrize(("method", "path"), DOORS, ids=[path for _, path in DOORS])
def test_an_assistant_watches_and_changes_nothing(study, method, path):
    bob = log_in(make_assistant())
    reply = getattr(bob, method)(f"{DESK}{path}")
    assert reply.status_code == 403
    assert "bob, who may not create, change, open" in words(reply)


def test_an_assistant_reads_state_protocol_and_design_without_buttons(study):
    bob = log_in(make_assistant())
    for path in ("", "main/", "main/protocol/", "main/certificate/", "main/checks/"):
        page = bob.get(f"{DESK}{path}")
        assert page.status_code == 200
        leads = r'(?:action|href)="[^"]*/(?:open|run|edit|new|settings)/"'
        assert not re.search(leads, page.content.decode())


def test_an_unknown_study_is_not_found(ada):
    for path in ("nowhere/", "nowhere/protocol/", "nowhere/protocol/edit/", "nowhere/certificate/"):
        assert ada.get(f"{DESK}{path}").status_code == 404
    for path in ("nowhere/open/", "nowhere/preview/", "nowhere/certificate/run/"):
        assert ada.post(f"{DESK}{path}").status_code == 404


def test_a_preview_walks_the_real_path_marked_on_every_page_and_counts_nowhere(ada, study):
    page = post(ada, "main/preview/")
    assert page.redirect_chain[-1][0] == "/study/main/"
    assert "Your consent" in words(page)
    for data in (
        {"step": "consent", "answer": "yes"},
        {"step": "eligibility", "answer": "yes"},
        {"step": "instructions"},
        {"step": "comprehension", "number": 1, "task": "more-informative"},
        {"step": "item", "position": 1, "choice": "left"},
    ):
        assert "This is a preview" in words(page)
        page = ada.post("/study/main/", data, follow=True)
    assert "Answer saved" in words(page)
    assert "This is a preview" in words(ada.get("/study/main/leave/"))
    assert study.participants.get().kind == ParticipantKind.PREVIEW
    assert "main draft nothing 0 0" in words(ada.get(DESK))


def test_previews_are_repeatable_and_removed_without_a_trace_of_a_person(ada, study):
    first = post(ada, "main/preview/")
    post(ada, "main/preview/")
    assert first.status_code == 200
    assert study.participants.count() == 2
    ada.post("/study/main/leave/delete/")
    assert (study.participants.count(), study.receipts.count()) == (1, 0)
    assert ada.get(DESK).status_code == 200  # still logged in
    assert "1 preview removed" in words(post(ada, "main/preview/remove/"))
    assert not study.participants.exists()


def test_ending_a_preview_leaves_staff_logged_in(ada, study):
    post(ada, "main/preview/")
    ada.post("/study/main/leave/hand-over/")
    assert ada.get(DESK).status_code == 200
    assert "This study is not open" in words(ada.get("/study/main/"))


@pytest.mark.parametrize("way", ["hand-over", "delete"])
def test_leaving_a_preview_that_was_removed_meanwhile_leaves_staff_logged_in(ada, study, way):
    post(ada, "main/preview/")
    post(ada, "main/preview/remove/")
    ada.post(f"/study/main/leave/{way}/")
    ada.post(f"/study/main/leave/{way}/")  # once more, in a second tab
    assert ada.get(DESK).status_code == 200
    # Who takes part in the same browser leaves nothing in it, the login neither.
    Study.objects.update(opened_at=NOW)
    press_begin(study, ada)
    ada.post(f"/study/main/leave/{way}/")
    assert ada.get(DESK).status_code == 302
