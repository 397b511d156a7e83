"""The OpenAPI document of the API."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.views import SpectacularJSONAPIView

from wwbsite.api import AgentKeyAuthentication

schema_view = SpectacularJSONAPIView.as_view()


class AgentKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes a key."""

    target_class = AgentKeyAuthentication
    name = "agentKey"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the OpenAPI security scheme."""
        return {"type": "http", "scheme": "bearer", "description": "An agent's key: `wwb_...`."}


_ERROR_SCHEMA = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "details"],
            "properties": {
                "code": {"type": "string", "description": "For programs; stays the same."},
                "message": {"type": "string", "description": "For people; may be reworded."},
                "details": {"type": "object"},
            },
        }
    },
}


def close_bodies(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Say of every request body that it has no other fields (drf-spectacular hook)."""
    schemas = result["components"]["schemas"]
    for path in result["paths"].values():
        for operation in path.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                name = content["schema"]["$ref"].rpartition("/")[2]
                schemas[name]["additionalProperties"] = False
    return result


def describe_errors(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Give every operation of the schema its refusals in the one shape (drf-spectacular hook)."""
    result["components"]["schemas"]["Error"] = _ERROR_SCHEMA
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for path in result["paths"].values():
        for operation in path.values():
            refusals = _common_refusals(operation) | {
                status: reply["description"]
                for status, reply in operation["responses"].items()
                if status >= "400"
            }
            for status, description in sorted(refusals.items()):
                operation["responses"][status] = {"description": description, "content": content}
    return result


def _common_refusals(operation: Mapping[str, Any]) -> dict[str, str]:
    """Return the refusals that the operation shares with its like: {status: description}."""
    refusals = {
        "400": "`invalid_request`: `details` names the fields",
        "401": "`invalid_key`, `revoked_key`, `expired_key`, `inactive_agent`",
        "429": "`throttled`: come back after `Retry-After` seconds",
        "503": "`database_away`: come back after `Retry-After` seconds",
    }
    if {} not in operation.get("security", []):
        refusals["401"] = f"`not_authenticated`, {refusals['401']}"
        refusals["403"] = "`missing_scope`"
    if any(parameter["name"] == "cursor" for parameter in operation.get("parameters", [])):
        refusals["404"] = "`not_found`: the cursor is none of ours"
    if "requestBody" in operation:
        refusals["400"] += "; or the body is no JSON object in UTF-8"
        refusals["413"] = "`body_too_large`"
        refusals["415"] = "`unsupported_media_type`: send `Content-Type: application/json`"
    return refusals
