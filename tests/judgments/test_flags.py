"""Quality flags: their limits by hand, what is missing is undefined, and nobody is excluded."""

from dataclasses import replace
from datetime import timedelta

import pytest

from judgments.actions.judging import ClientReport, record_judgment, show_item
from judgments.actions.staff import exclude_participant
from judgments.flags import (
    WORDS,
    Figures,
    Rule,
    Verdict,
    assess,
    checks_limit,
    duration_limit,
    side_limit,
    triads_limit,
)
from judgments.models import Cell, Exclusion, Judgment
from judgments.queries.checks import check_outcomes
from judgments.queries.flags import assessments_of, flags_of
from scoring.ranks import code_triads
from tests.builders import NOW
from tests.judgments.played import always_left, attentive, play
from tests.judgments.studies import (
    better_side,
    join,
    join_ready,
    later,
    make_study,
)

# Question, baseline, observation, mechanisms, interventions, actions: see make_scenarios.
WORDS_A_SCENARIO = 3 + 3 + 3 + 6 * (2 + 3) + 6 * (2 + 3) + 4 * 4

# 8 scenarios, nothing wrong, 30 minutes.
GOOD = Figures(
    n_screens=60,
    n_pairs=48,
    n_scenarios=8,
    n_can_fail=8,
    n_answered=60,
    n_untimed=0,
    n_failed=0,
    n_can_fail_answered=8,
    n_left=24,
    n_right=24,
    longest_run=5,
    n_complete=8,
    n_coded=8,
    n_triads=0,
    active_ms=1_800_000,
    read_words=5000,
    read_active_ms=1_800_000,
    duration=timedelta(minutes=40),
)


def verdicts(figures: Figures, *, median_ms: float | None = 1_800_000) -> dict[Rule, Verdict]:
    return {flag.rule: flag.verdict for flag in assess(figures, median_ms=median_ms)}


def test_every_rule_is_said_in_words_and_judged():
    assert set(verdicts(GOOD)) == set(WORDS) == set(Rule)
    assert set(verdicts(GOOD).values()) == {Verdict.CLEAR}


@pytest.mark.parametrize(
    ("rule", "just_in", "just_out"),
    [
        (Rule.CHECKS, {"n_failed": 1}, {"n_failed": 2}),
        (Rule.TRIADS, {"n_triads": 4}, {"n_triads": 5}),
        (Rule.SIDES, {"n_left": 33, "n_right": 15}, {"n_left": 34, "n_right": 14}),
        (Rule.SIDES, {"n_left": 15, "n_right": 33}, {"n_left": 14, "n_right": 34}),
        (Rule.RUN, {"longest_run": 11}, {"longest_run": 12}),
        (Rule.TOTAL, {"active_ms": 900_000}, {"active_ms": 899_999}),
        (Rule.SPEED, {"read_active_ms": 600_000}, {"read_active_ms": 599_999}),
        (
            Rule.DURATION,
            {"duration": timedelta(minutes=10)},
            {"duration": timedelta(minutes=9, seconds=59)},
        ),
    ],
)
def test_the_limits_are_those_of_the_specification(rule, just_in, just_out):
    assert verdicts(replace(GOOD, **just_in))[rule] is Verdict.CLEAR
    assert verdicts(replace(GOOD, **just_out))[rule] is Verdict.RAISED


def test_limits_of_smaller_designs_scale_as_the_rules_say():
    assert [checks_limit(n) for n in (2, 8, 9, 16)] == [2, 2, 3, 4]
    assert [triads_limit(n) for n in (1, 4, 8, 16)] == [1, 3, 5, 10]
    # 2.887 standard deviations: 12 + 7.07 of 24 pairs, 6 + 5 of 12, out of reach of 8.
    assert [side_limit(n) for n in (8, 12, 24, 48, 96)] == [9, 11, 20, 34, 63]
    assert duration_limit(30) == timedelta(minutes=5)


def test_what_cannot_be_told_is_undefined_and_says_why():
    tiny = replace(GOOD, n_pairs=6, n_left=6, n_right=0, n_can_fail=1, n_can_fail_answered=1)
    flags = {flag.rule: flag for flag in assess(tiny, median_ms=None)}
    for rule, words in {
        Rule.CHECKS: "only 1 checks can fail",
        Rule.SIDES: "6 pairs with a side cannot be told from chance",
        Rule.RUN: "only 6 pairs",
        Rule.TOTAL: "fewer than 5 people finished with times",
    }.items():
        assert (flags[rule].verdict, flags[rule].figures) == (Verdict.UNDEFINED, words)
    all_ties = replace(GOOD, n_left=0, n_right=0, n_coded=0)
    assert verdicts(all_ties)[Rule.SIDES] is Verdict.UNDEFINED
    assert verdicts(all_ties)[Rule.TRIADS] is Verdict.UNDEFINED


