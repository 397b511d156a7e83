"""What a person or an agent may read of a research scenario."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A candidate mechanism with its description, or an intervention with its recipe."""

    name: str
    text: str


@dataclass(frozen=True)
class ScenarioText:
    """The visible part of a scenario: six mechanisms, and six interventions in the same order."""

    slug: str
    domain: str
    title: str
    question: str
    baseline: str
    observations: tuple[str, ...]
    mechanisms: tuple[Part, ...]
    interventions: tuple[Part, ...]
