import numpy as np
import pytest

from scoring import equivalences, masks


@pytest.mark.parametrize(
    ("family", "n_classes"),
    [
        ("classification", 64),
        ("regression", 36),
        ("clustering", 48),
        ("forecasting", 64),
        ("image_restoration", 36),
        ("retrieval", 48),
        ("beat_detection", 64),
        ("graph_link_prediction", 64),
    ],
)
def test_the_number_of_classes_is_the_published_one(family, n_classes):
    representative = equivalences.representatives(family, 6)
    assert len(set(representative.tolist())) == n_classes
    assert (representative[representative] == representative).all()


@pytest.mark.parametrize(
    ("family", "mask", "representative"),
    [
        ("regression", "100011", "100000"),  # C off: E inactive; B off: F inactive
        ("regression", "011011", "011011"),
        ("clustering", "000011", "000001"),
        ("image_restoration", "001011", "001000"),
        ("image_restoration", "110011", "110011"),
        ("retrieval", "111111", "110111"),  # E on: C inactive
        ("retrieval", "111101", "111101"),
    ],
)
def test_inactive_factors_are_switched_off(family, mask, representative):
    index = equivalences.representatives(family, 6)[masks.index_of(mask, 6)]
    assert masks.mask_of(int(index), 6) == representative


@pytest.mark.parametrize("family", equivalences.GUARDS)
def test_four_factor_workflows_claim_no_equivalence(family):
    assert equivalences.representatives(family, 4).tolist() == list(range(16))


@pytest.mark.parametrize("family", ["", "Regression", None])
def test_an_unknown_family_is_refused_with_the_known_ones(family):
    with pytest.raises(equivalences.UnknownFamilyError, match="classification, regression"):
        equivalences.representatives(family, 6)


def test_the_projection_takes_the_measured_member_else_the_mean():
    representative = equivalences.representatives("retrieval", 6)
    prediction = np.linspace(0, 1, 64)
    projected = equivalences.project(prediction, {"111111": 0.25}, representative)
    assert projected[0b111111] == projected[0b110111] == 0.25
    pair = [0b101110, 0b100110]
    assert projected[pair].tolist() == [prediction[pair].mean()] * 2
    assert projected[0b000001] == prediction[0b000001]


def test_a_refuted_claim_names_mask_and_representative():
    representative = np.array([0, 0, 2, 2])
    utility, digests = [0.1, 0.1, 0.3, 0.3], ["a", "a", "b", "b"]
    assert equivalences.contradictions(representative, utility, digests) == ()
    assert equivalences.contradictions(representative, utility, ["a", "a", "b", "c"]) == (
        ("11", "10"),
    )
    assert equivalences.contradictions(representative, [0.1, 0.2, 0.3, 0.3], digests) == (
        ("01", "00"),
    )


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="representative must have prediction's shape"):
        equivalences.project([0.5] * 4, {}, np.arange(8))
