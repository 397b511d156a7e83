"""Somebody who walks a study's pages over HTTP, for tests of what they see."""

import re
from html import unescape

from django.test import Client
from django.urls import reverse

from judgments.models import Participant, Study

PLATFORM = {"PROLIFIC_PID": "5f3c", "STUDY_ID": "S1", "SESSION_ID": "x9"}


def open_landing(client: Client, study: Study, **query: str) -> dict[str, str]:
    """Return what the Begin form of the landing page would send."""
    page = client.get(reverse("judgments:study", args=[study.pk]), query).content.decode()
    return dict(re.findall(r'name="(\w+)"\s+value="([^"]*)"', page))


def press_begin(study: Study, client: Client | None = None, **query: str):
    """Open the landing page and press Begin; return the reply."""
    client = client or Client()
    form = open_landing(client, study, **query)
    return client.post(reverse("judgments:begin", args=[study.pk]), form)


class Person:
    """Somebody with a browser: follows redirects, fills in the form that is shown."""

    def __init__(self, study, client: Client | None = None) -> None:
        self.study = study
        self.client = client or Client()
        self.url = reverse("judgments:study", args=[study.pk])
        self.page = ""

    def get(self, **query: str) -> str:
        return self._read(self.client.get(self.url, query, follow=True))

    def post(self, action: str = "study", **data: object) -> str:
        url = reverse(f"judgments:{action}", args=[self.study.pk])
        return self._read(self.client.post(url, data, follow=True))

    def begin(self, **platform: str) -> str:
        return self.post("begin", **open_landing(self.client, self.study, **platform) | platform)

    def get_ready(self, **platform: str) -> str:
        self.begin(**platform)
        self.post(step="consent", answer="yes")
        self.post(step="eligibility", answer="yes")
        self.post(step="instructions")
        return self.post(step="comprehension", number=1, task="more-informative")

    def answer(self, choice: str = "left") -> str:
        """Answer the item that is shown; go on first where a break is."""
        if "Time for a break" in self.page:
            self.post(step="break", after_place=self.hidden("after_place"))
        return self.post(step="item", position=self.hidden("position"), choice=choice)

    def finish(self) -> str:
        while "All answers are saved" not in self.heading:
            self.answer()
        return self.post(step="debrief")

    def hidden(self, name: str) -> str:
        return re.search(rf'name="{name}"\s+value="([^"]*)"', self.page)[1]

    @property
    def heading(self) -> str:
        return unescape(re.search(r"<h1[^>]*>(.*?)</h1>", self.page, re.DOTALL)[1]).strip()

    @property
    def participant(self) -> Participant:
        session = self.client.session[f"participant:{self.study.pk}"]
        return Participant.objects.get(pk=session["id"])

    def _read(self, response) -> str:
        assert response.status_code in {200, 422}, response.status_code
        self.page = response.content.decode()
        return self.page
