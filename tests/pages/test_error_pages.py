"""What a person reads when something went wrong."""

import re

import pytest
from django.http import Http404
from django.test import Client

from wwbsite import pages


def _id_of(response):
    return re.search(r"<dt>Id to quote</dt>\s*<dd>\s*<code>([0-9a-f-]{36})</code>", response)[1]


@pytest.mark.django_db
def test_a_missing_page_says_what_to_do_and_has_an_id_to_quote(client):
    response = client.get("/no-such-page/")
    assert response.status_code == 404
    page = response.content.decode()
    assert "There is no page at this address" in page
    assert 'href="/catalog/"' in page
    assert _id_of(page)


def test_a_fault_of_ours_is_a_page_with_the_logged_id_and_needs_no_database(monkeypatch, caplog):
    def fail(*_args, **_options):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(pages, "render", fail)
    response = Client(raise_request_exception=False).get("/privacy/")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Something failed on our side" in page
    assert "secret detail" not in page
    logged = [record.msg for record in caplog.records if record.levelname == "ERROR"]
    assert any(_id_of(page) == line["request_id"] for line in logged if isinstance(line, dict))


def test_a_request_that_django_cannot_read_gets_a_page():
    response = Client().get("/study/", headers={"host": "not a host"})
    assert response.status_code == 400
    assert "This request could not be read" in response.content.decode()


@pytest.mark.django_db
def test_a_form_without_its_token_is_refused_with_a_reason():
    response = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "x"})
    assert response.status_code == 403
    assert "This form was not accepted" in response.content.decode()


@pytest.mark.django_db
def test_the_reason_of_a_missing_page_is_not_repeated_to_the_reader(monkeypatch, client):
    def fail(*_args, **_options):
        raise Http404("the private reason")

    monkeypatch.setattr(pages, "render", fail)
    assert "the private reason" not in client.get("/privacy/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("get", "/episodes/start/", "POST"), ("post", "/catalog/", "GET, HEAD")],
)
def test_an_address_asked_in_the_wrong_way_is_a_page_that_leads_on(client, method, path, allowed):
    response = getattr(client, method)(path)
    assert response.status_code == 405
    assert response.headers["Allow"] == allowed
    page = response.content.decode()
    assert "This address cannot be opened like a page" in page
    assert 'href="/episodes/"' in page
    assert _id_of(page)
