"""Robots of a known order, through the real pages and into the report and its page."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from judgments.assignment import ItemKind
from judgments.models import Audience
from tests.judgments.studies import HALF, make_study

pytestmark = pytest.mark.django_db(transaction=True)

# One robot that judges every scenario, since only further scenarios bring its mean nearer to 0.
TWELVE = HALF | {
    "n_per_domain": 4,
    "quotas": (4, 4, 4),
    "checks": {ItemKind.INSTRUCTED: 6, ItemKind.DOMINATED: 6, ItemKind.REPEAT: 6},
    "breaks_after": (6,),
}
# Sides are drawn anew in every run, so what is about 0 has to hold for whatever is drawn. Worked
# out exactly, a mean of twelve is as far from 0 as this once in 180,000 runs for a coin (any of
# the 64 codes of a scenario is as likely as another) and once in 3 million for always left (any of
# the ten balanced orientations). It is less than people are said to reach: 0.733.
FAR = 0.7


def played(tmp_path, robot, **design):
    """Return how people and metric agree in a study that one robot played, and the study."""
    study = make_study(audience=Audience.ROBOTS, **design)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"robots": [{"name": robot}]}))
    call_command("play_robots", study.pk, "--plan", str(plan), "--seed", "1")
    out = StringIO()
    call_command("report_agreement", study.pk, "--json", stdout=out)
    return json.loads(out.getvalue())["groups"][0]


def results(client):
    page = client.get("/study/main/results/").content.decode()
    assert "Robots played this study" in page
    return page


@pytest.mark.parametrize(("robot", "expected"), [("oracle", 1.0), ("reverse", -1.0)])
def test_a_robot_agrees_with_the_metric_as_its_order_does(tmp_path, admin_client, robot, expected):
    agreement = played(tmp_path, robot, **HALF)["human_metric"]["gated"]
    assert (agreement["mean_within"], agreement["n_defined"]) == (expected, 4)
    page = results(admin_client)
    assert "4 of 6 defined" in page
    assert f"<strong>{expected:.3f}</strong>".replace("-", "−") in page


@pytest.mark.parametrize(("robot", "lefts"), [("always-left", {72}), ("coin", range(73))])
def test_a_robot_that_reads_nothing_agrees_with_nothing(tmp_path, admin_client, robot, lefts):
    group = played(tmp_path, robot, **TWELVE)
    agreement, sides = group["human_metric"]["gated"], group["position"]
    assert abs(agreement["mean_within"]) < FAR
    assert agreement["n_defined"] == 12
    assert (sides["n"], sides["n_successes"] in lefts) == (72, True)
    assert (sides["p_value"] < 1e-20) == (robot == "always-left")
    page = results(admin_client)
    assert "12 of 12 defined" in page
    assert f"<strong>{agreement['mean_within']:z.3f}</strong>".replace("-", "−") in page