def test_half_way_only_what_no_later_answer_can_undo_is_raised():
    half = replace(
        GOOD,
        n_answered=30,
        n_can_fail_answered=4,
        n_left=12,
        n_right=12,
        n_complete=4,
        n_coded=4,
        active_ms=600_000,
        read_words=2500,
        read_active_ms=600_000,
        duration=timedelta(minutes=8),
    )
    open_rules = {Rule.CHECKS, Rule.TRIADS, Rule.SIDES, Rule.RUN, Rule.TOTAL, Rule.DURATION}
    found = verdicts(half)
    assert {rule for rule, verdict in found.items() if verdict is Verdict.OPEN} == open_rules
    assert found[Rule.SPEED] is Verdict.CLEAR
    assert verdicts(replace(half, n_failed=2))[Rule.CHECKS] is Verdict.RAISED
    assert verdicts(replace(half, n_left=24, n_right=0))[Rule.SIDES] is Verdict.OPEN
    assert verdicts(replace(half, active_ms=900_000))[Rule.TOTAL] is Verdict.CLEAR
    assert verdicts(replace(half, duration=timedelta(minutes=11)))[Rule.DURATION] is Verdict.CLEAR


@pytest.fixture
def study(db):
    return make_study(n_per_domain=3)


def raised(study, participant) -> set[Rule]:
    return {flag.rule for flag in flags_of(study)[participant.pk]}


def test_who_follows_an_order_and_the_instructions_raises_nothing(study):
    participant = play(join_ready(study), attentive)
    assert raised(study, participant) == set()
    verdict = {flag.rule: flag.verdict for flag in assessments_of(study)[participant.pk].flags}
    assert verdict.pop(Rule.TOTAL) is Verdict.UNDEFINED  # nobody to compare with
    assert set(verdict.values()) == {Verdict.CLEAR}


def test_always_left_is_flagged_by_sides_run_and_checks(study):
    participant = play(join_ready(study), always_left)
    flags = {flag.rule: flag for flag in flags_of(study)[participant.pk]}
    # Two of four instructed pairs ask for the right, and no repeated pair is answered alike.
    assert flags[Rule.CHECKS].figures == "6 of 8 failed, limit 2"
    assert flags[Rule.SIDES].figures == "48 left, 0 right, limit 34"
    assert flags[Rule.RUN].figures == "48 in a row, limit 12"


def test_somebody_too_fast_is_flagged_by_duration(study):
    participant = play(join_ready(study), attentive, seconds=2, active_ms=2_000)
    flags = {flag.rule: flag for flag in flags_of(study)[participant.pk]}
    assert flags[Rule.DURATION].figures == "2.0 min, limit 10.0 min"


def test_reading_speed_counts_every_text_of_a_complete_scenario_once(study):
    participant = play(join_ready(study), attentive, seconds=2, active_ms=1_000)
    figures = {flag.rule: flag.figures for flag in assessments_of(study)[participant.pk].flags}
    n_words = 8 * WORDS_A_SCENARIO
    assert figures[Rule.SPEED] == f"{n_words} words in 1.0 active minutes, limit 500 a minute"
    assert Rule.SPEED in raised(study, participant)


def test_without_javascript_speed_and_total_are_undefined_never_zero(study):
    participant = play(join_ready(study), attentive, seconds=2, active_ms=None)
    flags = {flag.rule: flag for flag in assessments_of(study)[participant.pk].flags}
    for rule in (Rule.SPEED, Rule.TOTAL):
        assert flags[rule].verdict is Verdict.UNDEFINED
        assert flags[rule].figures == "no possible active time for 60 of 60 answers"


def test_more_active_time_than_passed_is_no_active_time(study):
    # Case C20: totals are sums of active time, and an impossible one is not added up.
    participant = play(join_ready(study), attentive, seconds=10, active_ms=1_200_000)
    flags = {flag.rule: flag for flag in assessments_of(study)[participant.pk].flags}
    for rule in (Rule.SPEED, Rule.TOTAL):
        assert flags[rule].verdict is Verdict.UNDEFINED
        assert flags[rule].figures == "no possible active time for 60 of 60 answers"


