"""What a door shows of a state: its words and, with the prior, map, policies and readings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from django import forms
from django.http import QueryDict

from catalog import pictures, queries
from catalog.models import ResearchState
from catalog.state_texts import INTERFACE_TITLES, POLICY_TITLES
from scoring import costs, readings
from scoring.costs import Design
from scoring.information import SEEDS
from scoring.policies import POLICIES, best_design, policy_readings
from scoring.readings import Action, ReadingScore
from scoring.responses import IDENTIFIERS, Interface, InvalidResponseError, parse

MAX_RESPONSE_CHARACTERS = 2000  # it stands in the address


class ExplorerForm(forms.Form):
    """An action by its parts, or a pasted response; the response wins."""

    target = forms.TypedChoiceField(
        choices=[("", "not stated"), *enumerate(IDENTIFIERS)],
        coerce=int,
        empty_value=None,
        required=False,
    )
    interventions = forms.TypedMultipleChoiceField(
        choices=[*enumerate(IDENTIFIERS)],
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    seeds = forms.TypedChoiceField(
        choices=[("", "not stated"), *((n, n) for n in SEEDS)],
        coerce=int,
        empty_value=None,
        required=False,
    )
    response = forms.CharField(
        required=False,
        max_length=MAX_RESPONSE_CHARACTERS,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    interface = forms.ChoiceField(
        choices=[(one.value, INTERFACE_TITLES[one]) for one in Interface],
        required=False,
    )
    mode = forms.ChoiceField(choices=[(mode, mode) for mode in readings.MODES], required=False)

    def clean_interface(self) -> Interface:
        """Return the interface; the complete design unless one is chosen."""
        return Interface(self.cleaned_data["interface"] or Interface.DESIGN)

    def clean_mode(self) -> str:
        """Return the executor mode; the default one unless one is chosen."""
        return str(self.cleaned_data["mode"] or readings.MODES[0])

    def action(self) -> Action:
        """Return what was typed or pasted.

        Raises
        ------
        InvalidResponseError
            If the pasted response holds no action.
        """
        given = self.cleaned_data
        if given["response"]:
            return parse(given["interface"], given["response"]).action
        return Action(given["target"], tuple(given["interventions"]) or None, given["seeds"])


@dataclass(frozen=True)
class DesignRow:
    """One design with what the state makes of it."""

    words: str
    cost: float
    is_affordable: bool
    gain: float
    rate: float


@dataclass(frozen=True)
class PolicyRow:
    """What a policy runs in a state, and what that is worth; a letter if it is one design."""

    letter: str
    title: str
    words: str
    score: ReadingScore

    @property
    def percent(self) -> str:
        """Its share of the best, per cent."""
        return percent(self.score.efficiency)


def show(state: ResearchState, prior: Sequence[float] | None, query: QueryDict) -> dict[str, Any]:
    """Return the context of a state's page; without the prior it has the words alone."""
    context = {
        "state": state,
        "requests": [
            (interface, INTERFACE_TITLES[interface], text)
            for interface, text in queries.state_requests(state).items()
        ],
    }
    return context | _with_prior(state, prior, query) if prior else context


def _with_prior(state: ResearchState, prior: Sequence[float], query: QueryDict) -> dict[str, Any]:
    form = ExplorerForm(query or None)
    explored = _explore(state, prior, form) if form.is_valid() else {}
    best = best_design(prior, state.budget)
    policies, marked = _policies(state, prior)
    return {
        "form": form,
        "prior": list(zip(IDENTIFIERS, prior, strict=True)),
        "best": _row(state, prior, best),
        "n_affordable": int(costs.affordable(state.budget).sum()),
        "n_designs": len(costs.all_designs()),
        "policies": policies,
        "map": pictures.information_picture(
            readings.gain_table(prior) / costs.costs(),
            state.budget,
            best=best,
            readings=explored.get("designs", ()),
            policies=marked,
            title=f"What an experiment tells per cost in {state.slug}",
        ),
        **explored,
    }


def _explore(state: ResearchState, prior: Sequence[float], form: ExplorerForm) -> Mapping[str, Any]:
    try:
        action = form.action()
    except InvalidResponseError as error:
        return {"invalid_reason": str(error)}
    designs = readings.reading_set(action, mode=form.cleaned_data["mode"])
    score = readings.score(prior, state.budget, designs, target=action.target)
    return {
        "designs": designs,
        "rows": [_row(state, prior, design) for design in designs],
        "score": score,
        "share": percent(score.efficiency),
    }


def _policies(
    state: ResearchState, prior: Sequence[float]
) -> tuple[list[PolicyRow], dict[str, Design]]:
    """Return the rows of the table, and the designs that the map marks by the rows' letters."""
    rows: list[PolicyRow] = []
    marked: dict[str, Design] = {}
    for policy in POLICIES:
        designs = policy_readings(policy, prior, state.budget)
        is_one = len(designs) == 1
        letter = ascii_lowercase[len(marked)]
        if is_one:
            marked[letter] = designs[0]
        rows.append(
            PolicyRow(
                letter=letter if is_one else "",
                title=POLICY_TITLES[policy],
                words=pictures.design_words(designs[0]) if is_one else f"{len(designs)} designs",
                score=readings.score(prior, state.budget, designs),
            )
        )
    return rows, marked


def _row(state: ResearchState, prior: Sequence[float], design: Design) -> DesignRow:
    gain = float(readings.gain_table(prior)[design.index])
    return DesignRow(
        words=pictures.design_words(design),
        cost=design.cost,
        is_affordable=bool(costs.affordable(state.budget)[design.index]),
        gain=gain,
        rate=gain / design.cost,
    )


def percent(efficiency: float) -> str:
    """Return a share of the best in per cent with one decimal."""
    return "undefined (nothing to learn)" if math.isnan(efficiency) else f"{100 * efficiency:.1f}"
