"""The Celery application: `celery -A wwbsite.celery worker`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wwbsite.settings")

app = Celery("wwbsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