@pytest.mark.parametrize("untimed", [None, 4, 20], ids=["all timed", "whole", "begun"])
def test_reading_is_timed_in_complete_scenarios_alone(study, untimed):
    """Of 20 answers the first scenarios are complete and the last is not, wherever checks are."""
    participant = play(join_ready(study), attentive, n_items=20)
    Judgment.objects.filter(item__position=untimed).update(active_ms=None)
    complete = set(participant.cells.exclude(completed_at=None).values_list("pk", flat=True))
    answers = Judgment.objects.filter(participant=participant).select_related("item")
    read = [answer.active_ms for answer in answers if answer.item.cell_id in complete]
    assert 0 < len(read) < 20
    figures = assessments_of(study)[participant.pk].figures
    assert figures.n_complete == len(complete)
    assert figures.read_words == len(complete) * WORDS_A_SCENARIO
    assert figures.read_active_ms == (None if None in read else 25_000 * len(read))
    assert figures.active_ms == (20 * 25_000 if untimed is None else None)
    assert figures.duration == timedelta(seconds=20 * 30)


def test_circular_triads_are_those_of_the_codes(study):
    participant = play(join_ready(study), always_left)
    codes = Cell.objects.filter(participant=participant).values_list("code", flat=True)
    n_triads = sum(int(code_triads()[code]) for code in codes)
    figures = {flag.rule: flag.figures for flag in assessments_of(study)[participant.pk].flags}
    assert figures[Rule.TRIADS] == f"{n_triads} in 8 scenarios, limit 5"


def test_half_the_median_compares_with_those_who_finished_and_count(study, django_user_model):
    slow = [play(join_ready(study), attentive, active_ms=20_000) for _ in range(5)]
    quick = play(join_ready(study), attentive, active_ms=9_000)
    assert raised(study, quick) == {Rule.TOTAL}
    ada = django_user_model.objects.create_user("ada")
    for participant in slow[:2]:
        exclude_participant(participant_id=participant.pk, staff=ada, reason="No.", now=NOW)
    play(join_ready(study), attentive, n_items=30)
    # Four are left who are through, too few for a median.
    assert raised(study, quick) == set()


def test_failed_checks_are_those_of_the_one_count(study):
    people = [
        play(join_ready(study), choose, n_items=n)
        for choose, n in ((always_left, 60), (attentive, 17), (better_side, 40))
    ]
    for participant in people:
        outcomes = check_outcomes(participant)
        [checks] = [f for f in assessments_of(study)[participant.pk].flags if f.rule is Rule.CHECKS]
        n = outcomes.n_instructed + outcomes.n_repeats
        assert checks.figures == f"{outcomes.n_failed} of {n} failed, limit 2"


def test_somebody_who_did_nothing_has_no_flag(study):
    participant = join(study).participant
    assert flags_of(study) == {participant.pk: ()}


def test_rows_written_at_once_are_those_of_single_answers(study):
    first, second = join_ready(study), join_ready(study)
    play(first, n_items=3)
    for item in second.items.order_by("position")[:3]:
        now = later(seconds=30 * (item.position - 1))
        show_item(participant_id=second.pk, position=item.position, now=now)
        record_judgment(
            participant_id=second.pk,
            position=item.position,
            choice=attentive(item),
            report=ClientReport(active_ms=25_000),
            now=now + timedelta(seconds=30),
        )
    own = {"item", "item_id", "participant", "participant_id", "choice", "chosen", "chosen_id"}
    rows = [
        [
            {name: value for name, value in row.items() if name not in own}
            for row in Judgment.objects.filter(participant=one).values().order_by("item__position")
        ]
        for one in (first, second)
    ]
    assert rows[0] == rows[1]


def test_the_number_of_queries_does_not_grow_and_nobody_is_excluded(
    study, django_assert_num_queries
):
    for _ in range(3):
        play(join_ready(study), always_left)
    with django_assert_num_queries(4):
        flags = flags_of(study)
    assert all(flags.values())
    assert not Exclusion.objects.exists()
    participant = play(join_ready(study, now=later(days=1)), n_items=1)
    with django_assert_num_queries(4):
        assert flags_of(study)[participant.pk] == ()
