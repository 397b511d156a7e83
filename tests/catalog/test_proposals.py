"""catalog.proposals: four actions a scenario, built by rule (docs/decisions/0009)."""

import itertools
import re
from collections import Counter

import pytest

from catalog.proposals import DESIGNED_FORMS, PROPOSAL_SEED, Form, build_foil, build_proposals
from catalog.scenario_files import read_scenarios

TEXTS = [text for text, _ in read_scenarios()]
BUILT = {text.slug: build_proposals(text, seed=PROPOSAL_SEED) for text in TEXTS}
ALL = [proposal for proposals in BUILT.values() for proposal in proposals]


def shingles(text: str) -> set[tuple[str, str, str]]:
    words = re.findall(r"\w+", text.lower())
    return set(zip(words, words[1:], words[2:], strict=False))


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.slug)
def test_a_scenario_has_one_action_name_and_one_design_of_each_form(text):
    assert Counter(p.form for p in BUILT[text.slug]) == Counter(set(Form) - {Form.FOIL})


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.slug)
def test_designs_differ_in_target_pair_and_seeds_and_state_what_they_would_run(text):
    designs = [p for p in BUILT[text.slug] if p.form in DESIGNED_FORMS]
    for values in zip(*((p.target, p.interventions, p.n_seeds) for p in designs), strict=True):
        assert len(set(values)) == 3
    low, middle, high = sorted(p.n_seeds or 0 for p in designs)
    assert 2 <= low <= 4 < middle <= 8 < high <= 12
    for p in designs:
        assert p.target is not None
        assert p.interventions is not None
        assert len(p.interventions) == 2
        assert p.target in p.interventions
        assert f"“{text.mechanisms[p.target].name}”" in p.text
        assert re.search(rf"\b{p.n_seeds} (seeds|runs)\b", p.text)
        for j in p.interventions:
            assert f"“{text.interventions[j].name}”" in p.text


def test_only_longer_forms_quote_the_recipes():
    for text in TEXTS:
        for p in BUILT[text.slug]:
            quoted = [j for j, part in enumerate(text.interventions) if part.text in p.text]
            expected = [] if p.form in (Form.NAME, Form.SHORT) else list(p.interventions or ())
            assert quoted == expected


def test_an_action_name_states_no_design():
    for p in ALL:
        stated = (p.target, p.interventions, p.n_seeds)
        assert (stated == (None, None, None)) is (p.form is Form.NAME)


def test_the_240_texts_are_different_and_complete_sentences():
    assert len({p.text for p in ALL}) == 240
    for p in ALL:
        assert p.text[-1] == "."
        assert not re.search(r"[{}]|\.\.|\s\s|\.\)", p.text)


def test_no_two_texts_share_more_than_seven_tenths_of_their_word_triples():
    for first, second in itertools.combinations([shingles(p.text) for p in ALL], 2):
        assert len(first & second) <= 0.7 * len(first | second)


def test_the_number_of_an_action_tells_nothing_about_its_form():
    # 60 draws a form: 15 expected at each number; chi-square of 9 degrees, 99.9 % point 27.9
    table = Counter((p.form, number) for ps in BUILT.values() for number, p in enumerate(ps))
    assert (
        sum(
            (n - 15) ** 2 / 15
            for n in (table[f, k] for f in {p.form for p in ALL} for k in range(4))
        )
        < 27.9
    )


def test_targets_do_not_prefer_a_mechanism_by_its_place():
    # 180 targets over 6 places: 30 expected; chi-square of 5 degrees, 99.9 % point 20.5
    counts = Counter(p.target for p in ALL if p.target is not None)
    assert sum((counts[h] - 30) ** 2 / 30 for h in range(6)) < 20.5


def test_the_same_seed_gives_the_same_texts_and_another_seed_others():
    assert build_proposals(TEXTS[0], seed=PROPOSAL_SEED) == BUILT[TEXTS[0].slug]
    assert build_proposals(TEXTS[0], seed=PROPOSAL_SEED + 1) != BUILT[TEXTS[0].slug]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.slug)
def test_a_foil_names_the_target_of_a_design_and_states_no_intervention(text):
    foil = build_foil(text, BUILT[text.slug], seed=PROPOSAL_SEED)
    design = next(p for p in BUILT[text.slug] if p.form is Form.CRITERION)
    assert foil.interventions is None
    assert f"“{text.mechanisms[design.target].name}”" in foil.text
    assert re.search(rf"\b{design.n_seeds} (seeds|runs)\b", foil.text)
    assert not any(f"“{part.name}”" in foil.text for part in text.interventions)
