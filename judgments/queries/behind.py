"""What is behind the scenarios, for those who check that none of it is shown.

An import contract lets this module read the truth; whoever imports it shows none of it.
"""

from collections.abc import Iterable, Iterator, Sequence

from catalog.scenario_truth import ScenarioTruth, balances

SHORTEST = 8  # characters: shorter texts, like a year, are found anywhere


def orders_by_metric(slugs: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the numbers of the four actions of each scenario, the better one first."""
    return {slug: balance.worth for slug, balance in balances(slugs).items()}


def private_texts(slugs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what no page of a scenario may contain: its source, conclusion, facts and prior."""
    truths = ScenarioTruth.objects.filter(scenario__in=slugs)
    return {truth.scenario_id: tuple(_distinctive(_texts(truth))) for truth in truths}


def _texts(truth: ScenarioTruth) -> Iterator[str]:
    yield truth.source_identifier
    yield truth.source_title
    yield truth.source_authors
    yield truth.source_locator
    yield truth.conclusion
    yield from (str(fact) for fact in truth.confirmed_facts)
    yield ", ".join(str(p) for p in truth.prior)


def _distinctive(texts: Iterable[str]) -> Iterator[str]:
    """Yield what would be found by its words alone; the others are left out."""
    return (text for text in (" ".join(text.split()) for text in texts) if len(text) >= SHORTEST)
