"""The OpenAPI document as rows, and as a page."""

import pytest
from django.core.cache import cache

from wwbsite.api_reference import Field, Span, operations

DOCUMENT = {
    "paths": {
        "/things/": {
            "post": {
                "operationId": "things_create",
                "description": "Make a thing.\nTwice the same `name` makes one thing.",
                "parameters": [
                    {"in": "query", "name": "dry", "schema": {"type": "boolean"}},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/Thing"},
                            "examples": {"One": {"value": {"name": "a"}}},
                        }
                    }
                },
                "responses": {
                    "201": {
                        "description": "",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "array",
                                    "items": {"$ref": "#/components/schemas/Thing"},
                                }
                            }
                        },
                    },
                    "404": {"description": "`not_found`"},
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Thing": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "description": "Unique."},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}},
                    "kind": {
                        "allOf": [{"$ref": "#/components/schemas/Kind"}],
                        "description": "* `x` - x",
                    },
                    "scores": {"type": "object", "additionalProperties": {"type": "number"}},
                },
            },
            "Part": {
                "type": "object",
                "properties": {"size": {"type": "integer", "minimum": 0, "nullable": True}},
            },
            "Kind": {"enum": ["x", "y"]},
        }
    },
}


@pytest.fixture
def operation():
    (found,) = operations(DOCUMENT)
    return found


def test_the_first_line_of_a_description_is_the_summary(operation):
    assert operation.summary == "Make a thing"
    assert (operation.method, operation.path) == ("POST", "/things/")
    assert operation.description == (
        Span("Twice the same ", is_code=False),
        Span("name", is_code=True),
        Span(" makes one thing.", is_code=False),
    )


def test_a_summary_of_its_own_leaves_the_description_whole():
    body = DOCUMENT["paths"]["/things/"]["post"] | {"summary": "Make", "description": "All of it."}
    (found,) = operations(DOCUMENT | {"paths": {"/things/": {"post": body}}})
    assert (found.summary, found.description) == ("Make", (Span("All of it.", is_code=False),))


def test_nested_fields_have_dotted_names_and_their_bounds(operation):
    kinds = {field.name: field.kind for field in operation.request_fields}
    assert kinds == {
        "name": "string",
        "parts": "list of object",
        "parts[].size": "integer, ≥ 0 or null",
        "kind": '"x" | "y"',
        "scores": "object of number",
    }


def test_a_list_of_choices_is_not_repeated_as_a_description(operation):
    described = {field.name: field.description for field in operation.request_fields}
    assert described["kind"] == ()
    assert described["name"] == (Span("Unique.", is_code=False),)


def test_parameters_say_where_they_go(operation):
    assert operation.parameters == (
        Field("dry", "boolean", is_required=False, description=(), place="query"),
    )


def test_replies_are_told_apart_from_refusals(operation):
    created, refused = operation.replies
    assert (created.status, created.phrase, created.is_refusal) == ("201", "Created", False)
    assert created.fields[0].name == "[].name"
    assert (refused.is_refusal, refused.description) == (True, (Span("not_found", is_code=True),))


def test_examples_are_printed_as_json(operation):
    assert operation.request_example == '{\n  "name": "a"\n}'


@pytest.mark.django_db
def test_the_page_has_every_operation_of_the_schema(client):
    cache.clear()
    document = client.get("/api/v1/schema/").json()
    page = client.get("/api/docs/").content.decode()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert f"{method.upper()} {path}" in page
            assert f'id="{operation["operationId"]}"' in page
