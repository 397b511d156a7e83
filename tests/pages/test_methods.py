"""The definitions agree with the code that scores."""

import re

import pytest
from django.core.cache import cache

from leaderboards import agreement_report
from scoring import surfaces
from scoring.information import information_gain
from tests.builders import make_family

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    cache.clear()
    make_family("forecasting")
    return client.get("/methods/").content.decode()


def test_tolerances_are_those_of_the_strict_profile(page):
    *most, last = (f"{100 * tolerance:g}" for tolerance in surfaces.STRICT_TOLERANCES)
    assert f"{', '.join(most)} and {last} %" in page


def test_the_near_choice_is_that_of_the_scoring(page):
    assert f"<em>near</em> at {surfaces.NEAR_CHOICE_REGRET} or less" in page


def test_designs_and_draws_are_those_of_the_scoring(page):
    assert f"{information_gain([1 / 6] * 6).size} designs" in page
    draws = f"{agreement_report.N_DRAWS:,} times, seed {agreement_report.SEED}"
    assert draws in page


def test_families_come_from_the_catalogue(page):
    assert re.search(r'<th scope="row">Forecasting</th>\s*<td>mean absolute error</td>', page)


def test_formulas_are_mathml_that_needs_no_script(page):
    assert page.count('<math display="block">') >= 8
    assert "<script" not in page
