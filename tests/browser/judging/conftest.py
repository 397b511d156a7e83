"""The judgment screen with all four choices and a comment, on a desk and on a phone."""

import pytest
from django.core.cache import cache

from tests.browser.judging.hands import PHONE, WIDE
from tests.browser.visitors import start, visitor
from tests.judgments.studies import make_study


@pytest.fixture(autouse=True)
def study():
    cache.clear()
    return make_study(
        n_per_domain=3, allows_equal=True, allows_cannot_judge=True, offers_comment=True
    )


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def viewport(request):
    return request.param


@pytest.fixture
def at_item(open_page, study):
    """Return a function that opens the first item as somebody new."""

    def at_item(**options):
        page = open_page(**options)
        page.goto(visitor(study, start).address)
        return page

    return at_item
