"""manage.py load_scenarios and scan_scenarios: whole, frozen, idempotent, without a leak."""

from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from catalog.management.commands import load_scenarios
from catalog.models import Action, Scenario
from catalog.proposals import FOIL_NUMBER, Form, Proposal
from catalog.queries import shown_passages
from catalog.scenario_files import read_scenarios
from catalog.scenario_truth import (
    ActionMetric,
    ActionTruth,
    ScenarioTruth,
    balances,
    score_proposal,
)
from scoring.readings import NAME_READINGS

pytestmark = pytest.mark.django_db


def run(command: str) -> str:
    out = StringIO()
    call_command(command, stdout=out)
    return out.getvalue()


def rows() -> list[list[Any]]:
    models = (Scenario, Action, ScenarioTruth, ActionTruth, ActionMetric)
    return [list(model._default_manager.order_by("pk").values()) for model in models]


@pytest.fixture
def files(monkeypatch):
    """Let a test change the committed scenarios."""
    listed = list(read_scenarios())
    monkeypatch.setattr(load_scenarios, "read_scenarios", lambda: tuple(listed))
    return listed


def test_sixty_scenarios_of_three_domains_have_four_actions_each():
    assert run("load_scenarios") == "60 scenarios, 240 actions\n"
    for domain in ("machine-learning", "systems", "ai-for-science"):
        assert Scenario.objects.filter(domain=domain).count() == 20
    assert Action.objects.filter(number__lt=FOIL_NUMBER).count() == 240
    assert ActionMetric.objects.filter(action__number__lt=FOIL_NUMBER).count() == 240
    assert Action.objects.count() == ActionTruth.objects.count() == 240 + 60
    assert ActionMetric.objects.count() == 240
    assert ScenarioTruth.objects.values("source_identifier").distinct().count() == 55


def test_a_second_load_changes_no_row():
    run("load_scenarios")
    before = rows()
    run("load_scenarios")
    assert rows() == before


def test_other_words_under_a_published_name_are_refused_whole(files):
    run("load_scenarios")
    before = rows()
    text, secret = files[-1]
    files[-1] = (replace(text, question="Why?"), secret)
    with pytest.raises(CommandError, match=r"sys-20: question changed, .* published"):
        run("load_scenarios")
    assert rows() == before


def test_another_truth_is_refused_and_not_printed(files):
    run("load_scenarios")
    text, secret = files[0]
    files[0] = (text, replace(secret, conclusion="It was the weather."))
    with pytest.raises(CommandError, match="conclusion changed") as refusal:
        run("load_scenarios")
    assert "weather" not in str(refusal.value)


@pytest.mark.parametrize("model", [Scenario, Action, ScenarioTruth, ActionTruth])
def test_the_database_refuses_to_change_what_was_published(model):
    run("load_scenarios")
    field = {Scenario: "title", Action: "text", ScenarioTruth: "budget", ActionTruth: "n_seeds"}
    value = 5 if model in (ScenarioTruth, ActionTruth) else "other"
    with pytest.raises(IntegrityError, match="published row"):
        model.objects.update(**{field[model]: value})


def test_no_shown_text_leads_to_its_source():
    run("load_scenarios")
    assert run("scan_scenarios") == "60 scenarios scanned, no leak\n"


def test_a_planted_author_is_found_with_its_scenario(files):
    text, secret = files[0]
    files[0] = (replace(text, baseline=f"{text.baseline} Wang did this."), secret)
    run("load_scenarios")
    with pytest.raises(CommandError, match=r"sci-01: “wang” in: .* Wang did this\."):
        run("scan_scenarios")


def test_shown_passages_hold_all_that_is_shown():
    run("load_scenarios")
    # title, question, baseline, 4 observations, 6 mechanisms and 6 interventions in two parts each
    passages = shown_passages(Scenario.objects.get(slug="sci-01"))
    assert len(passages) == 3 + 4 + 24 + 5


def uniform(budget: int):
    return replace(read_scenarios()[0][1], prior=(1 / 6,) * 6, budget=budget)


def test_a_design_is_worth_its_information_per_cost_and_nothing_beyond_the_budget():
    # specs/reading-sets.md: IG({0,1},8) = 0.298136011669 nats at cost 1 + 1.2 + 2.8 = 5
    design = Proposal(Form.SHORT, "", target=0, interventions=(0, 1), n_seeds=8)
    assert score_proposal(uniform(8), design).rate == pytest.approx(0.298136011669 / 5, abs=1e-12)
    dear = score_proposal(uniform(4), design)
    assert dear.rate == 0
    assert dear.ungated_rate == pytest.approx(0.298136011669 / 5, abs=1e-12)


def test_an_action_name_is_worth_the_mean_of_its_four_readings():
    # specs/reading-sets.md, uniform prior; costs 2.3, 2.9, 4.1 and 3.0
    rates = (0.014040581318 / 2.3, 0.028064819475 / 2.9, 0.056062142690 / 4.1, 0.050225361548 / 3)
    result = score_proposal(uniform(8), Proposal(Form.NAME, ""))
    assert result.rate == pytest.approx(sum(rates) / len(NAME_READINGS), abs=1e-12)


def test_every_scenario_has_actions_of_different_worth():
    run("load_scenarios")
    for scenario in Scenario.objects.all():
        rates = ActionMetric.objects.filter(action__scenario=scenario).values_list("rate")
        assert len({round(rate, 9) for (rate,) in rates}) >= 3


def test_sides_are_balanced_by_falling_worth_and_gold_is_the_design_behind_the_foil():
    run("load_scenarios")
    for slug, balance in balances(["sci-01", "ml-01"]).items():
        rates = dict(
            ActionMetric.objects.filter(action__scenario=slug).values_list("action__number", "rate")
        )
        assert sorted(balance.worth) == [0, 1, 2, 3]
        ordered = [rates[number] for number in balance.worth]
        assert ordered == sorted(ordered, reverse=True)
        gold = ActionTruth.objects.get(action__scenario=slug, action__number=balance.gold)
        assert gold.form == Form.CRITERION
