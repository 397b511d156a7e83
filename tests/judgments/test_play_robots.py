"""`manage.py play_robots`: named robots on the real pages, over HTTP."""

import json
import re

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from judgments.models import Audience, Judgment, Participant, ParticipantKind, Revision
from judgments.robots.decisions import RobotName
from tests.judgments.studies import HALF, join, make_study

pytestmark = pytest.mark.django_db(transaction=True)

EVERY_ROBOT = [
    {"name": name.value} | ({"stops_after": 20} if name == RobotName.QUITTER else {})
    for name in RobotName
]


@pytest.fixture
def robots_study():
    return make_study(audience=Audience.ROBOTS, allows_equal=True, **HALF)


@pytest.fixture
def play(tmp_path, capsys):
    """Return a function that runs the command and returns its summary, line by line."""

    def play(*robots, study="main", seed=1, **plan):
        path = tmp_path / "plan.json"
        path.write_text(json.dumps({"robots": list(robots), **plan}))
        call_command("play_robots", study, "--plan", str(path), "--seed", str(seed))
        return dict(re.findall(r"^([a-z ]+?)  +(.*)$", capsys.readouterr().out, re.MULTILINE))

    return play


def test_every_robot_leaves_what_it_must_and_is_resumed_by_its_seed(robots_study, play):
    summary = play(*EVERY_ROBOT)  # the command itself compares each with what it must leave
    assert Participant.objects.filter(kind=ParticipantKind.ROBOT).count() == 9
    assert Judgment.objects.count() == 8 * 30 + 20
    assert not Revision.objects.exists()
    assert summary["people"] == "9, 8 with a code"
    assert summary["judgments"] == str(Judgment.objects.filter(item__kind="judgment").count())
    assert summary["sent twice"] == "33, 0 with unequal replies"
    assert (summary["sent again"], summary["refused"]) == ("none", "0")
    assert "one-sided" in summary["flags"]
    stored = list(Judgment.objects.order_by("pk").values())
    assert play(*EVERY_ROBOT) == summary | {"sent twice": "0, 0 with unequal replies"}
    assert list(Judgment.objects.order_by("pk").values()) == stored


def test_a_given_order_is_followed_though_the_metric_has_another(robots_study, play):
    slugs = robots_study.protocols.get().definition["scenarios"]
    play({"name": "oracle"}, order={slug: [3, 2, 1, 0] for slug in slugs})
    judged = Judgment.objects.filter(item__kind="judgment").select_related(
        "chosen", "item__left", "item__right"
    )
    assert judged.count() == 24
    for judgment in judged:
        shown = (judgment.item.left.number, judgment.item.right.number)
        assert judgment.chosen.number == max(shown)


def test_an_order_that_lacks_scenarios_is_refused(robots_study, play):
    with pytest.raises(CommandError, match=r"order: .* missing of 5 scenarios"):
        play({"name": "oracle"}, order={"systems-00": [0, 1, 2, 3]})


def test_robots_never_play_a_study_of_people(play):
    make_study(n_per_domain=2)
    with pytest.raises(CommandError, match="main is a study of people"):
        play({"name": "oracle"})
    assert not Participant.objects.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"opened_at": None}, "main is not open: /staff/studies/main/ leads"),
        ({"allows_equal": False}, "does not offer equal"),
    ],
    ids=["closed", "forced-choice"],
)
def test_a_study_that_cannot_be_played_is_told(play, changes, message):
    make_study(audience=Audience.ROBOTS, **HALF, **changes)
    with pytest.raises(CommandError, match=message):
        play({"name": "equal-always"})


def test_what_cannot_be_read_is_told(robots_study, play, tmp_path):
    with pytest.raises(CommandError, match="no study nowhere"):
        play({"name": "oracle"}, study="nowhere")
    with pytest.raises(CommandError, match="'sage' is no robot"):
        play({"name": "sage"})
    with pytest.raises(CommandError, match=r"nothing\.json cannot be read"):
        call_command("play_robots", "main", "--plan", str(tmp_path / "nothing.json"))
    plan = tmp_path / "plan.json"
    plan.write_text('{"robots": [{"name": "oracle"}]}')
    with pytest.raises(CommandError, match="no address like"):
        call_command("play_robots", "main", "--plan", str(plan), "--url", "localhost:8000")


def test_a_robot_of_which_something_else_is_stored_fails_the_command(robots_study, play):
    play({"name": "quitter", "stops_after": 8})
    judgment = Judgment.objects.filter(item__kind="judgment", item__cell__place=1).first()
    shown = {"left": judgment.item.left, "right": judgment.item.right}
    judgment.choice = "right" if judgment.choice == "left" else "left"
    judgment.chosen = shown[judgment.choice]
    judgment.save()
    with pytest.raises(CommandError, match="robot 1, quitter: agreement with the order, mean of 1"):
        play({"name": "quitter", "stops_after": 8})


def test_a_person_who_joined_a_robots_study_counts_as_a_robot(robots_study):
    assert join(robots_study).participant.kind == ParticipantKind.ROBOT
