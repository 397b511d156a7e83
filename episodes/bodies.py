"""What every request body of the API is: its own fields and no others."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers


class RequestBody(serializers.Serializer[dict[str, Any]]):
    """Refuses fields that it does not know: a misspelt one would otherwise take its default."""

    def to_internal_value(self, data: Mapping[str, Any]) -> Any:  # noqa: ANN401 - the base's type
        """Return the values, or name every unknown field."""
        if unknown := sorted(set(data) - set(self.fields)):
            known = ", ".join(self.fields)
            raise serializers.ValidationError(
                {name: [f"is not a field of this request; they are: {known}"] for name in unknown}
            )
        return super().to_internal_value(data)
