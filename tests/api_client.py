"""A program's view of the API: JSON in, JSON out, one key."""

import json
from dataclasses import dataclass

from django.test import Client

from tests.builders import make_agent, make_key


@dataclass(frozen=True)
class Api:
    """Sends requests as one agent, or as nobody without a key."""

    key: str | None = None

    def get(self, path, **headers):
        return Client().get(f"/api/v1/{path}", headers=self._headers(headers))

    def post(self, path, body, *, content_type="application/json", **headers):
        """Send `body`: bytes as they are, anything else as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return Client().post(
            f"/api/v1/{path}", data, content_type=content_type, headers=self._headers(headers)
        )

    def start(self, *, task="nile", budget=8, view="full"):
        """Return the reply body of a new episode."""
        response = self.post("episodes/", {"task": task, "budget": budget, "view": view})
        assert response.status_code == 201, response.content
        return response.json()

    def buy(self, episode_id, masks, **headers):
        return self.post(f"episodes/{episode_id}/measurements/", {"masks": masks}, **headers)

    def submit(self, episode_id, predictions):
        return self.post(f"episodes/{episode_id}/prediction/", {"predictions": predictions})

    def _headers(self, headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return {"Authorization": f"Bearer {self.key}", **names} if self.key else names


def api_of(agent_name="walker"):
    """Return the API as a new agent sees it."""
    return Api(make_key(make_agent(agent_name)))


def refusal(response):
    """Return (status, code) of a refused request."""
    return response.status_code, response.json()["error"]["code"]
