"""Robots of a known order, through the real pages and into the report."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from judgments.assignment import ItemKind
from judgments.models import Audience
from tests.judgments.studies import make_study

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(("robot", "expected"), [("oracle", 1.0), ("reverse", -1.0)])
def test_a_robot_agrees_with_the_metric_as_its_order_does(tmp_path, admin_client, robot, expected):
    study = make_study(
        n_per_domain=2,
        audience=Audience.ROBOTS,
        quotas=(2, 1, 1),
        checks={ItemKind.INSTRUCTED: 2, ItemKind.DOMINATED: 2, ItemKind.REPEAT: 2},
        breaks_after=(2,),
    )
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"robots": [{"name": robot}]}))
    call_command("play_robots", study.pk, "--plan", str(plan), "--seed", "1")
    out = StringIO()
    call_command("report_agreement", study.pk, "--json", stdout=out)
    group = json.loads(out.getvalue())["groups"][0]
    agreement = group["human_metric"]["gated"]
    assert (agreement["mean_within"], agreement["n_defined"]) == (expected, 4)
    page = admin_client.get(f"/study/{study.pk}/results/").content.decode()
    assert "Robots played this study" in page
    assert "4 of 6 defined" in page
