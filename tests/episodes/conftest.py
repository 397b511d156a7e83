import pytest


@pytest.fixture(autouse=True)
def quick_passwords(settings):
    """Hash passwords fast; how slow they are in production is Django's business."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
