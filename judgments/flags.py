"""Quality flags: signs that somebody should look at a person's answers. A flag excludes nobody.

The limits are stated for the design of the source study (arXiv 2611.00773v1): 8 scenarios, 48
pairs, 60 screens, 8 checks that can fail. In another design each is scaled as its rule says. A
person who is not through is flagged only where no later answer could take the flag back, except
for reading speed, which is taken over the scenarios that are complete.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

# specs/judgments.md, "Quality flags"; those of time are review flags of the source study too.
FAILED_CHECKS, CHECKS_THAT_CAN_FAIL = 2, 8
TRIADS, MAX_TRIADS = 5, 16
SIDE_EXCESS, PAIRS_OF_DESIGN = 10, 48
SAME_SIDE_RUN = 12
SHARE_OF_MEDIAN = 0.5
SHORTEST, SCREENS_OF_DESIGN = timedelta(minutes=10), 60
# Ours. Silent reading of English prose has a mean of 238 words a minute (M. Brysbaert, "How many
# words do we read per minute?", Journal of Memory and Language 109, 2019). Who needs less than
# half of that time, each text counted once, cannot have read it all.
WORDS_PER_MINUTE = 500
# Ours: a median of fewer people is no yardstick.
PEOPLE_FOR_MEDIAN = 5

TRIADS_PER_SCENARIO = 2  # at most, among four actions
MS_PER_MINUTE = 60_000


class Rule(StrEnum):
    """What is looked at. The value is the code in exports."""

    CHECKS = "failed-checks"
    TRIADS = "circular-triads"
    SIDES = "one-sided"
    RUN = "same-side-run"
    TOTAL = "short-total"
    SPEED = "fast-reading"
    DURATION = "short-duration"


WORDS: Mapping[Rule, str] = {
    Rule.CHECKS: (
        "At least 2 of the 8 checks that can fail were failed: instructed pairs, and repeated "
        "pairs answered otherwise. In another design a quarter of them, at least 2."
    ),
    Rule.TRIADS: (
        "At least 5 circular triads (A over B, B over C, C over A) of the 16 that 8 scenarios "
        "allow. In another design five sixteenths of what it allows. Scenarios with a tie or an "
        "answer “cannot judge” are left out."
    ),
    Rule.SIDES: (
        "The left was chosen at least 10 times more or less often than in 24 of 48 pairs. In "
        "another design, or with ties, as many standard deviations (2.9) from even. Checks are "
        "left out."
    ),
    Rule.RUN: (
        "The same side was chosen in at least 12 pairs in a row, whatever the design. Checks are "
        "left out; a tie ends a run."
    ),
    Rule.TOTAL: (
        "The active time over all screens is under half the median of those who finished the same "
        f"protocol version and count; at least {PEOPLE_FOR_MEDIAN} must have finished."
    ),
    Rule.SPEED: (
        f"More than {WORDS_PER_MINUTE} words an active minute over the complete scenarios, every "
        "text counted once: about twice the mean speed of silent reading (238, Brysbaert 2019)."
    ),
    Rule.DURATION: (
        "Less than 10 minutes from the first screen to the last answer by the server's clock, "
        "pauses included. In another design 10 seconds a screen."
    ),
}


class Verdict(StrEnum):
    """How a rule stands for a person."""

    RAISED = "raised"
    CLEAR = "clear"
    OPEN = "open"  # later answers decide
    UNDEFINED = "undefined"  # what the rule needs was not recorded, or cannot be told


@dataclass(frozen=True)
class Flag:
    """One rule and one person. `figures` says what the verdict rests on, or why there is none."""

    rule: Rule
    verdict: Verdict
    figures: str

    @property
    def words(self) -> str:
        return WORDS[self.rule]

    @property
    def is_raised(self) -> bool:
        return self.verdict is Verdict.RAISED


@dataclass(frozen=True)
class Figures:
    """What is known of one person's answers; pairs are those that rank, checks left out.

    The first five are of the design, as it was drawn at join. `active_ms` is None unless every
    answer has a possible active time, `read_active_ms` likewise for the screens of the complete
    scenarios, `read_words` being the words of these.
    """

    n_screens: int
    n_pairs: int
    n_scenarios: int
    n_can_fail: int
    n_answered: int
    n_untimed: int
    n_failed: int
    n_can_fail_answered: int
    n_left: int
    n_right: int
    longest_run: int
    n_complete: int
    n_coded: int
    n_triads: int
    active_ms: int | None
    read_words: int
    read_active_ms: int | None
    duration: timedelta | None

    @property
    def is_through(self) -> bool:
        return self.n_answered == self.n_screens


def assess(figures: Figures, *, median_ms: float | None) -> tuple[Flag, ...]:
    """Return every rule with its verdict; `median_ms` is that of the total active time."""
    return (
        *(rule(figures) for rule in _RULES),
        _short_total(figures, median_ms),
    )


def stated_limits() -> dict[str, float]:
    """Return every limit above, by which anybody can tell that one was changed."""
    return {
        "failed_checks": FAILED_CHECKS,
        "checks_that_can_fail": CHECKS_THAT_CAN_FAIL,
        "triads": TRIADS,
        "max_triads": MAX_TRIADS,
        "side_excess": SIDE_EXCESS,
        "pairs_of_design": PAIRS_OF_DESIGN,
        "same_side_run": SAME_SIDE_RUN,
        "share_of_median": SHARE_OF_MEDIAN,
        "shortest_seconds": SHORTEST.total_seconds(),
        "screens_of_design": SCREENS_OF_DESIGN,
        "words_per_minute": WORDS_PER_MINUTE,
        "people_for_median": PEOPLE_FOR_MEDIAN,
    }


def checks_limit(n_can_fail: int) -> int:
    """Return how many failed checks raise the flag."""
    share = math.ceil(n_can_fail * FAILED_CHECKS / CHECKS_THAT_CAN_FAIL)
    return max(FAILED_CHECKS, share)


def triads_limit(n_scenarios: int) -> int:
    """Return how many circular triads raise the flag."""
    return math.ceil(n_scenarios * TRIADS_PER_SCENARIO * TRIADS / MAX_TRIADS)


def side_limit(n_pairs: int) -> int:
    """Return how often one side must be chosen to raise the flag; more than n_pairs: never."""
    # The excess grows with the square root of the number, as chance does.
    excess = 2 * SIDE_EXCESS * math.sqrt(n_pairs / PAIRS_OF_DESIGN)
    return math.ceil((n_pairs + excess) / 2)


def duration_limit(n_screens: int) -> timedelta:
    """Return the time under which the flag is raised."""
    return SHORTEST * n_screens / SCREENS_OF_DESIGN


def _checks(figures: Figures) -> Flag:
    limit = checks_limit(figures.n_can_fail)
    if figures.n_can_fail < limit:
        return _undefined(Rule.CHECKS, f"only {figures.n_can_fail} checks can fail")
    words = f"{figures.n_failed} of {figures.n_can_fail_answered} failed, limit {limit}"
    return _counted(Rule.CHECKS, figures, words, is_raised=figures.n_failed >= limit)


def _triads(figures: Figures) -> Flag:
    limit = triads_limit(figures.n_scenarios)
    if figures.is_through and not figures.n_coded:
        return _undefined(Rule.TRIADS, "no scenario with six forced choices")
    words = f"{figures.n_triads} in {figures.n_coded} scenarios, limit {limit}"
    return _counted(Rule.TRIADS, figures, words, is_raised=figures.n_triads >= limit)


def _sides(figures: Figures) -> Flag:
    n_sided = figures.n_left + figures.n_right
    # A tie takes a pair out and lowers the limit, so who reaches that of all pairs stays above it.
    n_compared = n_sided if figures.is_through else figures.n_pairs
    limit = side_limit(n_compared)
    if not n_compared or limit > n_compared:
        return _undefined(Rule.SIDES, f"{n_compared} pairs with a side cannot be told from chance")
    words = f"{figures.n_left} left, {figures.n_right} right, limit {limit}"
    more = max(figures.n_left, figures.n_right)
    return _counted(Rule.SIDES, figures, words, is_raised=more >= limit)


def _run(figures: Figures) -> Flag:
    if figures.n_pairs < SAME_SIDE_RUN:
        return _undefined(Rule.RUN, f"only {figures.n_pairs} pairs")
    words = f"{figures.longest_run} in a row, limit {SAME_SIDE_RUN}"
    return _counted(Rule.RUN, figures, words, is_raised=figures.longest_run >= SAME_SIDE_RUN)


def _speed(figures: Figures) -> Flag:
    if not figures.n_complete:
        return Flag(Rule.SPEED, Verdict.OPEN, "no scenario is complete")
    if figures.read_active_ms is None:
        return _undefined(Rule.SPEED, _untimed(figures))
    minutes = figures.read_active_ms / MS_PER_MINUTE
    words = (
        f"{figures.read_words} words in {minutes:.1f} active minutes, limit {WORDS_PER_MINUTE} "
        "a minute"
    )
    is_raised = figures.read_words > WORDS_PER_MINUTE * minutes
    return Flag(Rule.SPEED, Verdict.RAISED if is_raised else Verdict.CLEAR, words)


def _duration(figures: Figures) -> Flag:
    if figures.duration is None:
        if figures.is_through:
            return _undefined(Rule.DURATION, "when the first screen was shown is not known")
        return Flag(Rule.DURATION, Verdict.OPEN, "nothing answered")
    limit = duration_limit(figures.n_screens)
    words = f"{_minutes(figures.duration)} min, limit {_minutes(limit)} min"
    return _timed(Rule.DURATION, figures, words, is_short=figures.duration < limit)


def _short_total(figures: Figures, median_ms: float | None) -> Flag:
    if figures.active_ms is None:
        return _undefined(Rule.TOTAL, _untimed(figures))
    if median_ms is None:
        return _undefined(Rule.TOTAL, f"fewer than {PEOPLE_FOR_MEDIAN} people finished with times")
    limit = median_ms * SHARE_OF_MEDIAN
    mine = timedelta(milliseconds=figures.active_ms)
    words = (
        f"{_minutes(mine)} active min, limit {_minutes(timedelta(milliseconds=limit))} min "
        f"(half of the median {_minutes(timedelta(milliseconds=median_ms))} min)"
    )
    return _timed(Rule.TOTAL, figures, words, is_short=figures.active_ms < limit)


_RULES: tuple[Callable[[Figures], Flag], ...] = (_checks, _triads, _sides, _run, _speed, _duration)


def _counted(rule: Rule, figures: Figures, words: str, *, is_raised: bool) -> Flag:
    """Return the flag of a count that only grows."""
    if is_raised:
        return Flag(rule, Verdict.RAISED, words)
    return Flag(rule, Verdict.CLEAR if figures.is_through else Verdict.OPEN, words)


def _timed(rule: Rule, figures: Figures, words: str, *, is_short: bool) -> Flag:
    """Return the flag of a time that only grows."""
    if not is_short:
        return Flag(rule, Verdict.CLEAR, words)
    return Flag(rule, Verdict.RAISED if figures.is_through else Verdict.OPEN, words)


def _undefined(rule: Rule, reason: str) -> Flag:
    return Flag(rule, Verdict.UNDEFINED, reason)


def _untimed(figures: Figures) -> str:
    if not figures.n_answered:
        return "nothing answered"
    return f"no possible active time for {figures.n_untimed} of {figures.n_answered} answers"


def _minutes(duration: timedelta) -> str:
    return f"{duration.total_seconds() / 60:.1f}"
