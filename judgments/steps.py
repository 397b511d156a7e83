"""Which page is next: the server owns the sequence, and any address leads here."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_COMPREHENSION_ATTEMPTS = 2  # recruitment platforms ask for two


class Step(StrEnum):
    """A page of the participant's path."""

    CONSENT = "consent"
    ELIGIBILITY = "eligibility"
    INSTRUCTIONS = "instructions"
    COMPREHENSION = "comprehension"
    ITEM = "item"
    BREAK = "break"
    DEBRIEF = "debrief"
    COMPLETE = "complete"
    REFUSED = "refused"  # no consent
    SCREENED_OUT = "screened-out"  # not eligible, or failed the comprehension check twice
    LOST_PLACE = "lost-place"  # away for too long
    STUDY_OVER = "study-over"  # the results are public


TOO_LATE = frozenset({Step.LOST_PLACE, Step.STUDY_OVER})
ENDS = frozenset({Step.COMPLETE, Step.REFUSED, Step.SCREENED_OUT}) | TOO_LATE


@dataclass(frozen=True)
class Progress:
    """What a participant has done so far, as the rows say.

    None stands for a question that was not answered yet. `answered` tells, item by item in the
    order of presentation, whether it was; `places` has the scenario of each, from 1. `study_over`
    tells that the results are public, so that nothing may move them any more.
    """

    consented: bool | None = None
    eligible: bool | None = None
    read_instructions: bool = False
    comprehension: Sequence[bool] = ()
    answered: Sequence[bool] = ()
    places: Sequence[int] = ()
    breaks_after: Sequence[int] = ()
    breaks_taken: int = 0
    debriefed: bool = False
    place_expired: bool = False
    study_over: bool = False


@dataclass(frozen=True)
class NextStep:
    """The page to show; an item has its position, a break the scenario after which it comes."""

    step: Step
    position: int | None = None
    after_place: int | None = None

    @property
    def has_ended(self) -> bool:
        """Tell whether nothing more is asked of the participant."""
        return self.step in ENDS


def next_step(progress: Progress) -> NextStep:
    """Return the page that follows from what was done."""
    if before := _before_items(progress):
        is_over = progress.study_over and before not in ENDS
        return NextStep(Step.STUDY_OVER if is_over else before)
    if not all(progress.answered):
        return _in_items(progress)
    return NextStep(Step.COMPLETE if progress.debriefed else Step.DEBRIEF)


def _before_items(progress: Progress) -> Step | None:
    """Return the first page before the items that is not done, or how the path ended there."""
    if progress.consented is not True:
        return Step.CONSENT if progress.consented is None else Step.REFUSED
    if progress.eligible is not True:
        return Step.ELIGIBILITY if progress.eligible is None else Step.SCREENED_OUT
    if any(progress.comprehension):
        return None
    if len(progress.comprehension) >= MAX_COMPREHENSION_ATTEMPTS:
        return Step.SCREENED_OUT
    return Step.COMPREHENSION if progress.read_instructions else Step.INSTRUCTIONS


def _in_items(progress: Progress) -> NextStep:
    if progress.place_expired:
        return NextStep(Step.LOST_PLACE)
    if progress.study_over:
        return NextStep(Step.STUDY_OVER)
    index = list(progress.answered).index(False)
    due = [place for place in progress.breaks_after if place < progress.places[index]]
    if len(due) > progress.breaks_taken:
        return NextStep(Step.BREAK, after_place=due[progress.breaks_taken])
    return NextStep(Step.ITEM, position=index + 1)
