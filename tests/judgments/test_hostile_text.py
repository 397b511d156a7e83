"""Case C50 for studies: what participants and staff write is text on every page that shows it."""

from html.parser import HTMLParser

import pytest
from django.urls import reverse

from judgments.actions import path
from judgments.actions.judging import record_judgment, show_item
from judgments.actions.staff import exclude_participant
from judgments.actions.watching import add_note
from judgments.models import AuditEntry, Choice, Exclusion, Judgment, Participant, StaffNote, Study
from tests.builders import NOW
from tests.judgments.desk import log_in
from tests.judgments.studies import SMALLEST, answer_all, get_ready, join, make_study

pytestmark = pytest.mark.django_db

HOSTILE = (
    "<svg onload=window.hacked=1>",
    '"><img src=x onerror=window.hacked=1>',
    "</title></textarea><script>window.hacked=1</script>",
    "[x](javascript:window.hacked=1)",
    "\N{RIGHT-TO-LEFT OVERRIDE}daolno gvs",
)
TEXT = " ".join([*HOSTILE, "M" * 100])


class Reader(HTMLParser):
    """Collects what a browser would run, and what it would show."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.programs: list[str] = []
        self.shown = ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.programs.append(tag)
        for name, value in given.items():
            if name.startswith("on") or value.strip().lower().startswith("javascript:"):
                self.programs.append(f"{tag} {name}={value}")
        self.shown += given.get("value", "")

    def handle_data(self, data):
        self.shown += data


@pytest.fixture
def study():
    texts = {name: {"en": TEXT} for name in ("introduction", "eligibility", "debrief", "contact")}
    study = make_study(
        offers_comment=True, texts=texts, consent={"en": TEXT}, **SMALLEST | {"breaks_after": ()}
    )
    Study.objects.update(title=TEXT[:120])
    return study


@pytest.fixture
def person(study, admin_user):
    joined = join(study, pid=HOSTILE[0])
    person = get_ready(joined.participant)
    show_item(participant_id=person.pk, position=1, now=NOW)
    record_judgment(participant_id=person.pk, position=1, choice=Choice.LEFT, comment=TEXT, now=NOW)
    add_note(participant_id=person.pk, staff=admin_user, text=TEXT, now=NOW)
    exclude_participant(participant_id=person.pk, staff=admin_user, reason=TEXT, now=NOW)
    return joined


def desk_pages(study: Study, person: Participant) -> list[str]:
    of_study = (
        "study",
        "monitor",
        "audit",
        "protocol",
        "edit",
        "settings",
        "recruitment",
        "export",
    )
    pages = [reverse(f"study-desk:{name}", args=[study.pk]) for name in of_study]
    pages += [
        reverse(f"study-desk:{name}", args=[study.pk, person.pk]) for name in ("person", "undo")
    ]
    for model in (Study, Participant, Judgment, StaffNote, Exclusion, AuditEntry):
        name = f"admin:judgments_{model._meta.model_name}"
        row = model._default_manager.latest("pk")
        pages += [reverse(f"{name}_changelist"), reverse(f"{name}_change", args=[row.pk])]
    return [reverse("study-desk:list"), *pages]


def test_staff_read_as_text_what_anybody_wrote(study, person, admin_user):
    browser, shown = log_in(admin_user), {}
    for address in desk_pages(study, person.participant):
        response = browser.get(address)
        assert response.status_code == 200, address
        reader = Reader(response.content.decode())
        assert reader.programs == [], address
        shown[address] = reader.shown
    written = shown[reverse("study-desk:person", args=[study.pk, person.participant.pk])]
    assert [text for text in HOSTILE if text not in written] == []


def test_participants_read_as_text_what_staff_and_they_wrote(study, person, client):
    home = reverse("judgments:study", args=[study.pk])
    seen = [client.get(home)]
    client.get(reverse("judgments:personal-link", args=[study.pk, person.token]))
    seen += [
        client.get(reverse(f"judgments:{name}", args=[study.pk]))
        for name in ("leave", "last-answer")
    ]
    answer_all(person.participant, range(2, 16))
    seen.append(client.get(home))
    path.finish(participant_id=person.participant.pk, closing_comment=TEXT, now=NOW)
    seen.append(client.get(home))
    for response in seen:
        assert response.status_code == 200
        assert Reader(response.content.decode()).programs == []
    for response in seen[:4]:
        shown = Reader(response.content.decode()).shown
        assert [text for text in HOSTILE if text not in shown] == []
