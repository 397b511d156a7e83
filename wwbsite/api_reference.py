"""The API reference: an OpenAPI document flattened into rows that a template can print."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Span:
    """A piece of a sentence: plain words, or what stood between backticks."""

    text: str
    is_code: bool


@dataclass(frozen=True)
class Field:
    """One value that goes in or comes out; the name of a nested one has dots."""

    name: str
    kind: str
    is_required: bool
    description: tuple[Span, ...]
    place: str = ""


@dataclass(frozen=True)
class Reply:
    """One status an operation may answer with."""

    status: str
    phrase: str
    is_refusal: bool
    description: tuple[Span, ...]
    fields: tuple[Field, ...]
    example: str


@dataclass(frozen=True)
class Operation:
    """One method on one path."""

    anchor: str
    method: str
    path: str
    summary: str
    description: tuple[Span, ...]
    parameters: tuple[Field, ...]
    request_fields: tuple[Field, ...]
    request_example: str
    replies: tuple[Reply, ...]


def operations(document: Schema) -> tuple[Operation, ...]:
    """Return every operation of an OpenAPI document, in its order."""
    return tuple(
        _operation(document, path, method, body)
        for path, methods in document["paths"].items()
        for method, body in methods.items()
    )


def _operation(document: Schema, path: str, method: str, body: Schema) -> Operation:
    summary, _, rest = body.get("description", "").strip().partition("\n")
    if "summary" in body:
        summary, rest = body["summary"], body.get("description", "")
    content = body.get("requestBody", {}).get("content", {})
    return Operation(
        anchor=body["operationId"],
        method=method.upper(),
        path=path,
        summary=summary.rstrip("."),
        description=_spans(rest),
        parameters=tuple(
            Field(
                name=parameter["name"],
                kind=_kind(document, parameter["schema"]),
                is_required=parameter.get("required", False),
                description=_spans(parameter.get("description", "")),
                place=parameter["in"],
            )
            for parameter in body.get("parameters", [])
        ),
        request_fields=tuple(_fields_of_content(document, content)),
        request_example=_example(content),
        replies=tuple(
            _reply(document, status, reply) for status, reply in body["responses"].items()
        ),
    )


def _reply(document: Schema, status: str, reply: Schema) -> Reply:
    content = reply.get("content", {})
    return Reply(
        status=status,
        phrase=HTTPStatus(int(status)).phrase,
        is_refusal=status >= "400",
        description=_spans(reply.get("description", "")),
        fields=tuple(_fields_of_content(document, content)),
        example=_example(content),
    )


def _fields_of_content(document: Schema, content: Schema) -> Iterator[Field]:
    for media in content.values():
        yield from _fields(document, media.get("schema", {}), prefix="")
        return  # the API speaks JSON only; a second media type would repeat the first


def _fields(document: Schema, schema: Schema, prefix: str) -> Iterator[Field]:
    schema = _resolved(document, schema)
    if schema.get("type") == "array":
        yield from _fields(document, schema["items"], f"{prefix}[].")
        return
    required = schema.get("required", [])
    for name, part in schema.get("properties", {}).items():
        resolved = _resolved(document, part)
        yield Field(
            name=f"{prefix}{name}",
            kind=_kind(document, part),
            is_required=name in required,
            description=_spans(part.get("description") or resolved.get("description", "")),
        )
        items = resolved.get("items", {}) if resolved.get("type") == "array" else resolved
        nested_prefix = f"{prefix}{name}[]." if items is not resolved else f"{prefix}{name}."
        yield from _fields(document, items, nested_prefix)


def _kind(document: Schema, schema: Schema) -> str:
    schema = _resolved(document, schema)
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(document, schema['items'])}"
    if isinstance(values := schema.get("additionalProperties"), Mapping) and values:
        return f"object of {_kind(document, values)}"
    kind = str(schema.get("format") or schema.get("type", "any JSON"))
    bounds = [
        f"{sign} {schema[bound]}"
        for bound, sign in (("minimum", "≥"), ("maximum", "≤"))
        if bound in schema
    ]
    return ", ".join([kind, *bounds]) + (" or null" if schema.get("nullable") else "")


def _resolved(document: Schema, schema: Schema) -> Schema:
    """Follow `$ref`, also through the one-part `allOf` that carries a description beside it."""
    if len(parts := schema.get("allOf", [])) == 1:
        return _resolved(document, parts[0])
    if "$ref" not in schema:
        return schema
    target: Any = document
    for key in schema["$ref"].removeprefix("#/").split("/"):
        target = target[key]
    return _resolved(document, target)


def _spans(text: str) -> tuple[Span, ...]:
    """Split at backticks; drop the list of choices that drf-spectacular adds, `kind` has them."""
    words = "" if text.startswith("* `") else text.partition("\n\n* `")[0]
    return tuple(
        Span(part, is_code=position % 2 == 1)
        for position, part in enumerate(words.strip().split("`"))
        if part
    )


def _example(content: Schema) -> str:
    for media in content.values():
        for example in media.get("examples", {}).values():
            return json.dumps(example["value"], indent=2)
    return ""
