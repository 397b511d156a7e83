"""Publishing sets of research states, whose content never changes under a name."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime

import structlog
from django.db import transaction

from catalog import research_states
from catalog.models import (
    Disclosure,
    ResearchState,
    StateSet,
)
from catalog.state_texts import describe

log = structlog.get_logger(__name__)


class StatesChanged(Exception):
    """A set of states differs from what was published under the same name."""


def publish_states(
    *,
    slug: str,
    title: str,
    states: Sequence[research_states.ResearchState],
    disclosure: Disclosure,
    now: datetime,
) -> StateSet:
    """Return the set with its states; one of that name must have the same content.

    Raises
    ------
    StatesChanged
        If it was published with other texts, budgets, priors or disclosure.
    """
    texts = [describe(state).as_json() for state in states]
    content = [(state.budget, text, state.prior) for state, text in zip(states, texts, strict=True)]
    version = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    with transaction.atomic():
        state_set, is_new = StateSet.objects.get_or_create(
            slug=slug,
            defaults={
                "title": title,
                "version": version,
                "disclosure": disclosure,
                "published_at": now,
            },
        )
        if (state_set.version, state_set.disclosure) != (version, disclosure):
            raise StatesChanged(
                f"the states {slug} are published with other content; take another name"
            )
        if is_new:
            ResearchState.objects.bulk_create(
                ResearchState(
                    slug=f"{slug}-{position:02}",
                    state_set=state_set,
                    position=position,
                    budget=state.budget,
                    text=text,
                    disclosure=disclosure,
                    open_prior=list(state.prior) if disclosure == Disclosure.OPEN else None,
                )
                for position, (state, text) in enumerate(zip(states, texts, strict=True))
            )
            log.info("states published", state_set=slug, version=version, n_states=len(states))
    return state_set
