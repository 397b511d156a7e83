"""The progress page of the numerical players renews itself."""

import pytest

from episodes.models import PlayerJob
from tests.builders import NOW, make_task
from tests.players import make_job

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_table_follows_the_jobs_without_a_reload_until_all_are_done(open_page):
    make_job(make_task())
    page = open_page()
    asked = []
    page.on("request", lambda request: asked.append(request.headers.get("hx-request")))
    page.goto("/players/")
    assert page.get_by_role("cell", name="queued").is_visible()

    PlayerJob.objects.update(state="done", finished_at=NOW)
    page.get_by_role("cell", name="done").wait_for()
    assert page.get_by_role("heading", name="Budget 8, full view: done").is_visible()

    n_asked = asked.count("true")
    page.wait_for_timeout(2500)  # longer than one interval
    assert asked.count("true") == n_asked >= 1
