"""Read an action out of the raw text of a response, or say why there is none.

A response is lines ``Label: value``. The labels are Action, Reason, Target, Justification,
Interventions, Seeds, Success criterion and Prediction, in any order and case. An interface passes
on some of them, once each and strictly; the others open free text, which is recorded with the
response and never read. If a line ``Final answer:`` stands alone, only what follows it is read.

References
----------
.. [1] Designing Informative Actions: Action Construction for Long-Horizon Research Agents,
   arXiv 2611.00773v1.
"""

import enum
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from scoring import readings
from scoring.information import MAX_SEEDS, N_INTERVENTIONS, SEEDS
from scoring.readings import Action, ReadingScore

IDENTIFIERS = tuple(f"I{j}" for j in range(N_INTERVENTIONS))
# ASCII only: without the flag, other alphabets' letters and digits would fold into these.
LABELS = re.compile(
    r"(action|reason|target|justification|interventions|seeds|success criterion|prediction)"
    r"\s*:\s*(.*)",
    re.IGNORECASE | re.ASCII,
)
FINAL_ANSWER = re.compile(r"final answer\s*:", re.IGNORECASE | re.ASCII)
BRACKETED = re.compile(r"\{(.*)\}|\[(.*)\]")
INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
LINE_END = re.compile(r"\r\n|\r|\n")
MAX_SEEDS_DIGITS = len(str(MAX_SEEDS))


class Interface(enum.StrEnum):
    """What a request asks for; the value is the interface's public name."""

    ACTION_NAME = "l1"
    TARGET = "l2"
    DESIGN = "l3"
    DESIGN_WITH_PREDICTION = "l4"
    SHORT_DESIGN = "l3-short"
    PADDED_ACTION_NAME = "l1-padded"
    JSON_DESIGN = "json-design"
    THINK_THEN_ACT = "think-then-act"
    PLAN_AND_SOLVE = "plan-and-solve"
    SELF_REFINE = "self-refine"


class Reason(enum.StrEnum):
    """Why a response is invalid; the value is stored with it."""

    EMPTY = "empty"
    TWO_ANSWERS = "two answers"
    TEXT_OUTSIDE_FIELDS = "text outside the fields"
    MORE_THAN_ONE_LINE = "more than one line"
    NOT_JSON = "not one JSON object"
    MISSING = "missing"
    NOT_A_NAME = "not a name"
    UNKNOWN_IDENTIFIER = "unknown identifier"
    NO_INTERVENTIONS = "no interventions"
    REPEATED_INTERVENTION = "repeated intervention"
    NOT_AN_INTEGER = "not an integer"
    OUT_OF_RANGE = "out of range"


class InvalidResponseError(Exception):
    """A response holds no action; it scores 0 and stays in the denominator.

    Attributes
    ----------
    reason : Reason
    field : str
        The field at fault; empty if it is the response as a whole.
    """

    def __init__(self, reason: Reason, field: str = "") -> None:
        super().__init__(f"{field}: {reason}" if field else str(reason))
        self.reason = reason
        self.field = field


@dataclass(frozen=True)
class ParsedResponse:
    """What the parser passes on.

    Attributes
    ----------
    action : scoring.readings.Action
        Without the parts that the interface does not pass on.
    name : str
        The action's name, recorded and not scored; empty unless the interface passes it on.
    """

    action: Action
    name: str = ""


NAME_FIELDS = ("action",)
TARGET_FIELDS = ("target",)
DESIGN_FIELDS = ("target", "interventions", "seeds")
PASSED_FIELDS = dict.fromkeys(Interface, DESIGN_FIELDS) | {
    Interface.ACTION_NAME: NAME_FIELDS,
    Interface.PADDED_ACTION_NAME: NAME_FIELDS,
    Interface.TARGET: TARGET_FIELDS,
}


def parse(interface: Interface, response: str) -> ParsedResponse:
    r"""Return the action that a response states.

    Parameters
    ----------
    interface : Interface
        What the request asked for.
    response : str
        The raw text of the final answer, without any reasoning trace.

    Returns
    -------
    ParsedResponse

    Raises
    ------
    InvalidResponseError
        If the response is empty, cannot be parsed or is outside its domain.

    Examples
    --------
    >>> parse(Interface.DESIGN, "Target: I3\nInterventions: {I1, I3}\nSeeds: 8").action
    Action(target=3, interventions=(1, 3), n=8)
    >>> parse(Interface.DESIGN, "Target: I3\nInterventions: {I1, I3}\nSeeds: 13")
    Traceback (most recent call last):
    ...
    scoring.responses.InvalidResponseError: seeds: out of range
    """
    answer = _final_answer(response)
    if not answer.strip():
        raise InvalidResponseError(Reason.EMPTY)
    fields = PASSED_FIELDS[interface]
    if interface is Interface.JSON_DESIGN:
        values = _json_values(answer, fields)
    else:
        values = _line_values(_lines(answer, interface), fields)
    for field in fields:
        if values.get(field, "") == "":
            raise InvalidResponseError(Reason.MISSING, field)
    if fields is NAME_FIELDS:
        return ParsedResponse(Action(), _name(values["action"]))
    target = _identifier(values["target"], "target")
    if fields is TARGET_FIELDS:
        return ParsedResponse(Action(target=target))
    interventions = _interventions(values["interventions"])
    return ParsedResponse(Action(target, interventions, _seeds(values["seeds"])))


