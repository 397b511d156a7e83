"""Scenarios without tables, and a design that is drawn from them."""

import random

from judgments.assignment import ItemKind, Material

DOMAINS = ("machine-learning", "systems", "ai-for-science")
QUOTAS = (3, 3, 2)
CHECKS = {ItemKind.INSTRUCTED: 4, ItemKind.DOMINATED: 4, ItemKind.REPEAT: 4}


def make_material(n_per_domain: int = 20) -> list[Material]:
    rng = random.Random(0)
    return [
        Material(
            slug=f"{domain}-{number}",
            domain=domain,
            served=(),
            worth=tuple(rng.sample(range(4), 4)),
            gold=rng.randrange(4),
            foil=4,
        )
        for domain in DOMAINS
        for number in range(n_per_domain)
    ]
