"""The scenarios of a protocol with what sides are balanced by, which is hidden from everybody."""

from collections.abc import Mapping, Sequence

from catalog.proposals import FOIL_NUMBER
from catalog.scenario_truth import balances
from judgments.assignment import Material
from judgments.queries.coverage import domains


def material_of(
    slugs: Sequence[str], *, served: Mapping[str, tuple[int, ...]] | None = None
) -> list[Material]:
    """Return the scenarios, each with the orientations that were given out of it."""
    given = served or {}
    balance = balances(slugs)
    domain = domains(slugs)
    return [
        Material(
            slug=slug,
            domain=domain[slug],
            served=given.get(slug, ()),
            worth=balance[slug].worth,
            gold=balance[slug].gold,
            foil=FOIL_NUMBER,
        )
        for slug in slugs
    ]
