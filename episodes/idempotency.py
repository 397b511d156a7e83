"""The header that makes a repeated request find its first reply."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

MAX_KEY_LENGTH = 200
KEY_PATTERN = r"^[!-~]+$"


class KeyHeader(serializers.Serializer[dict[str, Any]]):
    """What a key may be."""

    idempotency_key = serializers.RegexField(
        KEY_PATTERN, max_length=MAX_KEY_LENGTH, required=False, trim_whitespace=False
    )


def idempotency_key(request: Request) -> str | None:
    """Return the request's Idempotency-Key, or None without the header.

    Raises
    ------
    rest_framework.exceptions.ValidationError
        If it is no key.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    sent = KeyHeader(data={"idempotency_key": key})
    sent.is_valid(raise_exception=True)
    return str(sent.validated_data["idempotency_key"])
