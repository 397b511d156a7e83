"""A study to which a platform sends people."""

import pytest


@pytest.fixture
def platform_study(study):
    study.platform_study_id = "S1"
    study.save()
    return study
