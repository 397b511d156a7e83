"""What the clock asks for."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from wwbsite.celery import app


@pytest.mark.parametrize("name", settings.CELERY_BEAT_SCHEDULE)
def test_a_scheduled_message_is_void_when_the_next_is_due(name):
    entry: dict[str, Any] = settings.CELERY_BEAT_SCHEDULE[name]
    assert entry["options"]["expires"] == entry["schedule"].total_seconds()


@pytest.mark.django_db
def test_sessions_that_have_run_out_are_deleted_and_others_stay():
    now = timezone.now()
    for name, days in (("over", -1), ("live", 1)):
        Session.objects.create(session_key=name, expire_date=now + timedelta(days=days))
    app.tasks[settings.CELERY_BEAT_SCHEDULE["clear sessions"]["task"]].apply()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["live"]
