"""Launch checks whose worker is killed in the middle of them (C53), with real workers."""

import os
import signal

import pytest
import redis
from celery import current_app
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from catalog.models import Scenario
from judgments.actions import rehearsals
from judgments.actions.certificates import CERTIFY_DESIGN
from judgments.actions.design import try_design
from judgments.actions.launch import start_check
from judgments.actions.studies import NotReady, open_study
from judgments.models import AuditEntry, CheckKind, Judgment, LaunchCheck
from tests.judgments.desk import version_of
from tests.judgments.studies import SMALLEST, make_study
from tests.workers import environment_of_test, log_of, wait_until, worker

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]

PLAN = {"n_people": 3, "n_studies": 2, "seed": 7}


def test_checks_whose_worker_is_killed_end_once_and_the_gate_stays_shut(tmp_path):
    redis.from_url(settings.REDIS_URL).flushdb()
    version = version_of(make_study(opened_at=None, **SMALLEST))
    now = timezone.now()
    certificate = start_check(
        version=version, kind=CheckKind.CERTIFICATE, staff=None, now=now, plan=PLAN
    )
    rehearsals.request_rehearsal(study_slug="main", staff=None, now=now)
    environment = environment_of_test(JOB_LEASE_SECONDS="2", SWEEP_SECONDS="1")

    def log():
        return log_of(tmp_path).read_text()

    with worker(environment, tmp_path, queues="default", clock=False) as process:
        rehearsals.send_rehearsal(study_slug="main")
        wait_until(Judgment.objects.exists, log)
        with transaction.atomic(), connection.cursor() as cursor:
            # Both workers have to wait in the middle of what they do.
            cursor.execute(f"LOCK TABLE {Scenario._meta.db_table} IN ACCESS EXCLUSIVE MODE")
            current_app.send_task(CERTIFY_DESIGN, kwargs={"check_id": certificate.pk, **PLAN})
            heard = LaunchCheck.objects.filter(pk=certificate.pk, heard_at__isnull=False)
            wait_until(heard.exists, log)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert gate() == dict.fromkeys(CheckKind, "running")

    with worker(environment, tmp_path):
        wait_until(lambda: not LaunchCheck.objects.filter(status="running").exists(), log)
    expected = try_design(version=version, **PLAN)
    certificate.refresh_from_db()
    assert expected.faults == ()
    assert certificate.status == "passed"
    assert certificate.details["n_studies"] == expected.n_studies
    assert gate() == dict.fromkeys(rehearsals.KINDS, "failed")
    lost = LaunchCheck.objects.filter(kind__in=rehearsals.KINDS)
    assert [check.details["faults"] for check in lost] == [[rehearsals.LOST]] * 3
    assert AuditEntry.objects.filter(event="check_finished").count() == 4


def gate():
    """Return the checks that the launch gate misses, and how the newest of each kind stands."""
    with pytest.raises(NotReady) as refusal:
        open_study(slug="main", staff=None, now=timezone.now())
    return {missing.kind: missing.status for missing in refusal.value.missing}
