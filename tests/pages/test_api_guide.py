"""The examples of the API guide do what they say, as printed."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request

import pytest
from django.core.cache import cache
from django.core.management import call_command

from catalog import truth
from catalog.models import Task
from episodes.models import Episode
from scoring.masks import all_masks
from scoring.surfaces import grade
from tests.builders import make_agent, make_key
from wwbsite.api import STATUS_OF


@pytest.fixture
def key(transactional_db):
    cache.clear()
    call_command("load_catalog")
    return make_key(make_agent("walker"))


def _example(live_server, name):
    """Return the example's text as a reader copies it from the page."""
    with urllib.request.urlopen(f"{live_server.url}/api/", timeout=30) as response:
        page = response.read().decode()
    return html.unescape(re.search(rf'<code id="example-{name}">(.*?)</code>', page, re.DOTALL)[1])


def _run(command, key):
    """Return what the program printed; the environment holds the key and nothing of ours."""
    finished = subprocess.run(
        command,
        env={"PATH": os.environ["PATH"], "WWBSITE_KEY": key},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_the_python_example_buys_eight_predicts_and_prints_the_score(key, live_server):
    printed = _run([sys.executable, "-I", "-c", _example(live_server, "python")], key)
    assert printed.startswith("credits left: 4\ncredits left: 0\n{")
    score = json.loads(printed[printed.index("{") :])
    episode = Episode.objects.get()
    assert (episode.state, episode.spent_credits) == ("submitted", 8)
    table = [episode.prediction.table[mask] for mask in all_masks(4)]
    expected = grade(truth.surface(Task.objects.get(slug="nile")), table)
    assert str(expected.effect_recovery) in json.dumps(score)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_curl_example_buys_four_predicts_and_prints_the_score(key, live_server):
    printed = _run(["bash", "-euc", _example(live_server, "curl")], key)
    assert '"credits_remaining":4' in printed.replace(" ", "")
    assert "effect_recovery" in printed
    episode = Episode.objects.get()
    assert (episode.state, episode.spent_credits) == ("submitted", 4)
    assert set(episode.prediction.table) == set(all_masks(4))


@pytest.mark.django_db
def test_every_refusal_of_the_domain_is_in_the_table_with_its_status(client):
    cache.clear()
    page = client.get("/api/").content.decode()
    rows = re.findall(r"<tr>\s*<td>(\d{3})</td>(.*?)</tr>", page, re.DOTALL)
    listed = {
        (int(status), code) for status, row in rows for code in re.findall("<code>(\\w+)", row)
    }
    codes = {(status, error.code) for error, status in STATUS_OF.items()}  # type: ignore[attr-defined]
    assert codes | {(405, "method_not_allowed"), (415, "unsupported_media_type")} <= listed


@pytest.mark.django_db
def test_the_limits_are_those_in_force(client, settings):
    cache.clear()
    page = client.get("/api/").content.decode()
    rates = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    for figure in (rates["key"], rates["address"], rates["refusals"], settings.EPISODE_SECONDS):
        assert str(figure) in page
