"""The columns of every table of an export; those of a model's field take its words and codes."""

from catalog.tabular_files import Cell
from judgments.assignment import ItemKind
from judgments.exports.columns import (
    Names,
    Taken,
    action_name,
    instant,
    numbers_only,
    participant_flags,
    participant_name,
    staff_name,
    without_names,
)
from judgments.models import Choice
from scoring.ranks import code_triads

PSEUDONYM = "Pseudonym, the same in every file and every export of the study."
ACTION = "Scenario/number; number 4 is the foil of dominated pairs."
UTC_TIME = "UTC, ISO 8601 with offset."
SIDES = (Choice.LEFT.value, Choice.RIGHT.value)


def _side(names: Names, choice: str) -> Cell:
    return choice if choice in SIDES else None


def _is_check(names: Names, kind: str) -> Cell:
    return kind != ItemKind.JUDGMENT


def _no_count(names: Names, n: int | None) -> Cell:
    return n or 0


def _triads(names: Names, code: int | None) -> Cell:
    return None if code is None else int(code_triads()[code])


def _participant(path: str) -> Taken:
    return Taken("participant", str, path, PSEUDONYM, participant_name)


def _version(path: str) -> Taken:
    return Taken(
        "protocol_version", int, path, "Under which the participant joined; pool with care."
    )


ITEMS = (
    _participant("participant_id"),
    Taken("participant_kind", str, "participant__kind", "Robots are no people."),
    _version("participant__protocol__number"),
    Taken("scenario", str, "cell__scenario_id", "Name of the scenario."),
    Taken("domain", str, "cell__scenario__domain", "Field of the scenario."),
    Taken("place", int, "cell__place"),
    Taken("position", int, "position"),
    Taken("item_kind", str, "kind", "A pair that ranks, or one of three kinds of checks."),
    Taken("is_check", bool, "kind", "Every kind but judgment: out of all rankings.", _is_check),
    Taken("repeat_of", int, "repeat_of__position", "Position of the pair that is repeated."),
    Taken("left_id", str, "left_id", f"On the left, called A. {ACTION}", action_name),
    Taken("right_id", str, "right_id", f"On the right, called B. {ACTION}", action_name),
    Taken("choice", str, "judgment__choice", "The answer as it stands."),
    Taken("side", str, "judgment__choice", "The side chosen, if one was.", _side, SIDES),
    Taken("chosen_id", str, "judgment__chosen_id", "The action chosen, if one was.", action_name),
    Taken("expected_id", str, "expected_id", "The action that passes the check.", action_name),
    Taken("shown_at", str, "shown_at", f"First shown, by the server. {UTC_TIME}", instant),
    Taken(
        "answered_at",
        str,
        "judgment__answered_at",
        f"First answered, by the server. {UTC_TIME}",
        instant,
    ),
    Taken("active_ms", int, "judgment__active_ms"),
    Taken("focus_losses", int, "judgment__focus_losses", "How often the page lost the focus."),
    Taken("layout", str, "judgment__layout", "How the two cards stood."),
    Taken("viewport_width", int, "judgment__viewport_width", "In CSS pixels."),
    Taken("viewport_height", int, "judgment__viewport_height", "In CSS pixels."),
    Taken("n_revisions", int, "n_revisions", "Changes of the answer.", _no_count),
    Taken("is_fast", bool, "judgment__is_fast"),
    Taken("has_impossible_timing", bool, "judgment__has_impossible_timing"),
    Taken("comment", str, "judgment__comment", "As typed: read it before you publish it."),
    Taken(
        "flags",
        str,
        "participant_id",
        "Quality flags of the participant, separated by spaces; a flag excludes nobody.",
        participant_flags,
    ),
)

REVISIONS = (
    _participant("judgment__participant_id"),
    _version("judgment__participant__protocol__number"),
    Taken("scenario", str, "judgment__item__cell__scenario_id", "Name of the scenario."),
    Taken("position", int, "judgment__item__position", "Of the item."),
    Taken("choice_before", str, "choice_before", "The answer until then."),
    Taken("choice_after", str, "choice_after", "The answer from then on."),
    Taken("revised_at", str, "revised_at", UTC_TIME, instant),
)

