"""The file of the study's log."""

import pytest
from django.core.management import call_command

from judgments.actions import path
from judgments.actions.staff import exclude_participant
from tests.builders import NOW
from tests.judgments.exports.reading import counts, export, played, records

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_staff_did_about_somebody_excluded_stays_without_a_name(study, ada, tmp_path):
    (person,) = played(study, 1)
    path.hand_over(participant_id=person.pk, now=NOW)
    exclude_participant(participant_id=person.pk, staff=ada, reason="asleep", now=NOW)
    manifest = export(study, tmp_path / "new")
    n_own = study.audit_entries.filter(participant_id=person.pk, staff__isnull=True).count()
    assert counts(manifest, "audit")[2] == {"excluded": n_own}
    deed = records(tmp_path / "new", "audit")[-1]
    assert (deed["event"], deed["reason"]) == ("participant_excluded", "asleep")
    assert deed["participant"] is None


def test_an_export_is_in_the_log_of_the_study_and_in_itself(study, tmp_path):
    played(study)
    call_command("export_study", "main", str(tmp_path / "new"), verbosity=0)
    assert records(tmp_path / "new", "audit")[-1]["event"] == "export_requested"
