"""Who may see which page of a running study, and what is not there."""

from uuid import uuid4

import pytest
from django.urls import reverse

from tests.judgments.desk import address
from tests.judgments.played import finished
from tests.judgments.studies import make_study

pytestmark = pytest.mark.django_db


def test_assistants_watch_and_do_nothing_else(study, assistant, client):
    participant = finished(study)
    for name, *arguments in (("monitor",), ("audit",), ("person", participant.pk)):
        assert assistant.get(address(name, study, *arguments)).status_code == 200
    for name, *arguments in (
        ("recruitment",),
        ("exclude", participant.pk),
        ("undo", participant.pk),
    ):
        for method in (assistant.get, assistant.post):
            assert method(address(name, study, *arguments)).status_code == 403
    for name, *arguments in (("monitor",), ("audit",), ("person", participant.pk)):
        assert client.get(address(name, study, *arguments)).status_code == 302


def test_what_is_not_there_is_404(study, desk):
    other = make_study("other", n_per_domain=3)
    participant = finished(other)
    for url in (
        address("person", study, uuid4()),
        address("person", study, participant.pk),
        address("exclude", study, participant.pk),
        reverse("study-desk:monitor", args=["nowhere"]),
        reverse("study-desk:audit", args=["nowhere"]),
    ):
        assert desk.get(url).status_code == 404
    assert desk.post(address("note", study, uuid4()), {"text": "x"}).status_code == 404
