"""Staff who exclude people from an export."""

import pytest


@pytest.fixture
def ada(django_user_model):
    return django_user_model.objects.create_user("ada")
