"""18 robots take the real study, all 60 scenarios, through its real pages (acceptance 1)."""

import json
from collections import Counter
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db.models import Count

from catalog.models import Scenario
from judgments.actions.studies import create_study, open_study
from judgments.exports import check
from judgments.models import Audience, Cell, Item, Judgment, Participant
from judgments.protocol_defaults import default_protocol
from judgments.queries.behind import orders_by_metric
from tests.builders import NOW

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]

PLAN = {
    "order": "metric",
    "robots": [
        {"name": "oracle", "count": 8},
        {"name": "reverse", "count": 2},
        {"name": "always-left", "count": 3},
        {"name": "coin", "count": 2},
        {"name": "speeder"},
        {"name": "double-clicker"},
        {"name": "two-tabber"},
    ],
}


def test_18_robots_give_864_judgments_and_216_checks_as_the_design_says(tmp_path):
    call_command("load_scenarios", verbosity=0)
    slugs = Scenario.objects.values_list("slug", flat=True)
    study = create_study(
        slug="main",
        title="Main",
        protocol=default_protocol(slugs),
        staff=None,
        now=NOW,
        audience=Audience.ROBOTS,
    )
    open_study(slug="main", staff=None, now=NOW)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN))

    # The command itself compares every robot with what it must leave: checks passed, agreement
    # with the metric (1, -1, about 0), flags, one row an item.
    call_command("play_robots", "main", "--plan", str(plan), "--parallel", "4")

    people = Participant.objects.exclude(completion_code=None).values_list("pk", flat=True)
    assert len(people) == 18
    kinds = dict(Judgment.objects.values_list("item__kind").annotate(Count("pk")).order_by())
    assert kinds == {"judgment": 864, "instructed": 72, "dominated": 72, "repeat": 72}
    served = Counter(Cell.objects.filter(is_usable=True).values_list("scenario", flat=True))
    assert Counter(served.values()) == {3: 24, 2: 36}
    domains = Counter(Cell.objects.values_list("scenario__domain", flat=True))
    assert [*domains.values()] == [48, 48, 48]
    assert better_left() == dict.fromkeys(people, 24)
    assert check(study, now=NOW) == []


def better_left():
    """Return in how many of the 48 pairs of each participant the better one was on the left."""
    orders = orders_by_metric(list(Scenario.objects.values_list("slug", flat=True)))
    items = Item.objects.filter(kind="judgment")
    counts: Counter[UUID] = Counter()
    for participant, slug, left, right in items.values_list(
        "participant", "cell__scenario", "left__number", "right__number"
    ):
        counts[participant] += orders[slug].index(left) < orders[slug].index(right)
    return counts
