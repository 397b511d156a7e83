"""What a set of tables holds, counted; and what the published one is known to hold."""

from collections.abc import Iterator, Sequence

from catalog.releases.instances import Instance
from scoring.structure import CatalogueStructure, catalogue_structure, structure

# Of the 36 published conditions, those with a factor that reverses its sign: at all, and by more
# than 1, 5 and 10 % of the range.
PUBLISHED_REVERSALS = (35, 33, 24, 16)
PAIRED = ("spambase", "concrete", "wine", "co2", "astronaut", "scifact")
PUBLISHED_INSTANCES = frozenset(
    [
        *("spambase", "banknote", "ionosphere", "breast_diagnostic"),
        *("concrete", "airfoil", "yacht", "energy_efficiency"),
        *("wine", "seeds", "glass", "dry_bean"),
        *("co2", "elnino", "sunspots", "nile"),
        *("astronaut", "coffee", "hubble_deep_field", "rocket"),
        *("scifact", "arguana"),
        *(f"{source}__d6" for source in PAIRED),
        *(f"mitdb_{record}__d6" for record in range(100, 104)),
        *(f"graph_{name}__d6" for name in ("lesmis", "adjnoun", "dolphins", "football")),
    ]
)


def structure_of(instances: Sequence[Instance]) -> CatalogueStructure:
    """Return the counts over the surfaces of the instances."""
    return catalogue_structure(structure(list(instance.utility.values())) for instance in instances)


def counts(instances: Sequence[Instance]) -> dict[str, int]:
    """Return how much there is of whatever a manifest may count."""
    found = structure_of(instances)
    return {
        "instances": found.n_surfaces,
        "sources": len({instance.source for instance in instances}),
        "families": len({instance.family for instance in instances}),
        "records": found.n_masks,
        "conditional_effects": found.n_effects,
        "pair_interactions": found.n_interactions,
    }


def pair_faults(instances: Sequence[Instance]) -> Iterator[tuple[str, str]]:
    """Yield (instance, reason) where a six-factor variant leaves its four-factor table.

    Mask abcd of the four-factor instance is mask abcd00 of its variant.
    """
    by_name = {instance.name: instance for instance in instances}
    for four in instances:
        six = by_name.get(f"{four.name}__d6")
        if six is None or (four.d, six.d) != (4, 6):
            continue
        if four.family != six.family:
            yield six.name, f"family is {six.family}, that of {four.name} is {four.family}"
        for mask, utility in four.utility.items():
            if six.utility[f"{mask}00"] != utility:
                yield six.name, f"truth of {mask}00 is not that of {four.name} {mask}"


def published_faults(instances: Sequence[Instance]) -> Iterator[str]:
    """Say where the tables of all published conditions lack the structure that they have."""
    if {instance.name for instance in instances} != PUBLISHED_INSTANCES:
        return
    found = structure_of(instances).n_reversing
    if found != PUBLISHED_REVERSALS:
        yield (
            f"sign reversals at floors 0, 1, 5, 10 % are in {found} of 36 conditions, "
            f"published are {PUBLISHED_REVERSALS}"
        )
