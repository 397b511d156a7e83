"""Gunicorn's access log, for whoever switches it on: without secrets too."""

from typing import Any

from gunicorn.glogging import Logger

from wwbsite.request_logs import hide_secrets


class AccessLogger(Logger):  # type: ignore[misc]  # gunicorn is not typed
    """Writes access lines that let nobody in."""

    def atoms(self, *arguments: Any) -> dict[str, Any]:  # noqa: ANN401 (as gunicorn has it)
        """Return what an access line is made of."""
        return {
            name: hide_secrets(value) if isinstance(value, str) else value
            for name, value in super().atoms(*arguments).items()
        }
