"""A study that runs, and staff who watch it."""

import pytest

from tests.judgments.desk import log_in, make_assistant, make_staff
from tests.judgments.studies import later, make_study


@pytest.fixture
def study():
    return make_study(n_per_domain=3, opened_at=later(days=-7))


@pytest.fixture
def ada():
    return make_staff("ada")


@pytest.fixture
def desk(ada):
    return log_in(ada)


@pytest.fixture
def assistant():
    return log_in(make_assistant())
