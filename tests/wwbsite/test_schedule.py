"""What the clock asks for."""

from typing import Any

import pytest
from django.conf import settings


@pytest.mark.parametrize("name", settings.CELERY_BEAT_SCHEDULE)
def test_a_scheduled_message_is_void_when_the_next_is_due(name):
    entry: dict[str, Any] = settings.CELERY_BEAT_SCHEDULE[name]
    assert entry["options"]["expires"] == entry["schedule"].total_seconds()
