"""Logging in as staff, and what the staff pages do with addresses that nobody typed."""

import pytest
from axes.models import AccessAttempt
from django.test import Client

from tests.builders import make_task

pytestmark = pytest.mark.django_db

LOGIN = "/admin/login/"


@pytest.mark.parametrize("name", ["x" * 151, "x" * 100_000, "nul\0"])
def test_a_name_that_no_user_can_have_is_refused_and_not_stored(client, name):
    response = client.post(LOGIN, {"username": name, "password": "x"})
    assert response.status_code == 200
    assert not AccessAttempt.objects.exists()


def test_after_five_failures_even_the_right_password_is_refused(client, admin_user):
    for _ in range(5):
        client.post(LOGIN, {"username": "admin", "password": "wrong"})
    response = client.post(LOGIN, {"username": "admin", "password": "password"})
    assert response.status_code == 429
    assert client.get("/admin/").status_code == 302


def _is_locked_out(address):
    form = {"username": "admin", "password": "password"}
    reply = Client(headers={"X-Forwarded-For": address}).post(LOGIN, form)
    return reply.status_code == 429


def test_without_a_proxy_a_forged_address_escapes_no_lock(admin_user):
    for host in range(5):
        headers = {"X-Forwarded-For": f"192.0.2.{host}"}
        Client(headers=headers).post(LOGIN, {"username": "admin", "password": "wrong"})
    assert _is_locked_out("192.0.2.9")


def test_behind_the_proxy_a_guesser_locks_only_their_own_address(settings, admin_user):
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"NUM_PROXIES": 1}
    for _ in range(5):
        headers = {"X-Forwarded-For": "192.0.2.1"}
        Client(headers=headers).post(LOGIN, {"username": "admin", "password": "wrong"})
    assert _is_locked_out("192.0.2.1")
    assert not _is_locked_out("192.0.2.2")


@pytest.mark.parametrize("address", ["//evil.example", "https://evil.example/", "javascript:alert"])
def test_a_login_never_leads_to_another_site(client, admin_user, address):
    form = {"username": "admin", "password": "password", "next": address}
    response = client.post(f"{LOGIN}?next={address}", form)
    assert response["Location"] == "/admin/"


def test_a_login_changes_the_session_and_keeps_the_persons_episodes(client, admin_user):
    make_task()
    client.post("/episodes/start/", {"task": "nile", "budget": 2, "view": "full"})
    before = client.cookies["sessionid"].value
    client.post(LOGIN, {"username": "admin", "password": "password"})
    assert client.cookies["sessionid"].value != before
    assert client.get("/episodes/").context["own"].count() == 1
    old = Client()
    old.cookies["sessionid"] = before
    assert old.get("/admin/").status_code == 302


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(client, admin_user):
    client.get("/episodes/")
    client.post(LOGIN, {"username": "admin", "password": "password"})
    for name in ("csrftoken", "sessionid"):
        cookie = client.cookies[name]
        assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


@pytest.mark.parametrize(
    "path",
    [
        "catalog/task/?source__family=%00",
        "catalog/source/%00/change/",
        "episodes/episode/?state=%00",
        "episodes/episode/?q=%00",
    ],
)
def test_nul_in_an_address_of_the_staff_pages_is_400(admin_client, path):
    response = admin_client.get(f"/admin/{path}")
    assert response.status_code == 400
    assert "This request could not be read" in response.content.decode()


@pytest.mark.parametrize(
    "query", ["measurements__utility__gt=0.5", "prediction__table__contains=1"]
)
def test_staff_cannot_search_the_ledger_for_utilities(admin_client, query):
    assert admin_client.get(f"/admin/episodes/episode/?{query}").status_code == 400
