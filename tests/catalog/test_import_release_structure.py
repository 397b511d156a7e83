"""A copy of all published tables must have the structure that was published with them."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from catalog.models import Task
from catalog.releases import structure
from catalog.releases.reading import read_release
from tests.catalog.public_release import (
    INSTANCES,
    load_release,
)

pytestmark = pytest.mark.django_db


def test_the_published_conditions_are_counted_as_specified():
    # surface-episodes.md, "Structure of the catalogue"
    six = {name for name in structure.PUBLISHED_INSTANCES if name.endswith("__d6")}
    assert (len(structure.PUBLISHED_INSTANCES), len(six)) == (36, 6 + 8)
    sources = {name.removesuffix("__d6") for name in structure.PUBLISHED_INSTANCES}
    assert len(sources) == 30


def test_a_copy_of_all_published_conditions_must_have_their_reversals(folder, monkeypatch):
    monkeypatch.setattr(structure, "PUBLISHED_INSTANCES", frozenset(INSTANCES))
    with pytest.raises(CommandError, match="sign reversals at floors 0, 1, 5, 10 % are in"):
        load_release(folder)
    monkeypatch.setattr(
        structure, "PUBLISHED_REVERSALS", structure.structure_of(_read(folder)).n_reversing
    )
    load_release(folder)
    assert Task.objects.count() == len(INSTANCES)


def _read(folder: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structure, "PUBLISHED_INSTANCES", frozenset())
        return read_release(folder).instances
