"""The scenarios for staff: the list for all, what is behind one for those with the permission."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command

from catalog.models import Scenario
from catalog.scenario_cards import scenario_card, scenario_leaks
from catalog.scenario_truth import ActionMetric, ScenarioTruth
from judgments.actions.staff import exclude_participant
from tests.builders import NOW
from tests.judgments.desk import log_in, make_assistant, make_staff
from tests.judgments.played import play
from tests.judgments.studies import join, join_ready, make_study

pytestmark = pytest.mark.django_db
LIST = "/staff/scenarios/"


@pytest.fixture
def loaded():
    call_command("load_scenarios")


@pytest.fixture
def curator():
    """Return a browser of somebody who may read what is behind scenarios."""
    staff = make_staff("curator", permissions=("watch_study", "read_scenario_truth"))
    return log_in(staff)


def test_the_list_has_every_scenario_with_its_domain_and_no_leak(loaded):
    page = log_in(make_assistant()).get(LIST).content.decode()
    assert "60 of 60 scenarios" in page
    assert page.count("no leak") == 60
    assert "20 of 60" in log_in(make_staff()).get(LIST, {"domain": "systems"}).content.decode()


def test_coverage_counts_people_with_six_usable_choices_in_studies_for_people():
    study, ada = make_study(n_per_domain=3), make_staff()
    person = play(join_ready(study))
    play(join(study, is_preview=True).participant)
    assert _numbers(ada) == ["0"] + ["1"] * 8
    exclude_participant(participant_id=person.pk, staff=ada, reason="a test", now=NOW)
    assert _numbers(ada) == ["0"] * 9


def _numbers(staff):
    page = log_in(staff).get(LIST).content.decode()
    return sorted(re.findall(r'<td class="number">(\d+)</td>', page))


def test_a_leak_is_counted_on_the_list_and_its_words_are_not_told(loaded):
    truth = ScenarioTruth.objects.order_by("pk").first()
    # What is published cannot be changed, so the planted word is in a scenario of its own.
    planted = Scenario.objects.create(
        **{
            field.attname: getattr(truth.scenario, field.attname)
            for field in Scenario._meta.concrete_fields
            if field.attname not in ("slug", "title")
        },
        slug="planted",
        title="As Zanzibar showed",
    )
    ScenarioTruth.objects.create(
        scenario=planted,
        source_identifier="arXiv:2001.99999",
        source_title="Some title",
        source_authors="A. Zanzibar",
        source_year=2020,
        source_locator="Table 1",
        conclusion="It works.",
        confirmed_facts=[],
        prior=[1 / 6] * 6,
        budget=4,
        removes=[[k] for k in range(6)],
    )
    page = log_in(make_assistant()).get(LIST).content.decode()
    assert "1 scenario with words of the source" in page
    assert "1 passage" in page
    assert "zanzibar”" not in page.lower()


def test_the_page_of_a_scenario_has_its_source_its_designs_and_their_worth(loaded, curator):
    truth = ScenarioTruth.objects.select_related("scenario").order_by("pk").first()
    page = curator.get(f"{LIST}{truth.scenario_id}/").content.decode()
    for shown in (truth.source_identifier, str(truth.source_year), truth.scenario.actions.all()[0]):
        assert str(getattr(shown, "text", shown)).split("“")[0] in page
    for metric in ActionMetric.objects.filter(action__scenario=truth.scenario):
        assert f"{metric.rate:.4f}" in page


def test_the_readings_of_a_card_give_the_stored_metric(loaded):
    for scenario in Scenario.objects.all()[:6]:
        card = scenario_card(scenario)
        for action in card.actions:
            rates = [one.gain / one.cost * one.is_affordable for one in action.readings]
            if action.rate is None:
                assert (action.form, rates) == ("foil", [])
            else:
                assert sum(rates) / len(rates) == pytest.approx(action.rate, abs=1e-12)


def test_without_the_permission_the_page_is_403_and_says_nothing(loaded, client):
    truth = ScenarioTruth.objects.order_by("pk").first()
    address = f"{LIST}{truth.scenario_id}/"
    assert client.get(address).status_code == 302
    everything_viewable = make_staff("clerk")
    everything_viewable.user_permissions.add(
        *Permission.objects.filter(codename__startswith="view_")
    )
    for staff in (make_assistant(), make_staff(), everything_viewable):
        response = log_in(staff).get(address)
        assert response.status_code == 403
        assert truth.source_title not in response.content.decode()
        assert address not in log_in(staff).get(LIST).content.decode()


def test_unknown_scenarios_and_those_without_a_source_have_a_clear_answer(curator):
    assert curator.get(f"{LIST}nowhere/").status_code == 404
    make_study(n_per_domain=3)
    response = curator.get(f"{LIST}systems-00/")
    assert "Nothing is recorded behind this scenario" in response.content.decode()


def test_who_looked_is_in_the_log_and_what_is_not(loaded, curator, caplog):
    slug = Scenario.objects.values_list("pk", flat=True)[0]
    caplog.clear()
    curator.get(f"{LIST}{slug}/")
    lines = [str(record.msg) for record in caplog.records]
    assert any("scenario_truth_shown" in line and slug in line for line in lines)
    truth = ScenarioTruth.objects.get(pk=slug)
    assert not any(truth.source_title in line for line in lines)


def test_the_scan_takes_a_fixed_number_of_queries(loaded, django_assert_num_queries):
    with django_assert_num_queries(2):
        assert len(list(scenario_leaks())) == 60
