"""What scoring declares of the families against the workflows and their committed tables."""

import pytest

from catalog.workflows.conditions import CONDITIONS
from catalog.workflows.registry import FAMILIES
from catalog.workflows.tables import read_table
from scoring import equivalences, native_units
from scoring.equivalences import Guard


@pytest.mark.parametrize("family", FAMILIES)
def test_scoring_knows_the_guards_that_the_workflow_declares(family):
    declared = {
        Guard(factor.inactive_when[0], int(factor.inactive_when[1]), factor.letter)
        for factor in FAMILIES[family].factors
        if factor.inactive_when
    }
    assert set(equivalences.GUARDS[family]) == declared


def test_scoring_knows_no_other_family():
    assert set(equivalences.GUARDS) == set(FAMILIES)


@pytest.mark.parametrize("slug", CONDITIONS)
def test_no_committed_outcome_refutes_a_claimed_equivalence(slug):
    condition, table = CONDITIONS[slug], read_table(slug)
    representative = equivalences.representatives(condition.family.name, condition.d)
    hashes = list(table.prediction_sha256.values())
    assert equivalences.contradictions(representative, list(table.utility.values()), hashes) == ()


@pytest.mark.parametrize("slug", CONDITIONS)
def test_a_utility_is_the_native_metric_or_an_error_on_one_scale(slug):
    table = read_table(slug)
    pairs = [(table.native_value[mask], utility) for mask, utility in table.utility.items()]
    if CONDITIONS[slug].family.name not in native_units.ERROR_FAMILIES:
        assert all(native == utility for native, utility in pairs)
    else:
        scales = [native / (1 / utility - 1) for native, utility in pairs]
        assert scales == pytest.approx([scales[0]] * len(scales), rel=1e-9)
