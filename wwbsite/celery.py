"""The Celery application: `celery -A wwbsite.celery worker`."""

import os
import sys

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from wwbsite.start_faults import explain

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wwbsite.settings")

app = Celery("wwbsite")


@app.on_configure.connect  # type: ignore[untyped-decorator]  # celery has no types
def read_settings(**_arguments: object) -> None:
    """Read the settings before Celery does, and end with one line where one is bad."""
    try:
        settings.DATABASES  # noqa: B018  (any of them reads the file)
    except ImproperlyConfigured as error:
        sys.exit(explain(error))


app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@app.task(name="wwbsite.clear_sessions")  # type: ignore[untyped-decorator]  # celery has no types
def clear_sessions() -> None:
    """Delete the sessions that have run out; Django leaves that to a command."""
    call_command("clearsessions")


@setup_logging.connect  # type: ignore[untyped-decorator]  # celery has no types
def keep_logging(**_arguments: object) -> None:
    """Leave the logs as the settings have them: a receiver stops Celery from its own set-up."""
