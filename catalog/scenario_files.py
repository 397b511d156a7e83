"""The committed scenarios, read with their visible and private parts apart."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.scenario_texts import Part, ScenarioText

DIRECTORY = Path(__file__).parent / "data" / "scenarios"


@dataclass(frozen=True)
class SourcePaper:
    """The published paper behind a scenario, and where in it the facts stand."""

    identifier: str
    title: str
    authors: str
    year: int
    locator: str


@dataclass(frozen=True)
class ScenarioSecret:
    """What nobody who judges a scenario may know.

    `removes` holds, per intervention, the mechanisms that it removes.
    """

    source: SourcePaper
    conclusion: str
    confirmed_facts: tuple[str, ...]
    prior: tuple[float, ...]
    budget: int
    removes: tuple[tuple[int, ...], ...]


def read_scenarios() -> tuple[tuple[ScenarioText, ScenarioSecret], ...]:
    """Return all committed scenarios, in the order of the files and inside them."""
    return tuple(
        (_text(entry), _secret(entry))
        for path in sorted(DIRECTORY.glob("*.json"))
        for entry in json.loads(path.read_text(encoding="utf-8"))
    )


def _text(entry: dict[str, Any]) -> ScenarioText:
    return ScenarioText(
        slug=entry["id"],
        domain=entry["domain"],
        title=entry["title"],
        question=entry["question"],
        baseline=entry["baseline"],
        observations=tuple(entry["observations"]),
        mechanisms=tuple(Part(part["name"], part["description"]) for part in entry["mechanisms"]),
        interventions=tuple(Part(part["name"], part["recipe"]) for part in entry["interventions"]),
    )


def _secret(entry: dict[str, Any]) -> ScenarioSecret:
    source, private = entry["source"], entry["private"]
    return ScenarioSecret(
        source=SourcePaper(
            identifier=source["id"],
            title=source["title"],
            authors=source["authors"],
            year=source["year"],
            locator=source["locator"],
        ),
        conclusion=private["conclusion"],
        confirmed_facts=tuple(private["confirmed_facts"]),
        prior=tuple(entry["prior"]),
        budget=entry["budget"],
        removes=tuple(tuple(removed) for removed in entry["removes"]),
    )
