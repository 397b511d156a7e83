"""judgments.robots: decisions, plans, pages and expectations, without a site."""

import json
import math
from dataclasses import replace

import pytest

from judgments.robots.decisions import (
    READERS,
    Comparison,
    NotOffered,
    Robot,
    RobotName,
    UnknownText,
    asked_label,
    decide,
)
from judgments.robots.expectations import Outcome, agreement_with, always_left_sd, judge
from judgments.robots.pages import read_page
from judgments.robots.plans import EXAMPLE, PlanInvalid, read_plan

ORDER = {"worst": 3, "best": 0, "foil": 4}
SHOWN = Comparison(1, "worst", "best", ("left", "right"))
FOLLOWERS = READERS - {RobotName.REVERSE}


def robot(name, number=1, seed=1):
    return Robot(RobotName(name), number, seed)


@pytest.mark.parametrize("name", sorted(FOLLOWERS))
def test_who_follows_the_order_chooses_the_better_one_on_either_side(name):
    assert decide(robot(name), SHOWN, ORDER) == "right"
    swapped = replace(SHOWN, left="best", right="worst")
    assert decide(robot(name), swapped, ORDER) == "left"


def test_reverse_chooses_the_worse_one():
    assert decide(robot("reverse"), SHOWN, ORDER) == "left"


@pytest.mark.parametrize("name", sorted(READERS))
def test_who_reads_chooses_the_label_that_a_check_asks_for(name):
    for label, side in (("A", "left"), ("B", "right")):
        assert decide(robot(name), replace(SHOWN, asked_label=label), ORDER) == side


def test_the_others_look_at_no_text():
    nothing = replace(SHOWN, left="?", right="?", asked_label="B", offered=("left", "equal"))
    assert decide(robot("always-left"), nothing, {}) == "left"
    assert decide(robot("equal-always"), nothing, {}) == "equal"


def test_a_coin_is_fair_and_falls_the_same_when_the_robot_comes_back():
    coins = [robot("coin", number) for number in range(20)]
    shown = [replace(SHOWN, position=position) for position in range(1, 61)]
    tosses = [decide(coin, one, {}) for coin in coins for one in shown]
    assert tosses == [decide(coin, one, {}) for coin in coins for one in shown]
    # 1,200 tosses: within four standard deviations, sqrt(1200) / 2 each
    assert abs(tosses.count("left") - 600) < 4 * math.sqrt(1200) / 2


def test_a_text_without_a_place_in_the_order_is_told():
    with pytest.raises(UnknownText, match="other"):
        decide(robot("oracle"), replace(SHOWN, left="other"), ORDER)


def test_an_answer_that_is_not_offered_is_told():
    with pytest.raises(NotOffered, match="'equal'"):
        decide(robot("equal-always"), SHOWN, ORDER)


def test_the_example_of_the_help_is_a_plan():
    plan = read_plan(EXAMPLE)
    robots = plan.robots(seed=7)
    assert len(robots) == 18
    assert len({one.platform_pid for one in robots}) == 18
    # Mixed, so that every kind is at work from the start.
    assert [one.name for one in robots[:4]] == [
        "oracle",
        "always-left",
        "quitter",
        "double-clicker",
    ]
    assert {one.stops_after for one in robots if one.name == "quitter"} == {30}


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("{", "no JSON"),
        ([], "expected an object"),
        ({}, "robots missing"),
        ({"robots": []}, "at least one robot"),
        ({"robots": [{"name": "oracle"}], "ordre": 1}, "unknown ordre; known: order"),
        ({"robots": [{"name": "sage"}]}, r"robots\[0\].name: 'sage' is no robot; expected one of"),
        ({"robots": [{"name": ["oracle"]}]}, r"robots\[0\].name"),
        ({"robots": [{"name": "coin", "count": 0}]}, r"robots\[0\].count: expected a whole number"),
        ({"robots": [{"name": "coin", "count": True}]}, r"robots\[0\].count"),
        ({"robots": [{"name": "coin", "count": 1001}]}, "from 1 to 1000"),
        ({"robots": [{"name": "coin", "count": 600}] * 2}, "at most 1000"),
        ({"robots": [{"name": "coin", "stops_after": 3}]}, "only a quitter stops"),
        ({"robots": [{"name": "coin"}], "pause_ms": -1}, "pause_ms"),
        ({"robots": [{"name": "coin"}], "order": "alphabetic"}, 'order: expected "metric"'),
        ({"robots": [{"name": "coin"}], "order": {"sci-01": [0, 1, 2]}}, "order.sci-01"),
        ({"robots": [{"name": "coin"}], "order": {"sci-01": [0, 1, 2, True]}}, "order.sci-01"),
        ({"robots": [{"name": "coin"}], "order": {"sci-01": "0123"}}, "order.sci-01"),
    ],
    ids=range(17),
)
def test_a_bad_plan_is_refused_with_the_field_and_what_is_expected(plan, message):
    with pytest.raises(PlanInvalid, match=message):
        read_plan(plan if isinstance(plan, str) else json.dumps(plan))


