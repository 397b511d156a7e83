"""Plain functions that make the rows which tests start from."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from catalog import truth
from catalog.actions.states import publish_states
from catalog.models import (
    Disclosure,
    Family,
    Provenance,
    Release,
    Source,
    StateSet,
    Task,
    Track,
)
from catalog.research_states import generate_states
from catalog.truth import Outcome
from episodes.keys import RawKey
from episodes.models import Agent, AgentKey, AgentKind, Scope
from scoring.masks import all_masks, anchors

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
LETTERS = "ABCDEFGH"


def default_truth(d: int = 4) -> list[float]:
    """Return 2^d different utilities inside (0, 1), in no order that an agent could guess."""
    n = 2**d
    return [((7 * index + 3) % n + 0.5) / n for index in range(n)]


def make_family(slug: str = "forecasting") -> Family:
    family, _ = Family.objects.get_or_create(
        slug=slug,
        defaults={
            "title": slug.replace("_", " ").capitalize(),
            "native_metric": "mean absolute error",
            "utility_definition": "1 - error / error of the naive forecast",
            "position": Family.objects.count() + 1,
        },
    )
    return family


def make_source(slug: str = "nile", *, family: Family | None = None) -> Source:
    source, _ = Source.objects.get_or_create(
        slug=slug,
        defaults={
            "family": family or make_family(),
            "title": slug.capitalize(),
            "origin": "https://example.org/data",
            "licence": "CC0",
            "sha256": "0" * 64,
        },
    )
    return source


def make_release(slug: str = "2026.1") -> Release:
    release, _ = Release.objects.get_or_create(
        slug=slug, defaults={"title": f"Release {slug}", "published_at": NOW}
    )
    return release


def make_task(
    slug: str = "nile",
    *,
    truth: Sequence[float] | None = None,
    source: Source | None = None,
    release: Release | None = None,
    disclosure: Disclosure = Disclosure.SEALED,
    track: Track = Track.FOUR_FACTOR,
    version: str = "1" * 64,
    is_current: bool = True,
) -> Task:
    """Return a task with its hidden outcomes; `truth` has 2^d utilities in mask order."""
    utilities = list(truth) if truth is not None else default_truth()
    d = len(utilities).bit_length() - 1
    surface = dict(zip(all_masks(d), utilities, strict=True))
    task = Task.objects.create(
        slug=slug,
        version=version,
        is_current=is_current,
        release=release or make_release(),
        source=source or make_source(slug.partition("__")[0]),
        track=track,
        provenance=Provenance.OURS,
        disclosure=disclosure,
        n_factors=d,
        factors=[
            {"letter": letter, "name": f"factor {letter}", "off": "without", "on": "with"}
            for letter in LETTERS[:d]
        ],
        question=f"Which steps help on {slug}?",
        input_summary="100 yearly values.",
        source_code="def forecast(series): ...",
        anchors={mask: surface[mask] for mask in anchors(d)},
        open_surface=surface if disclosure == Disclosure.OPEN else None,
        published_at=NOW,
    )
    Outcome.objects.bulk_create(
        Outcome(
            task=task, mask=mask, utility=utility, native_value=utility, prediction_sha256="0" * 64
        )
        for mask, utility in surface.items()
    )
    return task


def make_states(
    slug: str = "g1",
    *,
    n_states: int = 3,
    disclosure: Disclosure = Disclosure.OPEN,
) -> StateSet:
    """Return a set of the first states of G1 with their priors."""
    states = generate_states(n_states=n_states)
    state_set = publish_states(
        slug=slug, title=f"States {slug}", states=states, disclosure=disclosure, now=NOW
    )
    truth.record_priors(state_set, [state.prior for state in states])
    return state_set


def make_agent(name: str = "walker", *, kind: AgentKind = AgentKind.API) -> Agent:
    return Agent.objects.create(name=name, kind=kind, created_at=NOW)


def make_key(
    agent: Agent,
    *,
    name: str = "laptop",
    scopes: Sequence[str] = (Scope.READ, Scope.WRITE),
    expires_at: datetime | None = None,
    revoked_at: datetime | None = None,
) -> str:
    """Return a raw key of the agent, valid for a day from the real now, which the API sees."""
    key = RawKey.generate()
    AgentKey.objects.create(
        agent=agent,
        name=name,
        prefix=key.prefix,
        digest=key.digest,
        scopes=list(scopes),
        created_at=NOW,
        expires_at=expires_at or timezone.now() + timedelta(days=1),
        revoked_at=revoked_at,
    )
    return key.text
