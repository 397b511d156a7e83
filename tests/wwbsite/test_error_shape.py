"""The one shape of an error, {"error": {"code", "message", "details"}}: owned by this file."""

import json
import re
from base64 import b64encode
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.test import Client

from tests.api_client import Api, api_of, refusal
from tests.builders import make_task

pytestmark = pytest.mark.django_db


def assert_shape(response: Any) -> None:
    assert response["Content-Type"] == "application/json"
    body = response.json()
    assert list(body) == ["error"]
    assert list(body["error"]) == ["code", "message", "details"]
    assert isinstance(body["error"]["details"], dict)
    assert re.fullmatch("[a-z0-9_]+", body["error"]["code"])
    assert body["error"]["message"]


def _cursor(position: str) -> str:
    """Return a cursor of DRF's form that we did not make."""
    return quote(b64encode(position.encode()))


def start(api: Api, body: object, **options: Any) -> Any:
    return api.post("episodes/", body, **options)


@pytest.fixture
def api():
    make_task()
    return api_of()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "invalid_request"),
        (b"{", 400, "invalid_json"),
        (b"{'task': 'nile'}", 400, "invalid_json"),
        (b'{"task": "nile"} {}', 400, "invalid_json"),
        (b'{"task": "nile", "budget": ' + b"9" * 5000 + b"}", 400, "invalid_json"),
        (b"[" * 50_000, 400, "invalid_json"),
        (b'{"task": ' + b"[" * 900 + b"]" * 900 + b"}", 400, "invalid_json"),
        (b'{"\\ud800": 1, "\\ud800": 2}', 400, "invalid_text"),
        (b'{"task": "\xff"}', 400, "invalid_utf8"),
        (b"\xef\xbb\xbf{}", 400, "invalid_json"),
        (b"[]", 400, "not_an_object"),
        (b'"nile"', 400, "not_an_object"),
        (b"null", 400, "not_an_object"),
        (b'{"task": "ni\\u0000le", "budget": 8}', 400, "invalid_text"),
        (b'{"task": "\\ud800", "budget": 8}', 400, "invalid_text"),
        (b'{"task": "nile", "budget": 8, "budget": 9}', 400, "invalid_request"),
        (b'{"task": "nile", "budget": NaN}', 400, "invalid_request"),
        (b'{"task": "nile", "budget": 1e400}', 400, "invalid_request"),
        (b"{}" + b" " * settings.DATA_UPLOAD_MAX_MEMORY_SIZE, 413, "body_too_large"),
    ],
)
def test_a_body_that_is_no_small_json_object_is_refused(api, body, status, code):
    response = start(api, body)
    assert refusal(response) == (status, code)
    assert_shape(response)


def test_a_field_sent_twice_is_named(api):
    response = start(api, b'{"task": "nile", "budget": 8, "budget": 9}')
    assert response.json()["error"]["details"] == {"budget": ["was sent twice"]}


def test_every_missing_field_is_named(api):
    response = start(api, {})
    assert sorted(response.json()["error"]["details"]) == ["budget", "task"]


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""],
)
def test_another_content_type_is_415(api, content_type):
    response = start(api, {"task": "nile", "budget": 8}, content_type=content_type)
    assert refusal(response) == (415, "unsupported_media_type")
    assert_shape(response)


def test_the_charset_may_be_said(api):
    body = {"task": "nile", "budget": 8}
    assert start(api, body, content_type="application/json; charset=utf-8").status_code == 201


def test_a_body_in_chunks_is_411_and_not_taken_for_an_empty_one(api):
    response = start(api, {"task": "nile", "budget": 8}, Transfer_Encoding="chunked")
    assert refusal(response) == (411, "length_required")
    assert_shape(response)


def test_another_method_is_405_with_those_allowed(api):
    response = Client().delete("/api/v1/episodes/", headers={"Authorization": f"Bearer {api.key}"})
    assert refusal(response) == (405, "method_not_allowed")
    assert response["Allow"] == "GET, POST, HEAD, OPTIONS"
    assert_shape(response)


@pytest.mark.parametrize(
    "path", ["v1/nowhere/", "v1/episodes", "v1/episodes/7/", "v2/", "v1/tasks/%00/"]
)
@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
def test_a_path_without_a_door_is_404_for_every_method(path, method):
    response = getattr(Client(enforce_csrf_checks=True), method)(f"/api/{path}")
    assert refusal(response) == (404, "not_found")
    assert_shape(response)


@pytest.mark.parametrize(
    ("path", "cursor"),
    [
        ("episodes/", "nonsense"),
        ("episodes/", _cursor("p=yesterday")),
        ("episodes/", _cursor("o=-1")),
        ("tasks/", _cursor("p=%00")),
    ],
)
def test_a_cursor_that_we_never_gave_out_names_no_page(api, path, cursor):
    response = api.get(f"{path}?cursor={cursor}")
    assert refusal(response) == (404, "not_found")
    assert_shape(response)


def test_refused_keys_and_domain_refusals_have_the_shape_too(api):
    episode = api.start(budget=0)
    for response in (
        Api().get("episodes/"),
        Api("nonsense").get("episodes/"),
        api.buy(episode["id"], ["0001"]),
        api.buy(episode["id"], ["x"]),
        api.submit(episode["id"], {}),
        api.get("tasks/atlantis/"),
    ):
        assert response.status_code in {401, 402, 404, 422}
        assert_shape(response)


def test_a_host_that_is_not_ours_is_400_in_the_shape():
    response = Client().get("/api/v1/tasks/", headers={"Host": "evil.example"})
    assert refusal(response) == (400, "bad_request")
    assert_shape(response)


def test_a_fault_of_ours_is_500_in_the_shape_and_tells_no_detail(api, monkeypatch):
    def fail(**_):
        raise RuntimeError("secret detail")

    monkeypatch.setattr("episodes.actions.ledger.start_episode", fail)
    client = Client(raise_request_exception=False)
    response = client.post(
        "/api/v1/episodes/",
        json.dumps({"task": "nile", "budget": 8}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {api.key}"},
    )
    assert refusal(response) == (500, "server_error")
    assert_shape(response)
    assert "secret" not in response.content.decode()
