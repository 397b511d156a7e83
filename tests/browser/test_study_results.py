"""Results of a study in the browser: what it shows reads in any scheme, at any width."""

import numpy as np
import pytest

from judgments.models import Study
from leaderboards import actions
from tests.builders import NOW
from tests.judgments.studies import make_study
from tests.leaderboards.study_facts import ORDER, add_person, rank, scenarios, set_metric

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RESULTS = "/study/people/results/"


@pytest.fixture
def addresses():
    """Publish a study of 18 people and return the pages of its results."""
    study = make_study("people")
    slugs, rng = scenarios(), np.random.default_rng(21)
    for slug in slugs:
        set_metric(slug, sorted((rng.random(4) / 2).tolist(), reverse=rng.random() < 0.9))
    for _ in range(18):
        chosen = rng.choice(60, 8, replace=False)
        codes = [ORDER if rng.random() < 0.6 else int(rng.integers(64)) for _ in chosen]
        rank(
            add_person(study), [(slugs[row], code) for row, code in zip(chosen, codes, strict=True)]
        )
    actions.publish_agreement(study=study, versions=[1])
    Study.objects.update(closed_at=NOW, published_at=NOW)
    ranked = slugs[int(chosen[0])]
    return [RESULTS, f"{RESULTS}{ranked}/"]


def test_results_have_no_finding_of_axe_and_never_scroll_sideways(addresses, open_page, axe):
    page, findings, too_wide = open_page(bypass_csp=True, reduced_motion="reduce"), [], []
    for address in addresses:
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            findings += [f"{address} {scheme} {finding}" for finding in axe(page)]
        for width in (1280, 375, 320):
            page.set_viewport_size({"width": width, "height": 800})
            content = page.evaluate("document.documentElement.scrollWidth")
            if content > width:
                too_wide.append(f"{address} at {width}: {content}")
    assert findings == []
    assert too_wide == []


def test_every_picture_has_a_title_and_a_table_behind_it(addresses, open_page):
    page = open_page(java_script_enabled=False)
    for address in addresses:
        page.goto(address)
        for figure in page.locator("figure.picture").all():
            assert figure.locator("svg[role=img] title").text_content()
            assert figure.locator("svg desc").text_content()
            assert figure.locator("details table tbody tr").count() > 3
            assert figure.locator("figcaption").inner_text()
