"""What staff can do with agents, and what they cannot do to episodes."""

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.utils import timezone

from episodes.actions import ledger
from episodes.models import AgentKey, PlayerJob
from episodes.states import JobState
from scoring.masks import all_masks
from tests.api_client import Api
from tests.builders import NOW, make_agent, make_key, make_task

pytestmark = pytest.mark.django_db

MODELS = ["agent", "agentkey", "episode", "purchase", "measurement", "prediction"]


@pytest.fixture
def closed():
    agent, now = make_agent("walker"), timezone.now()
    episode = ledger.start_episode(agent=agent, task=make_task(), budget=8, view="full", now=now)
    ledger.buy_measurements(agent=agent, episode_id=episode.id, masks=["0001"], now=now)
    table = dict.fromkeys(all_masks(4), 0.5)
    return ledger.submit_prediction(agent=agent, episode_id=episode.id, predictions=table, now=now)


@pytest.fixture
def clerk_client(client):
    """A staff user who may view everything of episodes but sealed utilities."""
    clerk = User.objects.create_user("clerk", is_staff=True)
    clerk.user_permissions.set(
        Permission.objects.filter(
            content_type__app_label="episodes", codename__startswith="view_"
        ).exclude(codename="view_utilities")
    )
    client.force_login(clerk)
    return client


def test_every_list_and_row_opens(admin_client, closed):
    make_key(closed.agent)
    rows = {
        "agent": closed.agent.pk,
        "agentkey": AgentKey.objects.get().pk,
        "episode": closed.pk,
        "purchase": closed.purchases.get().pk,
        "measurement": closed.measurements.get().pk,
        "prediction": closed.pk,
    }
    for model in MODELS:
        assert admin_client.get(f"/admin/episodes/{model}/").status_code == 200
        assert admin_client.get(f"/admin/episodes/{model}/{rows[model]}/change/").status_code == 200


@pytest.mark.parametrize("model", MODELS[2:])
def test_facts_are_neither_added_changed_nor_deleted(admin_client, closed, model):
    pk = {"purchase": closed.purchases.get().pk, "measurement": closed.measurements.get().pk}.get(
        model, closed.pk
    )
    url = f"/admin/episodes/{model}"
    assert admin_client.get(f"{url}/add/").status_code == 403
    assert admin_client.post(f"{url}/{pk}/change/", {"state": "open"}).status_code == 403
    assert admin_client.post(f"{url}/{pk}/delete/", {"post": "yes"}).status_code == 403


def test_issuing_shows_a_working_key_in_this_one_reply_only(admin_client):
    agent = make_agent("walker")
    url = f"/admin/episodes/agent/{agent.pk}/issue-key/"
    form = {"name": "laptop", "scopes": ["episodes:read"], "days": "30"}
    response = admin_client.post(url, form)
    [key] = re.findall(r"wwb_\w{8}_[\w-]{43}", response.content.decode())
    assert "no-store" in response["Cache-Control"]
    assert Api(key).get("episodes/").status_code == 200
    for page in (url, "/admin/episodes/agentkey/", "/admin/"):
        assert key[12:] not in admin_client.get(page).content.decode()


def test_issuing_a_taken_name_says_so_and_issues_nothing(admin_client):
    agent = make_agent("walker")
    make_key(agent, name="laptop")
    form = {"name": "laptop", "scopes": ["episodes:read"], "days": "30"}
    response = admin_client.post(f"/admin/episodes/agent/{agent.pk}/issue-key/", form)
    assert "exists already" in response.content.decode()
    assert AgentKey.objects.count() == 1


def test_issuing_needs_the_permission(clerk_client):
    agent = make_agent("walker")
    url = f"/admin/episodes/agent/{agent.pk}/issue-key/"
    assert clerk_client.post(url, {"name": "x", "days": "1"}).status_code == 403


def test_revoking_in_the_list_ends_a_key_at_once(admin_client):
    key = make_key(make_agent())
    row = AgentKey.objects.get()
    admin_client.post(
        "/admin/episodes/agentkey/", {"action": "revoke", "_selected_action": [row.pk]}
    )
    assert Api(key).get("episodes/").status_code == 401


def test_a_digest_is_not_shown(admin_client):
    make_key(make_agent())
    row = AgentKey.objects.get()
    page = admin_client.get(f"/admin/episodes/agentkey/{row.pk}/change/").content.decode()
    assert row.digest not in page


def test_utilities_need_a_permission_of_their_own(clerk_client, closed):
    assert clerk_client.get("/admin/episodes/episode/").status_code == 200
    assert clerk_client.get("/admin/episodes/measurement/").status_code == 403
    assert clerk_client.get(f"/admin/episodes/prediction/{closed.pk}/change/").status_code == 403


def test_markup_in_an_agents_name_is_shown_as_text(admin_client):
    agent = make_agent("<svg onload=alert(1)>")
    for page in ("", f"{agent.pk}/change/", f"{agent.pk}/issue-key/"):
        text = admin_client.get(f"/admin/episodes/agent/{page}").content.decode()
        assert "<svg onload" not in text
        assert "&lt;svg onload" in text


@pytest.fixture
def jobs():
    """A lost job and a done one of the same method and task, with different seeds."""
    task = make_task()
    return [
        PlayerJob.objects.create(
            method="random_degree2",
            seed=seed,
            task=task,
            budget_credits=4,
            state=state,
            created_at=NOW,
        )
        for seed, state in enumerate((JobState.LOST, JobState.DONE))
    ]


def run_again(client, jobs):
    form = {"action": "run_again", "_selected_action": [job.pk for job in jobs]}
    return client.post("/admin/episodes/playerjob/", form)


def test_a_lost_job_is_run_again_once_and_a_done_one_never(admin_client, jobs):
    for _ in range(2):
        run_again(admin_client, jobs)
    new = PlayerJob.objects.exclude(pk__in=[job.pk for job in jobs]).get()
    assert (new.seed, new.run, new.state, new.budget_credits) == (0, 2, JobState.QUEUED, 4)


def test_jobs_are_looked_at_and_not_changed(admin_client, jobs):
    url = f"/admin/episodes/playerjob/{jobs[0].pk}/change/"
    assert admin_client.get(url).status_code == 200
    assert admin_client.post(url, {"state": "done"}).status_code == 403


def test_running_again_needs_the_permission_to_add_jobs(clerk_client, jobs):
    run_again(clerk_client, jobs)
    assert PlayerJob.objects.count() == 2
