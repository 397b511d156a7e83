"""The words of a research state and of the requests about it, built from its numbers by rule."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from catalog.research_states import N_MECHANISMS, ResearchState
from scoring.information import MAX_SEEDS, MIN_SEEDS
from scoring.responses import IDENTIFIERS, Interface

MINUS = "\N{MINUS SIGN}"
QUESTION = "Why does the method gain on some data sets and not on the others?"
INTERFACE_TITLES = {
    Interface.ACTION_NAME: "L1 action name",
    Interface.TARGET: "L2 target",
    Interface.DESIGN: "L3 complete design",
    Interface.DESIGN_WITH_PREDICTION: "L4 design with prediction",
    Interface.SHORT_DESIGN: "L3 short",
    Interface.PADDED_ACTION_NAME: "L1 padded",
    Interface.JSON_DESIGN: "JSON design",
    Interface.THINK_THEN_ACT: "Think, then act",
    Interface.PLAN_AND_SOLVE: "Plan and solve",
    Interface.SELF_REFINE: "One round of self-refinement",
}
POLICY_TITLES = {
    "oracle": "Oracle: the best affordable design",
    "oracle_top_prior_target": "Oracle that must test the likeliest mechanism",
    "uniform_affordable": "Uniform over the affordable designs",
    "top_prior_arm_two_seeds": "Likeliest mechanism's arm, two seeds",
    "six_arms_five_seeds": "All six arms, five seeds",
}
_NAME = ("Action: <name of the next experiment>", "Reason: <why this one>")
_TARGET = ("Target: <identifier>", "Justification: <why this mechanism>")
_DESIGN = (
    "Target: <identifier>",
    "Interventions: {<identifier>, ...}",
    "Seeds: <number>",
    "Success criterion: <what result would settle it>",
)
_LINES = "Answer with these lines and nothing else:"
_FINAL = ("End with a line that says only", "Final answer:", "and, after it, these lines alone:")
_ASKED = {
    Interface.ACTION_NAME: ("Name the next experiment.", _LINES, *_NAME),
    Interface.TARGET: ("State which mechanism to test next.", _LINES, *_TARGET),
    Interface.DESIGN: ("Design the next experiment completely.", _LINES, *_DESIGN),
    Interface.DESIGN_WITH_PREDICTION: (
        "Design the next experiment completely and predict its result.",
        _LINES,
        *_DESIGN,
        "Prediction: <what you expect to see>",
    ),
    Interface.SHORT_DESIGN: (
        "Design the next experiment completely, in one line and nothing else:",
        "; ".join(_DESIGN[:3]),
    ),
    Interface.PADDED_ACTION_NAME: (
        "Name the next experiment; discuss in the reason which interventions and seeds it needs.",
        _LINES,
        *_NAME,
    ),
    Interface.JSON_DESIGN: (
        "Design the next experiment completely. Answer with one JSON object and nothing else:",
        '{"target": "<identifier>", "interventions": ["<identifier>", ...], "seeds": <number>}',
    ),
    Interface.THINK_THEN_ACT: (
        "Think first about what each experiment would tell; then design one completely.",
        *_FINAL,
        *_DESIGN,
    ),
    Interface.PLAN_AND_SOLVE: (
        "Plan how to choose the next experiment, follow the plan, and design it completely.",
        *_FINAL,
        *_DESIGN,
    ),
    Interface.SELF_REFINE: (
        "Draft a complete design, criticise it once, and revise it.",
        *_FINAL,
        *_DESIGN,
    ),
}


@dataclass(frozen=True)
class StateText:
    """Everything that an agent is told of a state, beside its budget."""

    question: str
    method: str
    results: Sequence[str]
    mechanisms: Sequence[str]
    interventions: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        """Return the text as a row stores it."""
        return asdict(self)


def describe(state: ResearchState) -> StateText:
    """Say in words what the numbers of a state are; its prior is not said."""
    names = [f"D{number}" for number in range(1, len(state.deltas) + 1)]
    return StateText(
        question=QUESTION,
        method=(
            f"A method was compared with its baseline on {len(names)} data sets. Six mechanisms "
            "could explain its gains, each on the data sets where it would act."
        ),
        results=[
            f"{name}: {_signed(delta)} points, {'improved' if better else 'not improved'}"
            for name, delta, better in zip(names, state.deltas, state.improved, strict=True)
        ],
        mechanisms=[
            f"Mechanism {h} would improve {_listed(names, signature)}."
            for h, signature in enumerate(state.signatures)
        ],
        interventions=[
            f"{IDENTIFIERS[j]} removes the source of mechanism {j}." for j in range(N_MECHANISMS)
        ],
    )


def request_text(text: StateText, *, budget: int, interface: Interface) -> str:
    """Return the whole request of an interface: the state, what an experiment costs, the form."""
    return "\n".join(
        (
            text.question,
            text.method,
            "",
            "Partial results:",
            *text.results,
            "",
            "Candidate mechanisms:",
            *text.mechanisms,
            "",
            "Interventions:",
            *text.interventions,
            "",
            "An experiment runs the unablated baseline and a nonempty set A of interventions,",
            f"each condition with n seeds, n from {MIN_SEEDS} to {MAX_SEEDS}.",
            "It costs C = 1 + 0.6 |A| + 0.35 n (Eq. 3).",
            f"Your budget is {budget}. An experiment that costs more counts nothing.",
            f"Identifiers: {', '.join(IDENTIFIERS)}.",
            "A target mechanism is named by the identifier of the intervention that removes it.",
            "",
            *_ASKED[interface],
        )
    )


def _signed(delta: float) -> str:
    return f"{delta:+.1f}".replace("-", MINUS) if delta else "0.0"


def _listed(names: Sequence[str], marks: Sequence[bool]) -> str:
    marked = [name for name, mark in zip(names, marks, strict=True) if mark]
    return " and ".join(filter(None, (", ".join(marked[:-1]), marked[-1])))
