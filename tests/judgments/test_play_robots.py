"""`manage.py play_robots`: robots on the real pages of an own server or of a running site."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from judgments.models import Audience, Judgment, Participant, Revision
from tests.judgments.studies import make_study

pytestmark = pytest.mark.django_db(transaction=True)

PLAN = {
    "robots": [
        {"name": "oracle"},
        {"name": "reverse"},
        {"name": "always-left"},
        {"name": "coin"},
        {"name": "speeder"},
        {"name": "quitter", "stops_after": 30},
        {"name": "double-clicker"},
        {"name": "two-tabber"},
        {"name": "equal-always"},
    ]
}


@pytest.fixture
def play(tmp_path, capsys):
    def play(plan=PLAN, *options, study="main"):
        path = tmp_path / "plan.json"
        path.write_text(json.dumps(plan))
        call_command("play_robots", study, "--plan", str(path), *options)
        return dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())

    return play


@pytest.fixture
def robots_study():
    return make_study(n_per_domain=3, audience=Audience.ROBOTS, allows_equal=True)


def test_every_robot_plays_the_real_pages_and_leaves_what_it_must(robots_study, play):
    said = play()
    print(said)
    assert Participant.objects.count() == 9
    assert Judgment.objects.count() == 8 * 60 + 30
    assert not Revision.objects.exists()
