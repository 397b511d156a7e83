"""record_judgment: one row an item, revisions by one rule, cells closed at their sixth pair."""

import itertools

import pytest

from judgments.actions.judging import (
    AnswerFinal,
    ChoiceNotOffered,
    ClientReport,
    Outcome,
    record_judgment,
    show_item,
)
from judgments.actions.path import NotNext, leave_and_delete
from judgments.assignment import ItemKind
from judgments.models import AuditEntry, Cell, Choice, Judgment, Layout, Revision
from judgments.queries.checks import check_outcomes
from judgments.queries.coverage import coverage
from judgments.queries.participants import ParticipantNotFound
from scoring.ranks import PAIRS, code_ranks
from tests.builders import NOW
from tests.judgments.studies import (
    answer,
    answer_all,
    better_side,
    join,
    join_ready,
    later,
    make_study,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def participant():
    return join_ready(make_study(n_per_domain=3))


def positions_of(participant, place: int, kind: ItemKind | None = None) -> list[int]:
    items = participant.items.filter(cell__place=place)
    if kind:
        items = items.filter(kind=kind)
    return list(items.order_by("position").values_list("position", flat=True))


def test_an_answer_keeps_side_action_and_times(participant):
    item = show_item(participant_id=participant.pk, position=1, now=later(seconds=10))
    report = ClientReport(
        active_ms=4000,
        focus_losses=1,
        layout=Layout.STACKED,
        viewport_width=375,
        viewport_height=812,
    )
    recorded = record_judgment(
        participant_id=participant.pk,
        position=1,
        choice=Choice.RIGHT,
        report=report,
        now=later(seconds=15),
    )
    judgment = Judgment.objects.get()
    assert recorded.outcome is Outcome.STORED
    assert judgment.choice == Choice.RIGHT
    assert judgment.chosen == item.right
    assert judgment.item.shown_at == later(seconds=10)
    assert judgment.answered_at == later(seconds=15)
    assert (judgment.active_ms, judgment.focus_losses, judgment.layout) == (4000, 1, "stacked")
    assert (judgment.viewport_width, judgment.viewport_height) == (375, 812)
    assert not judgment.is_fast
    assert not judgment.has_impossible_timing


def test_an_item_keeps_the_time_of_its_first_showing(participant):
    show_item(participant_id=participant.pk, position=1, now=NOW)
    item = show_item(participant_id=participant.pk, position=1, now=later(minutes=5))
    assert item.shown_at == NOW


def test_since_when_another_screen_is_shown_than_the_protocols_is_written_down_once(
    participant, monkeypatch
):
    # Case C21: answers before and after are told apart, though their version is the same.
    answer(participant, 1)
    show_item(participant_id=participant.pk, position=2, now=NOW)
    assert not AuditEntry.objects.filter(event="screen_changed").exists()
    monkeypatch.setattr("judgments.actions.judging.screen_sha256", lambda: "another style")
    for minute in (1, 2):
        answer(participant, minute + 1, now=later(minutes=minute))
        show_item(participant_id=participant.pk, position=minute + 2, now=later(minutes=minute))
    entry = AuditEntry.objects.get(event="screen_changed")
    assert (entry.at, entry.participant_id) == (later(minutes=1), None)
    assert entry.details == {"version": 1, "screen": "another style"}


@pytest.mark.parametrize(
    ("answered_after_ms", "active_ms", "is_fast", "is_impossible"),
    [
        (499, 400, True, False),
        (500, 400, False, False),
        (15_000, 1_215_000, False, True),  # 20 minutes in a hidden tab counted as active
        (15_000, 16_900, False, False),  # within the tolerance of clocks
        (15_000, None, False, False),
    ],
)
def test_times_that_are_too_short_or_impossible_are_flagged_and_stored(
    participant, answered_after_ms, active_ms, is_fast, is_impossible
):
    show_item(participant_id=participant.pk, position=1, now=NOW)
    judgment = record_judgment(
        participant_id=participant.pk,
        position=1,
        choice=Choice.LEFT,
        report=ClientReport(active_ms=active_ms),
        now=later(milliseconds=answered_after_ms),
    ).judgment
    assert (judgment.is_fast, judgment.has_impossible_timing) == (is_fast, is_impossible)


def test_the_same_answer_again_is_the_same_row_also_when_others_followed(participant):
    first = answer(participant, 1)
    answer(participant, 2)
    again = answer(participant, 1, now=later(minutes=1))
    assert again.outcome is Outcome.REPEATED
    assert again.judgment == first.judgment
    assert again.judgment.answered_at == NOW


def test_the_last_answer_can_be_changed_and_changed_back_and_every_change_is_kept(participant):
    answer(participant, 1, Choice.LEFT)
    answer(participant, 1, Choice.RIGHT, now=later(seconds=5))
    judgment = answer(participant, 1, Choice.LEFT, now=later(seconds=9)).judgment
    assert judgment.chosen == judgment.item.left
    assert judgment.answered_at == NOW
    changes = Revision.objects.values_list("choice_before", "choice_after", "revised_at")
    assert list(changes) == [
        ("left", "right", later(seconds=5)),
        ("right", "left", later(seconds=9)),
    ]


def test_a_comment_is_kept_and_can_be_rewritten_as_long_as_the_answer(participant):
    def comment_on(position, comment):
        show_item(participant_id=participant.pk, position=position, now=NOW)
        return record_judgment(
            participant_id=participant.pk,
            position=position,
            choice=Choice.LEFT,
            comment=comment,
            now=NOW,
        ).outcome

    assert comment_on(1, "Near.") == Outcome.STORED
    again = {"participant_id": participant.pk, "position": 1, "choice": Choice.LEFT, "now": NOW}
    assert record_judgment(**again, comment="Near.").outcome == Outcome.REPEATED
    assert record_judgment(**again, comment="Close.").outcome == Outcome.REVISED
    assert Judgment.objects.get().comment == "Close."
    assert not Revision.objects.exists()  # the choice stayed
    answer(participant, 2)
    with pytest.raises(AnswerFinal):
        record_judgment(**again, comment="Far.")
    assert Judgment.objects.get(item__position=1).comment == "Close."


def test_an_answer_that_is_not_the_last_one_is_final(participant):
    answer(participant, 1)
    answer(participant, 2)
    with pytest.raises(AnswerFinal):
        answer(participant, 1, Choice.RIGHT)
    assert Judgment.objects.get(item__position=1).choice == Choice.LEFT
    assert not Revision.objects.exists()


def test_an_answer_is_final_once_the_sixth_pair_of_its_scenario_is_stored(participant):
    sixth = positions_of(participant, 1, ItemKind.JUDGMENT)[-1]
    answer_all(participant, range(1, sixth + 1))
    with pytest.raises(AnswerFinal):
        answer(participant, sixth, Choice.RIGHT)


@pytest.mark.parametrize("position", [2, 60, 61, 0])
def test_only_the_next_item_can_be_shown_or_answered(participant, position):
    with pytest.raises(NotNext):
        show_item(participant_id=participant.pk, position=position, now=NOW)
    with pytest.raises(NotNext):
        record_judgment(
            participant_id=participant.pk, position=position, choice=Choice.LEFT, now=NOW
        )
    assert not Judgment.objects.exists()


def test_no_item_is_answered_before_consent():
    participant = join(make_study(n_per_domain=3)).participant
    with pytest.raises(NotNext):
        answer(participant, 1)


def test_no_item_is_answered_before_the_break_is_over(participant):
    last = positions_of(participant, 2)[-1]
    answer_all(participant, range(1, last + 1))
    with pytest.raises(NotNext):
        record_judgment(
            participant_id=participant.pk, position=last + 1, choice=Choice.LEFT, now=NOW
        )
    assert answer(participant, last + 1).outcome is Outcome.STORED


def test_a_choice_that_the_protocol_does_not_offer_is_refused(participant):
    for choice in (Choice.EQUAL, Choice.CANNOT_JUDGE):
        with pytest.raises(ChoiceNotOffered):
            answer(participant, 1, choice)


def test_somebody_who_was_erased_can_answer_no_more(participant):
    leave_and_delete(participant_id=participant.pk, now=NOW)
    with pytest.raises(ParticipantNotFound):
        record_judgment(participant_id=participant.pk, position=1, choice=Choice.LEFT, now=NOW)


def test_after_five_minutes_the_next_item_is_18_and_after_25_hours_the_place_is_lost(participant):
    answer_all(participant, range(1, 18))
    assert (
        show_item(participant_id=participant.pk, position=18, now=later(minutes=5)).position == 18
    )
    assert Judgment.objects.count() == 17
    with pytest.raises(NotNext):
        show_item(participant_id=participant.pk, position=18, now=later(hours=25, minutes=5))


def test_a_cell_gets_its_code_with_its_sixth_pair_and_not_before(participant):
    *before, sixth = positions_of(participant, 1, ItemKind.JUDGMENT)
    for item in participant.items.filter(position__lt=sixth).order_by("position"):
        answer(participant, item.position, better_side(item))
    cell = Cell.objects.get(participant=participant, place=1)
    assert len(before) == 5
    assert cell.completed_at is None
    answer(
        participant, sixth, better_side(participant.items.get(position=sixth)), now=later(hours=1)
    )
    cell.refresh_from_db()
    # the lower number chosen in all pairs: 111111, ranks 1 2 3 4
    assert (cell.code, cell.is_usable) == (63, True)
    assert cell.completed_at == later(hours=1)
    assert code_ranks()[cell.code].tolist() == [2, 4, 6, 8]


def test_a_code_is_that_of_the_choices_whatever_the_sides(participant):
    """Choosing always left: bit k is set where the lower number of pair k is on the left."""
    answer_all(participant, positions := range(1, positions_of(participant, 1)[-1] + 1))
    assert positions
    cell = Cell.objects.get(participant=participant, place=1)
    assert cell.code == cell.orientation


@pytest.fixture
def lenient():
    return join_ready(make_study(n_per_domain=3, allows_equal=True, allows_cannot_judge=True))


@pytest.mark.parametrize(
    ("choice", "is_usable"), [(Choice.EQUAL, True), (Choice.CANNOT_JUDGE, False)]
)
def test_a_tie_leaves_a_cell_usable_without_a_code_and_cannot_judge_does_not(
    lenient, choice, is_usable
):
    """A complete cell that is not usable is served no more, although its judge is still there."""
    assert answer(lenient, 1, choice).judgment.chosen is None
    answer_all(lenient, positions_of(lenient, 1)[1:])
    cell = Cell.objects.get(participant=lenient, place=1)
    assert (cell.code, cell.is_usable) == (None, is_usable)
    assert cell.completed_at is not None
    slug = cell.scenario_id
    assert coverage(lenient.study, [slug], now=later(minutes=1))[slug] == is_usable


def test_checks_do_not_enter_the_code(participant):
    cell = Cell.objects.get(participant=participant, place=1)
    for item in participant.items.filter(cell=cell).order_by("position"):
        side = better_side(item)
        wrong = Choice.RIGHT if side == Choice.LEFT else Choice.LEFT
        answer(participant, item.position, side if item.kind == ItemKind.JUDGMENT else wrong)
    cell.refresh_from_db()
    assert cell.code == 63


def test_all_60_answers_are_48_judgments_of_eight_complete_cells_and_12_checks(participant):
    answer_all(participant)
    kinds = list(Judgment.objects.values_list("item__kind", flat=True))
    assert kinds.count("judgment") == 48
    assert len(kinds) == 60
    assert Cell.objects.filter(is_usable=True, code__isnull=False).count() == 8
    pairs = Judgment.objects.filter(item__kind="judgment").values_list(
        "item__cell", "item__left__number", "item__right__number"
    )
    for _, rows in itertools.groupby(sorted(pairs), key=lambda row: row[0]):
        assert sorted(tuple(sorted(row[1:])) for row in rows) == sorted(PAIRS)


def test_a_careful_reader_fails_no_check(participant):
    for item in participant.items.order_by("position"):
        asked = item.expected and (Choice.LEFT if item.expected == item.left else Choice.RIGHT)
        answer(participant, item.position, asked or better_side(item))
    outcomes = check_outcomes(participant)
    assert (outcomes.n_instructed, outcomes.n_instructed_passed) == (4, 4)
    assert (outcomes.n_dominated, outcomes.n_dominated_passed) == (4, 4)
    assert (outcomes.n_repeats, outcomes.n_repeats_consistent) == (4, 4)
    assert outcomes.n_failed == 0


def test_always_left_passes_half_of_the_instructed_checks_and_no_repeat(participant):
    """A repeat has its sides swapped, so the same side is the other action."""
    answer_all(participant)
    outcomes = check_outcomes(participant)
    assert outcomes.n_instructed_passed == outcomes.n_dominated_passed == 2
    assert outcomes.n_repeats_consistent == 0
    assert outcomes.n_failed == 6


def test_an_equal_repeat_is_consistent_with_an_equal_original(lenient):
    for position in range(1, 61):
        answer(lenient, position, Choice.EQUAL)
    assert check_outcomes(lenient).n_repeats_consistent == 4
