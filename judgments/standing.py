"""How a participant stands, in the words of the monitor."""

from enum import StrEnum

from judgments.steps import Progress, Step, next_step


class Standing(StrEnum):
    """Where a participant is, in the order of the path; then the ways in which it can stop."""

    CONSENT = "consent"
    ELIGIBILITY = "eligibility"
    INSTRUCTIONS = "instructions"
    COMPREHENSION = "comprehension"
    ITEMS = "comparing"
    DEBRIEF = "debrief"
    COMPLETE = "complete"
    QUIET = "quiet"
    LOST_PLACE = "lost place"
    STUDY_OVER = "study over"
    SCREENED_OUT = "screened out"
    REFUSED = "refused"


WORDS = {
    Standing.CONSENT: "reads the consent text",
    Standing.ELIGIBILITY: "answers the question on eligibility",
    Standing.INSTRUCTIONS: "reads the instructions",
    Standing.COMPREHENSION: "answers the comprehension check",
    Standing.ITEMS: "compares proposals",
    Standing.DEBRIEF: "has answered everything; the code is not fetched yet",
    Standing.COMPLETE: "finished and has a code",
    Standing.QUIET: "away for longer than the hold; can come back",
    Standing.LOST_PLACE: "away for longer than the resume rule allows",
    Standing.STUDY_OVER: "in the middle when the results became public",
    Standing.SCREENED_OUT: "not eligible, or failed the comprehension check twice",
    Standing.REFUSED: "did not consent",
}
WITHOUT_CONSENT = frozenset({Standing.CONSENT, Standing.REFUSED})
# Whoever is here has an answer to give, and can come back for it.
IN_THE_MIDDLE = frozenset(
    {
        Standing.ELIGIBILITY,
        Standing.INSTRUCTIONS,
        Standing.COMPREHENSION,
        Standing.ITEMS,
        Standing.QUIET,
    }
)

_OF_STEP = {
    Step.CONSENT: Standing.CONSENT,
    Step.ELIGIBILITY: Standing.ELIGIBILITY,
    Step.INSTRUCTIONS: Standing.INSTRUCTIONS,
    Step.COMPREHENSION: Standing.COMPREHENSION,
    Step.ITEM: Standing.ITEMS,
    Step.BREAK: Standing.ITEMS,
    Step.DEBRIEF: Standing.DEBRIEF,
    Step.COMPLETE: Standing.COMPLETE,
    Step.REFUSED: Standing.REFUSED,
    Step.SCREENED_OUT: Standing.SCREENED_OUT,
    Step.LOST_PLACE: Standing.LOST_PLACE,
    Step.STUDY_OVER: Standing.STUDY_OVER,
}
# Whoever is here holds nothing, or has answered all there is.
_SETTLED = WITHOUT_CONSENT | {
    Standing.DEBRIEF,
    Standing.COMPLETE,
    Standing.LOST_PLACE,
    Standing.STUDY_OVER,
    Standing.SCREENED_OUT,
}


def standing_of(progress: Progress, *, is_holding: bool) -> Standing:
    """Return how somebody stands; `is_holding` tells whether the scenarios are still kept."""
    if progress.consented is None:
        return Standing.CONSENT
    standing = _OF_STEP[next_step(progress).step]
    return standing if standing in _SETTLED or is_holding else Standing.QUIET
