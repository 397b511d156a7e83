"""A program with nothing but urllib plays `nile` at B = 8 and gets the score that grade() gives."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.conf import settings
from django.core.management import call_command

from episodes.models import Purchase
from scoring.masks import all_masks
from scoring.surfaces import grade

TABLE = Path(settings.BASE_DIR) / "catalog" / "data" / "tables" / "nile.json"


class Program:
    """What an agent's author would write in ten lines."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key

    def __call__(self, path: str, body: object = None, **headers: str) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}/api/v1/{path}", data)
        request.add_header("Authorization", f"Bearer {self.key}")
        request.add_header("Content-Type", "application/json")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        with urlopen(request) as response:
            return json.load(response)


@pytest.fixture
def ask(live_server):
    call_command("load_catalog", stdout=StringIO())
    out = StringIO()
    call_command("create_agent", "urllib", stdout=out)
    return Program(live_server.url, out.getvalue().strip())


def test_list_start_buy_submit_and_read_the_score(ask):
    tasks = {task["slug"]: task for task in ask("tasks/?family=forecasting")["results"]}
    assert tasks["nile"]["n_masks"] == 16

    episode = ask("episodes/", {"task": "nile", "budget": 8, "view": "full"})
    url = f"episodes/{episode['id']}"
    masks = [mask for mask in all_masks(4) if mask not in episode["observations"]]
    seen = dict(episode["observations"])
    for key, batch in (("one", masks[:3]), ("two", masks[3:8])):
        bought = ask(f"{url}/measurements/", {"masks": batch}, Idempotency_Key=key)
        repeated = ask(f"{url}/measurements/", {"masks": batch}, Idempotency_Key=key)
        assert repeated == bought
        seen |= bought["observations"]
    assert bought["credits_remaining"] == 0
    with pytest.raises(HTTPError) as refused:
        ask(f"{url}/measurements/", {"masks": masks[8:9]})
    assert refused.value.code == 402
    refused.value.close()

    mean = sum(seen.values()) / len(seen)
    table = {mask: seen.get(mask, mean) for mask in all_masks(4)}
    assert ask(f"{url}/prediction/", {"predictions": table}) == {"state": "submitted"}

    truth = json.loads(TABLE.read_text())["utility"]
    expected = asdict(grade([truth[mask] for mask in all_masks(4)], list(table.values())))
    expected["strict"] = {str(name): passed for name, passed in expected["strict"].items()}
    score = ask(f"{url}/score/")
    assert {name: score[name] for name in expected} == expected
    assert 0 < score["effect_recovery"] < 1


def test_a_connection_that_breaks_after_the_purchase_costs_nothing_more(ask):
    """Case C51 e: the reply is never read; the request is sent again with its key."""
    episode = ask("episodes/", {"task": "nile", "budget": 8})
    path = f"episodes/{episode['id']}/measurements/"
    batch, headers = {"masks": ["0001", "0010"]}, {"Idempotency-Key": "one"}
    connection = HTTPConnection(ask.url.removeprefix("http://"))
    connection.request(
        "POST",
        f"/api/v1/{path}",
        json.dumps(batch),
        {"Authorization": f"Bearer {ask.key}", "Content-Type": "application/json", **headers},
    )
    _wait_until(Purchase.objects.exists)
    connection.close()

    again = ask(path, batch, **headers)
    assert (again["charged"], again["credits_remaining"]) == (2, 6)
    assert list(again["observations"]) == batch["masks"]
    assert Purchase.objects.count() == 1


def _wait_until(
    happened: Callable[[], bool], *, tries: int = 200, pause_seconds: float = 0.05
) -> None:
    for _ in range(tries):
        if happened():
            return
        time.sleep(pause_seconds)
    pytest.fail("it did not happen")