def score_response(
    prior: ArrayLike, budget: int, interface: Interface, response: str
) -> ReadingScore:
    r"""Return what a raw response is worth in a state, in the default executor mode.

    Parameters
    ----------
    prior : array_like, shape (6,)
        Probability of each mechanism; sums to 1.
    budget : int
        In units of cost, at least 3.
    interface : Interface
        What the request asked for.
    response : str
        As for `parse`.

    Returns
    -------
    ReadingScore
        Without a reading, which scores 0, if the response is invalid.

    Raises
    ------
    ValueError
        If the prior or the budget is out of its range.

    Examples
    --------
    >>> score = score_response([1 / 6] * 6, 4, Interface.TARGET, "Target: I3")
    >>> score.n_readings, score.n_affordable, round(score.efficiency, 3)
    (2, 1, 0.131)
    >>> score_response([1 / 6] * 6, 4, Interface.TARGET, "Target: I7").efficiency
    0.0
    """
    try:
        action = parse(interface, response).action
    except InvalidResponseError:
        return readings.score(prior, budget, [])
    return readings.score(prior, budget, readings.reading_set(action), target=action.target)


def _final_answer(response: str) -> str:
    lines = LINE_END.split(response)
    marks = [i for i, line in enumerate(lines) if FINAL_ANSWER.fullmatch(line.strip())]
    if len(marks) > 1:
        raise InvalidResponseError(Reason.TWO_ANSWERS)
    return "\n".join(lines[marks[0] + 1 :] if marks else lines)


def _lines(answer: str, interface: Interface) -> list[str]:
    lines = [line.strip() for line in answer.split("\n") if line.strip()]
    if interface is not Interface.SHORT_DESIGN:
        return lines
    if len(lines) > 1:
        raise InvalidResponseError(Reason.MORE_THAN_ONE_LINE)
    return [part.strip() for part in lines[0].split(";") if part.strip()]


def _line_values(lines: Sequence[str], fields: Sequence[str]) -> Mapping[str, object]:
    values: dict[str, str] = {}
    in_free_text = False
    for line in lines:
        labelled = LABELS.fullmatch(line)
        label = labelled[1].lower() if labelled else ""
        if labelled and label in fields:
            if label in values:
                raise InvalidResponseError(Reason.TWO_ANSWERS, label)
            values[label] = labelled[2]
            in_free_text = False
        elif labelled:
            in_free_text = True
        elif not in_free_text:
            raise InvalidResponseError(Reason.TEXT_OUTSIDE_FIELDS)
    return {field: _typed(field, text) for field, text in values.items()}


def _typed(field: str, text: str) -> object:
    if not text or field not in {"interventions", "seeds"}:
        return text
    return _listed(text) if field == "interventions" else _integer(text)


def _listed(text: str) -> list[str]:
    bracketed = BRACKETED.fullmatch(text)
    inner = (bracketed[1] or bracketed[2] or "") if bracketed else text
    return [item.strip() for item in inner.split(",")] if inner.strip() else []


def _integer(text: str) -> int:
    if not INTEGER.fullmatch(text):
        raise InvalidResponseError(Reason.NOT_AN_INTEGER, "seeds")
    # Python refuses to convert thousands of digits.
    if len(text) > MAX_SEEDS_DIGITS:
        raise InvalidResponseError(Reason.OUT_OF_RANGE, "seeds")
    return int(text)


def _json_values(answer: str, fields: Sequence[str]) -> Mapping[str, object]:
    try:
        values = json.loads(answer, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        raise InvalidResponseError(Reason.NOT_JSON) from error
    if not isinstance(values, dict):
        raise InvalidResponseError(Reason.NOT_JSON)
    if not values.keys() <= set(fields):
        raise InvalidResponseError(Reason.TEXT_OUTSIDE_FIELDS)
    return values


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise InvalidResponseError(Reason.TWO_ANSWERS)
    return values


def _name(value: object) -> str:
    name = str(value)
    if not any(character.isalpha() for character in name):
        raise InvalidResponseError(Reason.NOT_A_NAME, "action")
    return name


def _identifier(value: object, field: str) -> int:
    # Compared in ASCII: the dotless i of Turkish has I as its upper case.
    if not isinstance(value, str) or not value.isascii() or value.upper() not in IDENTIFIERS:
        raise InvalidResponseError(Reason.UNKNOWN_IDENTIFIER, field)
    return IDENTIFIERS.index(value.upper())


def _interventions(value: object) -> tuple[int, ...]:
    field = "interventions"
    if not isinstance(value, list):
        raise InvalidResponseError(Reason.UNKNOWN_IDENTIFIER, field)
    if not value:
        raise InvalidResponseError(Reason.NO_INTERVENTIONS, field)
    identified = [_identifier(item, field) for item in value]
    if len(set(identified)) < len(identified):
        raise InvalidResponseError(Reason.REPEATED_INTERVENTION, field)
    return tuple(sorted(identified))


def _seeds(value: object) -> int:
    # Not isinstance: JSON's true would pass for 1.
    if type(value) is not int:
        raise InvalidResponseError(Reason.NOT_AN_INTEGER, "seeds")
    if value not in SEEDS:
        raise InvalidResponseError(Reason.OUT_OF_RANGE, "seeds")
    return value
