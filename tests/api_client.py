"""A program's view of the API: JSON in, JSON out, one key."""

import json
from dataclasses import dataclass
from typing import Any

from django.test import Client

from tests.builders import make_agent, make_key


@dataclass(frozen=True)
class Api:
    """Sends requests as one agent, or as nobody without a key."""

    key: str | None = None

    def get(self, path: str, **headers: str) -> Any:
        return Client().get(f"/api/v1/{path}", headers=self._headers(headers))

    def post(
        self, path: str, body: object, *, content_type: str = "application/json", **headers: str
    ) -> Any:
        """Send `body`: bytes as they are, anything else as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return Client().post(
            f"/api/v1/{path}", data, content_type=content_type, headers=self._headers(headers)
        )

    def start(self, *, task: str = "nile", budget: int = 8, view: str = "full") -> Any:
        """Return the reply body of a new episode."""
        response = self.post("episodes/", {"task": task, "budget": budget, "view": view})
        assert response.status_code == 201, response.content
        return response.json()

    def buy(self, episode_id: object, masks: object, **headers: str) -> Any:
        return self.post(f"episodes/{episode_id}/measurements/", {"masks": masks}, **headers)

    def submit(self, episode_id: object, predictions: object) -> Any:
        return self.post(f"episodes/{episode_id}/prediction/", {"predictions": predictions})

    def _headers(self, headers: dict[str, str]) -> dict[str, str]:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return {"Authorization": f"Bearer {self.key}", **names} if self.key else names


def api_of(agent_name: str = "walker") -> Api:
    """Return the API as a new agent sees it."""
    return Api(make_key(make_agent(agent_name)))


def refusal(response: Any) -> tuple[int, str]:
    """Return (status, code) of a refused request."""
    return response.status_code, response.json()["error"]["code"]
