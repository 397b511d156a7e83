"""The published contract: a change of the API shows as a change of openapi.json.

After a wanted change, write the reply of /api/v1/schema/ into it, indented by four.
"""

import json
from pathlib import Path

import pytest
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from tests.api_client import Api

SNAPSHOT = Path(__file__).parent / "openapi.json"


@pytest.fixture
def schema(db):
    return Api().get("schema/").json()


def test_the_schema_is_the_one_in_the_snapshot(schema):
    assert schema == json.loads(SNAPSHOT.read_text())


def test_the_schema_is_valid_openapi_and_was_made_without_a_warning(schema):
    validate_schema(schema)
    assert not GENERATOR_STATS


def test_every_refusal_has_the_one_error_shape(schema):
    refusals = [
        reply["content"]["application/json"]["schema"]
        for path in schema["paths"].values()
        for operation in path.values()
        for status, reply in operation["responses"].items()
        if status >= "400"
    ]
    assert len(refusals) > 10
    assert all(refusal == {"$ref": "#/components/schemas/Error"} for refusal in refusals)


def test_the_idempotency_key_is_described_as_one_to_reuse(schema):
    operation = schema["paths"]["/api/v1/episodes/{episode_id}/measurements/"]["post"]
    header = next(p for p in operation["parameters"] if p["name"] == "Idempotency-Key")
    assert "REUSE the same key" in header["description"]
    assert "unique" not in header["description"]


@pytest.mark.django_db
def test_the_schema_is_read_without_a_key():
    assert Client().get("/api/v1/schema/").status_code == 200
