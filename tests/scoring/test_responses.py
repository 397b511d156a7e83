"""Every interface meets at least 40 malformed responses, and the odd but legal forms."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import pytest

from scoring import readings
from scoring.readings import Action
from scoring.responses import Interface, InvalidResponseError, Reason, parse

Case = TypeVar("Case")

NAME = (Interface.ACTION_NAME, Interface.PADDED_ACTION_NAME)
DESIGN_LINES = (
    Interface.DESIGN,
    Interface.DESIGN_WITH_PREDICTION,
    Interface.THINK_THEN_ACT,
    Interface.PLAN_AND_SOLVE,
    Interface.SELF_REFINE,
)
JSON_CORRECT = '{"target": "I3", "interventions": ["I1", "I3"], "seeds": 8}'
SHORT_CORRECT = "Target: I3; Interventions: I1, I3; Seeds: 8"
DESIGN = Action(3, (1, 3), 8)

EMPTY, TWO, OUTSIDE = Reason.EMPTY, Reason.TWO_ANSWERS, Reason.TEXT_OUTSIDE_FIELDS
MISSING, UNKNOWN = Reason.MISSING, Reason.UNKNOWN_IDENTIFIER
NOT_INTEGER, RANGE, NOT_JSON = Reason.NOT_AN_INTEGER, Reason.OUT_OF_RANGE, Reason.NOT_JSON
NO_ARMS, REPEATED = Reason.NO_INTERVENTIONS, Reason.REPEATED_INTERVENTION

# What no interface accepts, whatever it asks for.
ANYWHERE = [
    ("", EMPTY),
    (" \n\t\r\n ", EMPTY),
    ("\u00a0\u2003", EMPTY),
    ("Final answer:", EMPTY),
    ("I think I3.\nFinal answer:\n", EMPTY),
    ("Final answer:\nTarget: I3\nFinal answer:\nTarget: I4", TWO),
    ("final answer :\n\nFINAL ANSWER:\n", TWO),
]
# What no interface of lines accepts.
PROSE = [
    ("I would rather not answer.", OUTSIDE),
    ("42", OUTSIDE),
    ("null", OUTSIDE),
    ("{}", OUTSIDE),
    ("[]", OUTSIDE),
    (JSON_CORRECT, OUTSIDE),
    (f"Here you are: {JSON_CORRECT}", OUTSIDE),
    ("```\nTarget: I3\n```", OUTSIDE),
    ("**Target:** I3", OUTSIDE),
    ("- Target: I3", OUTSIDE),
    ("Target = I3", OUTSIDE),
    ("Target\uff1a I3", OUTSIDE),  # a full-width colon
    ("\ufeffTarget: I3", OUTSIDE),  # a byte order mark
    ("T\u0430rget: I3", OUTSIDE),  # a Cyrillic a
    ("Targets: I3", OUTSIDE),
    ("My target: I3", OUTSIDE),
    ("<think>Target: I3</think>", OUTSIDE),
    ("A > B > C > D", OUTSIDE),
]
NAMES = [
    ("Action:", MISSING),
    ("Action:   \nReason: it is obvious", MISSING),
    ("Reason: ablate the scheduler with I1 and five seeds", MISSING),
    ("Target: I3\nInterventions: I1\nSeeds: 8", MISSING),
    ("Prediction: Action: ablate", MISSING),
    ("Action: 42", Reason.NOT_A_NAME),
    ("Action: -", Reason.NOT_A_NAME),
    ("Action: ...", Reason.NOT_A_NAME),
    ("Action: ( )", Reason.NOT_A_NAME),
    ("Action: \u0663\u0664", Reason.NOT_A_NAME),  # Arabic digits
    ("Action: \U0001f600", Reason.NOT_A_NAME),
    ("Action: ablate\nAction: sweep", TWO),
    ("Action: ablate\nReason: x\naction: ablate", TWO),
    ("ACTION: a\nReason: b\nAction : c", TWO),
    ("Action: ablate\nand then some more", OUTSIDE),
    ("Sure!\nAction: ablate", OUTSIDE),
    ("Action ablate", OUTSIDE),
]
TARGETS = [
    ("Target:", MISSING),
    ("Target: \nJustification: it is I3", MISSING),
    ("Justification: Target: I3", MISSING),
    ("Interventions: I1, I3\nSeeds: 8", MISSING),
    ("Target: 7", UNKNOWN),
    ("Target: I7", UNKNOWN),
    ("Target: I6", UNKNOWN),
    ("Target: I-1", UNKNOWN),
    ("Target: 3", UNKNOWN),
    ("Target: I", UNKNOWN),
    ("Target: I03", UNKNOWN),
    ("Target: I3.", UNKNOWN),
    ("Target: I3, I4", UNKNOWN),
    ("Target: I3 or I4", UNKNOWN),
    ("Target: not I3", UNKNOWN),
    ("Target: I\u0663", UNKNOWN),  # an Arabic three
    ("Target: \u01313", UNKNOWN),  # a dotless i
    ("Target: \uff293", UNKNOWN),  # a full-width I
    ("Target: Target: I3", UNKNOWN),
    ("Target: {I3}", UNKNOWN),
    ("Target: I3\nTarget: I3", TWO),
    ("Target: I3\nJustification: x\ntarget: I4", TWO),
    ("Target: I3\nBecause it is likely.", OUTSIDE),
]


def design(target: str = "I3", interventions: str = "I1, I3", seeds: str = "8") -> str:
    return f"Target: {target}\nInterventions: {interventions}\nSeeds: {seeds}"


DESIGNS = [
    ("Target: I3\nInterventions: I1, I3", MISSING),
    ("Target: I3\nSeeds: 8", MISSING),
    ("Interventions: I1, I3\nSeeds: 8", MISSING),
    ("Target: I3\nInterventions: I1, I3\nSee", OUTSIDE),  # truncated
    ("Target: I3\nInterventions: I1, I3\nSeeds:", MISSING),
    ("Target: I3\nInterventions:\nSeeds: 8", MISSING),
    ("Success criterion: Seeds: 8", MISSING),
    (design(target="7"), UNKNOWN),
    (design(target="I7"), UNKNOWN),
    (design(target="none"), UNKNOWN),
    (design(interventions="{}"), NO_ARMS),
    (design(interventions="[ ]"), NO_ARMS),
    (design(interventions="none"), UNKNOWN),
    (design(interventions="all"), UNKNOWN),
    (design(interventions="I1, I6"), UNKNOWN),
    (design(interventions="I1 I3"), UNKNOWN),
    (design(interventions="I1 and I3"), UNKNOWN),
    (design(interventions="I1, I3,"), UNKNOWN),
    (design(interventions="I1,, I3"), UNKNOWN),
    (design(interventions="{I1, I3"), UNKNOWN),
    (design(interventions="{I1, I3]"), UNKNOWN),
    (design(interventions="1, 3"), UNKNOWN),
    (design(interventions="I1-I3"), UNKNOWN),
    (design(interventions="I1, I1"), REPEATED),
    (design(interventions="I1, i1"), REPEATED),
    (design(seeds="1"), RANGE),
    (design(seeds="13"), RANGE),
    (design(seeds="0"), RANGE),
    (design(seeds="-8"), RANGE),
    (design(seeds="9" * 6000), RANGE),
    (design(seeds="8.0"), NOT_INTEGER),
    (design(seeds="8e0"), NOT_INTEGER),
    (design(seeds="08"), NOT_INTEGER),
    (design(seeds="+8"), NOT_INTEGER),
    (design(seeds="eight"), NOT_INTEGER),
    (design(seeds="8 or 9"), NOT_INTEGER),
    (design(seeds="2-8"), NOT_INTEGER),
    (design(seeds="\u0668"), NOT_INTEGER),  # an Arabic eight
    (design(seeds="\uff18"), NOT_INTEGER),  # a full-width eight
    (design(seeds="8\u00b2"), NOT_INTEGER),
    (design(seeds="8 seeds"), NOT_INTEGER),
    (design(seeds="NaN"), NOT_INTEGER),
    (design() + "\nSeeds: 9", TWO),
    (design() + "\nSuccess criterion: x\n" + design(), TWO),
    (design() + "\nThat is all.", OUTSIDE),
    ("My proposal.\n" + design(), OUTSIDE),
]
SHORT = [
    (text.replace("\n", "; "), reason) for text, reason in DESIGNS if reason is not OUTSIDE
] + [
    (design(), Reason.MORE_THAN_ONE_LINE),
    (SHORT_CORRECT + "\n" + SHORT_CORRECT, Reason.MORE_THAN_ONE_LINE),
    (SHORT_CORRECT.replace(";", ","), MISSING),
    (SHORT_CORRECT + "; that is all", OUTSIDE),
]


def json_design(target: str = '"I3"', interventions: str = '["I1", "I3"]', seeds: str = "8") -> str:
    return f'{{"target": {target}, "interventions": {interventions}, "seeds": {seeds}}}'


JSON = [
    ("I would rather not answer.", NOT_JSON),
    (design(), NOT_JSON),
    (SHORT_CORRECT, NOT_JSON),
    (f"Here you are: {JSON_CORRECT}", NOT_JSON),
    (f"{JSON_CORRECT} Good luck!", NOT_JSON),
    (f"```json\n{JSON_CORRECT}\n```", NOT_JSON),
    (JSON_CORRECT + JSON_CORRECT, NOT_JSON),
    (f"[{JSON_CORRECT}]", NOT_JSON),
    (JSON_CORRECT[:-1], NOT_JSON),
    (JSON_CORRECT.replace('"', "'"), NOT_JSON),
    (JSON_CORRECT.replace("}", ",}"), NOT_JSON),
    ("\ufeff" + JSON_CORRECT, NOT_JSON),
    ("[" * 100_000, NOT_JSON),
    (json_design(seeds="9" * 6000), NOT_JSON),
    (json_design(seeds="\u0668"), NOT_JSON),
    (json_design(seeds="08"), NOT_JSON),
    ("null", NOT_JSON),
    ("8", NOT_JSON),
    ('"I3"', NOT_JSON),
    ("{}", MISSING),
    ('{"target": "I3", "interventions": ["I1"]}', MISSING),
    ('{"target": "I3", "seeds": 8}', MISSING),
    ('{"interventions": ["I1"], "seeds": 8}', MISSING),
    (json_design(target='""'), MISSING),
    ('{"Target": "I3", "interventions": ["I1"], "seeds": 8}', OUTSIDE),
    (JSON_CORRECT.replace("}", ', "note": "x"}'), OUTSIDE),
    (JSON_CORRECT.replace("}", ', "seeds": 9}'), TWO),
    (json_design(target='{"a": 1, "a": 2}'), TWO),
    (json_design(target="7"), UNKNOWN),
    (json_design(target="3"), UNKNOWN),
    (json_design(target='"I7"'), UNKNOWN),
    (json_design(target="null"), UNKNOWN),
    (json_design(target='["I3"]'), UNKNOWN),
    (json_design(target='"I\\u0663"'), UNKNOWN),
    (json_design(interventions="[]"), NO_ARMS),
    (json_design(interventions="{}"), UNKNOWN),
    (json_design(interventions='"I1"'), UNKNOWN),
    (json_design(interventions="[1, 3]"), UNKNOWN),
    (json_design(interventions='["I1", "I6"]'), UNKNOWN),
    (json_design(interventions='["I1", null]'), UNKNOWN),
    (json_design(interventions='["I1", "I1"]'), REPEATED),
    (json_design(seeds="1"), RANGE),
    (json_design(seeds="13"), RANGE),
    (json_design(seeds="-8"), RANGE),
    (json_design(seeds="8.0"), NOT_INTEGER),
    (json_design(seeds='"8"'), NOT_INTEGER),
    (json_design(seeds="true"), NOT_INTEGER),
    (json_design(seeds="NaN"), NOT_INTEGER),
    (json_design(seeds="null"), NOT_INTEGER),
    (json_design(seeds="[8]"), NOT_INTEGER),
]

MALFORMED = {
    **dict.fromkeys(NAME, ANYWHERE + PROSE + NAMES),
    Interface.TARGET: ANYWHERE + PROSE + TARGETS,
    **dict.fromkeys(DESIGN_LINES, ANYWHERE + PROSE + DESIGNS),
    Interface.SHORT_DESIGN: ANYWHERE + SHORT,
    Interface.JSON_DESIGN: ANYWHERE + JSON,
}

ODD_BUT_LEGAL = {
    **dict.fromkeys(
        NAME,
        (
            "Action: targeted ablation",
            "  action :\ttargeted ablation  \r\n\r\n",
            "Reason: it is cheap\nand says:\nSeeds: 5, seeds: 13, Target: 9\nAction: sweep",
            "Action: \u6d88\u878d\u5b9e\u9a8c",
            "Action: sweep\nSeeds: 99\nSeeds: 1\nTarget: nobody",
            "Action: A or B?\nFinal answer:\nAction: sweep",
        ),
    ),
    Interface.TARGET: [
        "Target: I3",
        "target:i3",
        "TARGET :  I3  \r\n",
        "Justification: the\nlikeliest one; Target I4 is not.\nTarget: I3",
        "Target: I3\nInterventions: all of them\nSeeds: 1\nSeeds: 13",
        "Target: I1, or maybe I2\nFinal Answer:\nTarget: I3\nJustification: it is likelier",
    ],
    **dict.fromkeys(
        DESIGN_LINES,
        (
            design(),
            design(interventions="{I3, I1}"),
            design(interventions="[ i1 ,I3 ]"),
            "\r\n".join(reversed(design().split("\n"))),
            design().upper().replace("\n", "\n\n\t"),
            design() + "\nSuccess criterion: over 2 points\non most seeds.\nPrediction: it will",
            "Success criterion: any\nTarget: I3\nInterventions: I1,I3\nAction: sweep\nSeeds:8",
            "First, Target: I5 looks good.\nTarget: I5\n\nFinal answer:\n" + design(),
        ),
    ),
    Interface.SHORT_DESIGN: [
        SHORT_CORRECT,
        "seeds:8;interventions:{I3,I1};target:i3;",
        f"\n {SHORT_CORRECT}; Success criterion: over 2; or more\n",
    ],
    Interface.JSON_DESIGN: [
        JSON_CORRECT,
        '\n\t{"seeds":8,"interventions":["i3","I1"],\r\n"target":"\\u00493"}\n',
        "I plan.\nFinal answer:\n" + JSON_CORRECT,
    ],
}
EXPECTED = {
    **dict.fromkeys(Interface, DESIGN),
    **dict.fromkeys(NAME, Action()),
    Interface.TARGET: Action(target=3),
}


def cases(table: Mapping[Interface, Sequence[Case]]) -> list[tuple[Interface, Case]]:
    return [(interface, case) for interface in Interface for case in table[interface]]


@pytest.mark.parametrize(("interface", "case"), cases(MALFORMED))
def test_a_malformed_response_has_its_reason_and_no_readings(interface, case):
    response, reason = case
    with pytest.raises(InvalidResponseError) as caught:
        parse(interface, response)
    assert caught.value.reason is reason
    assert readings.score([1 / 6] * 6, 6, ()).efficiency == 0.0


@pytest.mark.parametrize("interface", Interface)
def test_every_interface_meets_forty_malformed_responses(interface):
    assert len({response for response, _ in MALFORMED[interface]}) >= 40


@pytest.mark.parametrize(("interface", "response"), cases(ODD_BUT_LEGAL))
def test_a_correct_response_in_odd_but_legal_form_is_accepted(interface, response):
    assert parse(interface, response).action == EXPECTED[interface]


def test_the_name_is_passed_on_as_it_was_written():
    assert parse(Interface.ACTION_NAME, "Action:  Seed sweep (v2)").name == "Seed sweep (v2)"
    assert parse(Interface.DESIGN, design() + "\nAction: sweep").name == ""


def test_the_field_at_fault_is_named():
    with pytest.raises(InvalidResponseError, match=r"^seeds: out of range$") as caught:
        parse(Interface.DESIGN, design(seeds="13"))
    assert caught.value.field == "seeds"
    with pytest.raises(InvalidResponseError, match=r"^empty$"):
        parse(Interface.DESIGN, "")
