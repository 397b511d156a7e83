"""The words of a state: built from its numbers, and nothing that a number does not say."""

import pytest

from catalog.research_states import generate_states
from catalog.state_texts import INTERFACE_TITLES, describe, request_text
from scoring.responses import Interface

STATE = generate_states()[0]  # improved: the second of four data sets; budget 6


def test_a_state_says_every_difference_with_its_sign():
    results = describe(STATE).results
    assert STATE.deltas == (-0.4, 2.5, 0.0, 0.1)
    assert results == [
        "D1: −0.4 points, not improved",
        "D2: +2.5 points, improved",
        "D3: 0.0 points, not improved",
        "D4: +0.1 points, not improved",
    ]


def test_a_mechanism_names_the_data_sets_of_its_signature():
    for h, (line, signature) in enumerate(
        zip(describe(STATE).mechanisms, STATE.signatures, strict=True)
    ):
        assert line.startswith(f"Mechanism {h} would improve ")
        assert [f"D{d + 1}" in line for d in range(4)] == list(signature)


def test_a_state_says_no_prior():
    words = " ".join((*describe(STATE).mechanisms, describe(STATE).method))
    assert not any(f"{p:.2f}" in words for p in STATE.prior)


@pytest.mark.parametrize("interface", Interface)
def test_every_request_states_budget_cost_identifiers_and_seed_range(interface):
    text = request_text(describe(STATE), budget=STATE.budget, interface=interface)
    assert f"Your budget is {STATE.budget}." in text
    assert "C = 1 + 0.6 |A| + 0.35 n (Eq. 3)" in text
    assert "I0, I1, I2, I3, I4, I5" in text
    assert "n from 2 to 12" in text


def test_the_requests_of_all_interfaces_differ():
    texts = {request_text(describe(STATE), budget=6, interface=one) for one in Interface}
    assert len(texts) == len(Interface) == len(INTERFACE_TITLES)
