"""judgments.steps: which page is next, whatever was asked for."""

from dataclasses import replace

import pytest

from judgments.steps import NextStep, Progress, Step, next_step

PLACES = [1] * 2 + [2] * 2 + [3] * 2
READY = Progress(
    consented=True,
    eligible=True,
    read_instructions=True,
    comprehension=[True],
    answered=[False] * 6,
    places=PLACES,
    breaks_after=[2],
)


def after(n_answered: int, **changes) -> NextStep:
    answered = [True] * n_answered + [False] * (6 - n_answered)
    return next_step(replace(READY, answered=answered, **changes))


@pytest.mark.parametrize(
    ("done", "step"),
    [
        ({}, Step.CONSENT),
        ({"consented": False}, Step.REFUSED),
        ({"consented": True}, Step.ELIGIBILITY),
        ({"consented": True, "eligible": False}, Step.SCREENED_OUT),
        ({"consented": True, "eligible": True}, Step.INSTRUCTIONS),
        ({"consented": True, "eligible": True, "read_instructions": True}, Step.COMPREHENSION),
    ],
    ids=lambda value: str(value),
)
def test_nothing_is_judged_before_consent_eligibility_and_instructions(done, step):
    progress = Progress(answered=[False], places=[1], **done)
    assert next_step(progress) == NextStep(step)


@pytest.mark.parametrize(
    ("attempts", "step"),
    [
        ([], Step.COMPREHENSION),
        ([False], Step.COMPREHENSION),
        ([True], Step.ITEM),
        ([False, True], Step.ITEM),
        ([False, False], Step.SCREENED_OUT),
    ],
)
def test_the_comprehension_check_has_two_attempts(attempts, step):
    assert next_step(replace(READY, comprehension=attempts)).step is step


def test_items_come_in_order_and_the_first_open_one_is_next():
    assert after(0) == NextStep(Step.ITEM, position=1)
    assert after(3) == NextStep(Step.ITEM, position=4)


def test_a_break_comes_once_between_two_scenarios():
    assert after(4) == NextStep(Step.BREAK, after_place=2)
    assert after(4, breaks_taken=1) == NextStep(Step.ITEM, position=5)


def test_breaks_of_the_standard_study_come_after_scenarios_2_4_and_6():
    places = [place for place in range(1, 9) for _ in range(6)]
    seen = []
    taken = 0
    for n_answered in range(48):
        answered = [True] * n_answered + [False] * (48 - n_answered)
        step = next_step(
            replace(
                READY, answered=answered, places=places, breaks_after=[2, 4, 6], breaks_taken=taken
            )
        )
        if step.step is Step.BREAK:
            seen.append((n_answered, step.after_place))
            taken += 1
    assert seen == [(12, 2), (24, 4), (36, 6)]


def test_the_end_comes_after_the_debrief_only():
    assert after(6) == NextStep(Step.DEBRIEF)
    assert after(6, debriefed=True) == NextStep(Step.COMPLETE)


def test_an_early_finish_leads_back_to_the_open_item():
    assert after(5, breaks_taken=1, debriefed=True) == NextStep(Step.ITEM, position=6)


@pytest.mark.parametrize("done", [{}, {"consented": True}, {"consented": True, "eligible": True}])
def test_public_results_end_the_path_of_whoever_has_an_answer_to_give(done):
    begun = Progress(answered=[False], places=[1], study_over=True, **done)
    assert next_step(begun) == NextStep(Step.STUDY_OVER)
    assert after(3, study_over=True) == NextStep(Step.STUDY_OVER)


def test_public_results_change_no_other_end():
    assert next_step(Progress(consented=False, study_over=True)) == NextStep(Step.REFUSED)
    screened = Progress(consented=True, eligible=False, study_over=True)
    assert next_step(screened) == NextStep(Step.SCREENED_OUT)
    assert after(3, study_over=True, place_expired=True) == NextStep(Step.LOST_PLACE)
    assert after(6, study_over=True) == NextStep(Step.DEBRIEF)


def test_a_place_given_to_somebody_else_ends_the_items_but_not_a_finished_session():
    assert after(3, place_expired=True) == NextStep(Step.LOST_PLACE)
    assert after(6, place_expired=True) == NextStep(Step.DEBRIEF)
