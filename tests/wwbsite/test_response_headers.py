"""What every reply carries, refusals and files included, and what production adds."""

import pytest
from django.core.cache import cache
from django.test import Client

from tests.builders import make_task

pytestmark = pytest.mark.django_db

PRODUCTION = {
    "SECURE_SSL_REDIRECT": True,
    "SECURE_HSTS_SECONDS": 31_536_000,
    "SESSION_COOKIE_SECURE": True,
    "CSRF_COOKIE_SECURE": True,
}
REPLIES = [
    ("get", "/", {}, 200),
    ("get", "/catalog", {}, 301),
    ("get", "/no-such-page/", {}, 404),
    ("get", "/static/css/site.css", {}, 200),
    ("get", "/admin/", {}, 302),
    ("get", "/admin/login/", {}, 200),
    ("get", "/admin/?q=%00", {}, 400),
    ("get", "/", {"Host": "evil.example"}, 400),
    ("post", "/", {"Transfer-Encoding": "chunked"}, 411),
    ("get", "/episodes/start/", {}, 405),
    ("post", "/episodes/start/", {}, 403),
    ("get", "/api/v1/tasks/", {}, 200),
    ("get", "/api/v1/episodes/", {}, 401),
    ("get", "/api/nowhere/", {}, 404),
    ("get", "/api/v1/schema/", {}, 200),
]


@pytest.mark.parametrize(("method", "path", "headers", "status"), REPLIES)
def test_every_reply_has_the_policy_and_no_script_of_its_own(method, path, headers, status):
    client = Client(enforce_csrf_checks=True)
    response = getattr(client, method)(path, headers=headers)
    response.close()  # it may be a file
    assert response.status_code == status
    policy = response["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_fault_of_ours_has_the_policy_too(monkeypatch):
    monkeypatch.setattr("wwbsite.pages.render", lambda *_: 1 / 0)
    response = Client(raise_request_exception=False).get("/study/")
    assert response.status_code == 500
    assert "default-src 'self'" in response["Content-Security-Policy"]


def test_in_production_plain_http_is_redirected_under_the_policy(settings):
    for name, value in PRODUCTION.items():
        setattr(settings, name, value)
    response = Client().get("/catalog/?q=nile")
    assert response.status_code == 301
    assert response["Location"] == "https://testserver/catalog/?q=nile"
    assert "Content-Security-Policy" in response
    assert Client().get("/healthz").status_code == 200


def test_in_production_cookies_are_secure_and_browsers_keep_to_tls(settings):
    for name, value in PRODUCTION.items():
        setattr(settings, name, value)
    make_task()
    client = Client()
    form = {"task": "nile", "budget": 2, "view": "full"}
    response = client.get("/episodes/", secure=True)
    client.post("/episodes/start/", form, secure=True, headers={"Referer": "https://testserver/"})
    assert "max-age=31536000" in response["Strict-Transport-Security"]
    assert {name: cookie["secure"] for name, cookie in client.cookies.items()} == {
        "csrftoken": True,
        "sessionid": True,
    }


@pytest.mark.parametrize("path", ["/episodes/", "/players/", "/admin/login/"])
def test_no_cache_keeps_a_page_that_is_somebodys_own(path):
    cache.clear()
    assert "no-store" in Client().get(path)["Cache-Control"]