PAGE = """
<h1>Which one?</h1><section aria-labelledby="card-a"><h2>A</h2><p>One &amp; <b>two</b>
</p></section><form action="/study/x/"><input type="hidden" name="step" value="item">
<input type="hidden" name="position" value="3"><fieldset><legend>For this comparison please
choose the proposal labelled B.</legend><label><input type="radio" name="choice" value="left"> A
</label><label><input type="radio" name="choice" value="right" checked> B</label></fieldset>
<button type="submit">Next</button></form><strong class="code">C0DE</strong>
"""


def test_a_page_is_read_by_the_names_of_its_fields():
    page = read_page("/study/x/", PAGE)
    [form] = page.forms
    assert page.step == "item"
    assert form.values == {"step": "item", "position": "3", "choice": "right"}
    assert form.offers == {"choice": ("left", "right")}
    assert asked_label(form.legends["choice"]) == "B"
    assert page.regions == {"card-a": "One & two"}
    assert page.marked["code"] == "C0DE"
    assert page.heading == "Which one?"


def test_ordinary_words_ask_for_no_label():
    assert asked_label("Which proposal would teach more, for its cost?") == ""


ORACLE = Outcome(
    robot("oracle"),
    n_items=60,
    n_answered=60,
    n_pairs=48,
    n_left=24,
    n_better_left=24,
    instructed=(4, 4),
    dominated=(4, 4),
    repeats=(4, 4),
    agreements=(1.0,) * 8,
    has_code=True,
)


def broken(outcome):
    return [finding.statement for finding in judge(outcome) if not finding.holds]


def test_what_an_oracle_leaves_is_as_expected():
    assert broken(ORACLE) == []


@pytest.mark.parametrize(
    ("change", "statement"),
    [
        ({"n_answered": 59}, "items answered"),
        ({"n_revisions": 1}, "answers changed"),
        ({"has_code": False}, "completion code"),
        ({"instructed": (3, 4)}, "instructed passed of 4"),
        ({"dominated": (3, 4)}, "dominated passed of 4"),
        ({"repeats": (3, 4)}, "repeats passed of 4"),
        ({"n_better_left": 25}, "better one on the left"),
        ({"agreements": (1.0,) * 7 + (0.8,)}, "agreement with the order, mean of 8"),
        ({"flags": frozenset({"one-sided"})}, "flags of care"),
    ],
)
def test_whatever_differs_is_found(change, statement):
    assert broken(replace(ORACLE, **change)) == [statement]


def test_a_quitter_has_no_code_and_nothing_of_what_comes_later():
    left = replace(
        ORACLE,
        robot=replace(robot("quitter"), stops_after=30),
        n_answered=30,
        n_better_left=11,
        agreements=(1.0,) * 4,
        has_code=False,
    )
    assert broken(left) == []
    assert broken(replace(left, n_answered=31)) == ["items answered"]


def test_always_left_agrees_with_nothing_within_chance_and_is_flagged():
    always = replace(
        ORACLE,
        robot=robot("always-left"),
        n_left=48,
        n_asked_left=2,
        instructed=(2, 4),
        repeats=(0, 4),
        agreements=(0.4, -0.4) * 4,
        flags=frozenset({"failed-checks", "one-sided", "short-duration"}),
    )
    assert broken(always) == []
    assert broken(replace(always, agreements=(0.9,) * 8)) == ["agreement with the order, mean of 8"]
    assert broken(replace(always, flags=frozenset())) == ["flags of care"]


def test_the_spread_of_always_left_is_that_of_the_ten_orientations():
    # By hand: of the ten, four correlate 0, two 0.447, two -0.447, one 0.894, one -0.894.
    by_hand = math.sqrt((4 * 0.2 + 2 * 0.8) / 10)
    assert always_left_sd() == pytest.approx(by_hand)


def test_ranks_as_in_the_order_agree_fully():
    assert agreement_with([[2, 4, 6, 8], [8, 6, 4, 2]], [(0, 1, 2, 3)] * 2) == (1.0, -1.0)
