"""Research states in the catalogue: published whole, frozen, sealed where they are fresh."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from catalog import truth
from catalog.models import Disclosure, ResearchState, StateSet
from catalog.research_states import generate_states
from tests.api_client import Api, refusal
from tests.builders import make_states

pytestmark = pytest.mark.django_db


def generate(**options: object) -> str:
    out = StringIO()
    call_command("generate_states", stdout=out, **options)
    return out.getvalue()


def test_the_catalogue_loads_the_thirty_states_of_g1_open_with_their_priors():
    call_command("load_catalog", stdout=StringIO())
    states = list(ResearchState.objects.filter(state_set="g1"))
    assert [state.slug for state in states][::29] == ["g1-00", "g1-29"]
    drawn = generate_states()
    assert [tuple(state.open_prior or ()) for state in states] == [one.prior for one in drawn]
    assert [state.budget for state in states] == [one.budget for one in drawn]
    assert list(truth.state_priors(states[0].state_set).values()) == [one.prior for one in drawn]


def test_fresh_states_are_sealed_and_only_the_door_knows_their_priors():
    assert generate(seed=12, slug="fresh").startswith("fresh: 30 sealed research states, version ")
    states = ResearchState.objects.filter(state_set="fresh")
    assert {state.open_prior for state in states} == {None}
    drawn = generate_states(seed=12)
    assert truth.state_priors(StateSet.objects.get())["fresh-07"] == drawn[7].prior


def test_the_same_seed_and_name_again_change_nothing():
    assert generate(seed=12, slug="fresh") == generate(seed=12, slug="fresh")
    assert ResearchState.objects.count() == 30


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": 11, "slug": "fresh"}, "seed 11 are published"),
        ({"seed": 12, "slug": "no good"}, "--slug"),
        ({"seed": 12, "slug": "x" * 41}, "40 characters"),
        ({"seed": 12, "slug": "fresh", "count": 0}, "from 1 to 100"),
    ],
    ids=["published seed", "no slug", "long slug", "no states"],
)
def test_a_set_that_cannot_be_is_refused(options, words):
    with pytest.raises(CommandError, match=words):
        generate(**options)
    assert not StateSet.objects.exists()


def test_another_content_under_the_same_name_is_refused():
    generate(seed=12, slug="fresh")
    with pytest.raises(CommandError, match="published with other content"):
        generate(seed=13, slug="fresh")


@pytest.mark.parametrize("model", [StateSet, ResearchState, truth.StatePrior])
def test_what_was_published_of_states_cannot_be_deleted(model):
    make_states()
    with pytest.raises(IntegrityError, match="DELETE of a published row"):
        model.objects.all()._raw_delete("default")


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (StateSet, {"title": "Other"}),
        (ResearchState, {"budget": 8}),
        (truth.StatePrior, {"prior": [1, 0, 0, 0, 0, 0]}),
    ],
    ids=["set", "state", "prior"],
)
def test_what_was_published_of_states_cannot_be_changed(model, change):
    make_states()
    with pytest.raises(IntegrityError, match="UPDATE of a published row"):
        model.objects.update(**change)


def test_a_sealed_state_cannot_hold_its_prior():
    state_set = make_states()
    with pytest.raises(IntegrityError, match="state_sealed_has_no_prior"):
        ResearchState.objects.create(
            slug="leak",
            state_set=state_set,
            position=99,
            budget=4,
            text={},
            disclosure=Disclosure.SEALED,
            open_prior=[1 / 6] * 6,
        )


def test_the_api_lists_the_states_of_a_set():
    make_states(n_states=2)
    make_states("other", n_states=1)
    found = Api().get("states/?set=g1").json()["results"]
    assert [one["slug"] for one in found] == ["g1-00", "g1-01"]
    assert found[0]["version"] == StateSet.objects.get(slug="g1").version


def test_the_api_says_everything_of_an_open_state_and_no_prior_of_a_sealed_one():
    make_states(n_states=1)
    make_states("sealed", n_states=1, disclosure=Disclosure.SEALED)
    opened, sealed = (Api().get(f"states/{slug}-00/").json() for slug in ("g1", "sealed"))
    assert tuple(opened["prior"]) == generate_states()[0].prior
    assert sealed["prior"] is None
    assert sealed["text"] == opened["text"]
    assert "Final answer:" in sealed["requests"]["think-then-act"]


def test_a_state_that_is_not_there_is_404():
    assert refusal(Api().get("states/g1-99/")) == (404, "state_not_found")
