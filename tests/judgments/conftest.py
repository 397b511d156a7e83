"""A study that people can join."""

import pytest

from tests.judgments.studies import make_study


@pytest.fixture
def study():
    return make_study(n_per_domain=3)