CELLS = (
    _participant("participant_id"),
    _version("participant__protocol__number"),
    Taken("scenario", str, "scenario_id", "Name of the scenario."),
    Taken("domain", str, "scenario__domain", "Field of the scenario."),
    Taken("place", int, "place"),
    Taken("orientation", int, "orientation"),
    Taken("completed_at", str, "completed_at", f"With the sixth pair. {UTC_TIME}", instant),
    Taken("is_usable", bool, "is_usable", "Six choices or ties: the cell has ranks."),
    Taken(
        "code",
        int,
        "code",
        "Six forced choices; bit k: the lower number of pair k was chosen. "
        "Pairs: 01, 02, 03, 12, 13, 23.",
    ),
    Taken("circular_triads", int, "code", "Of the four possible, 0 to 2; from the code.", _triads),
)

RANKINGS = (
    _participant("participant_id"),
    _version("participant__protocol__number"),
    Taken("place", int, "cell__place"),
    Taken("scenario", str, "cell__scenario_id", "Name of the scenario."),
    Taken("action_id", str, "action", "Scenario/number."),
    Taken(
        "mid_rank",
        float,
        "mid_rank",
        "1 for the action chosen most often, 4 for the least; equal ones share their mean. "
        "A tie is half a win.",
    ),
)

PARTICIPANTS = (
    _participant("id"),
    Taken("participant_kind", str, "kind", "Robots are no people."),
    _version("protocol__number"),
    Taken("joined_at", str, "joined_at", UTC_TIME, instant),
    Taken("consented_at", str, "consent__answered_at", UTC_TIME, instant),
    Taken("consent_locale", str, "consent__locale", "Language of the consent text."),
    Taken("consent_text_sha256", str, "consent__text_sha256", "Of the text as it was shown."),
    Taken("is_eligible", bool, "is_eligible", "As they said; empty: not asked yet."),
    Taken("n_comprehension_attempts", int, "n_comprehension_attempts", "0 to 2.", _no_count),
    Taken("passed_comprehension", bool, "passed_comprehension", "At one of the attempts."),
    Taken("n_judgments", int, "n_judgments", "Answered pairs, checks left out."),
    Taken("n_instructed", int, "n_instructed", "Answered checks that name a label."),
    Taken("n_instructed_passed", int, "n_instructed_passed", "Of these, answered as asked."),
    Taken("n_dominated", int, "n_dominated", "Answered dominated pairs: for analysis only."),
    Taken("n_dominated_passed", int, "n_dominated_passed", "Of these, the better one chosen."),
    Taken("n_repeats", int, "n_repeats", "Answered pairs that repeat an earlier one."),
    Taken("n_repeats_consistent", int, "n_repeats_consistent", "Of these, answered alike."),
    Taken("active_ms", int, "active_ms", "Sum over the answers that have one."),
    Taken("breaks_taken", int, "breaks_taken", "Break cards passed."),
    Taken("finished_at", str, "debriefed_at", f"Empty: not finished. {UTC_TIME}", instant),
    Taken("flags", str, "id", "Quality flags, separated by spaces.", participant_flags),
    Taken("closing_comment", str, "closing_comment", "As typed: read it before you publish it."),
)

AUDIT = (
    Taken("number", int, "id", "In the order of what was done, with gaps."),
    Taken("at", str, "at", UTC_TIME, instant),
    Taken("event", str, "event", "What was done."),
    Taken("staff", str, "staff_id", "By whom: numbered in the order of their deeds.", staff_name),
    Taken(
        "participant",
        str,
        "exported_participant",
        f"{PSEUDONYM} Only of those who are in participants.",
        participant_name,
    ),
    Taken("reason", str, "reason", "As staff wrote it, ids and addresses hidden.", without_names),
    Taken("figures", str, "details", "JSON; texts are left out.", numbers_only),
)
