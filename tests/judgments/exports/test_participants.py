"""The file of participants: who is left out everywhere and why, and no identity anywhere."""

import pytest

from catalog.tabular_files import FORMATS
from judgments import exports
from judgments.actions import path
from judgments.actions.staff import exclude_participant, undo_exclusion
from judgments.links import pseudonym
from tests.builders import NOW
from tests.judgments.answers import answer_everything, coin
from tests.judgments.exports.reading import counts, export, played, records
from tests.judgments.studies import consent, get_ready, join, join_ready

pytestmark = pytest.mark.django_db(transaction=True)


def test_everything_left_out_is_counted_with_its_first_reason(study, ada, tmp_path):
    kept, excluded, gone = played(study, 3)
    exclude_participant(participant_id=excluded.pk, staff=ada, reason="asleep", now=NOW)
    path.leave_and_delete(participant_id=gone.pk, now=NOW)
    get_ready(join(study).participant)  # answers nothing
    join(study)  # has not consented
    consent(join(study).participant, is_given=False)
    preview = join_ready(study, is_preview=True)
    answer_everything([preview], coin(seed=2))
    manifest = export(study, tmp_path / "new")
    reasons = {"excluded": 60, "incomplete": 60, "no-consent": 120, "preview": 60, "withdrawn": 60}
    assert counts(manifest, "items") == (420, 60, reasons)
    people = {"excluded": 1, "no-consent": 2, "preview": 1, "withdrawn": 1}
    assert counts(manifest, "participants") == (7, 2, people)
    names = {row["participant"] for row in records(tmp_path / "new", "items")}
    assert names == {pseudonym("main", kept.pk)}
    assert exports.verify(tmp_path / "new") == []


def test_an_exclusion_empties_the_next_export_and_undoing_it_fills_it_again(study, ada, tmp_path):
    (person,) = played(study, 1)
    exclude_participant(participant_id=person.pk, staff=ada, reason="asleep", now=NOW)
    assert counts(export(study, tmp_path / "a"), "items") == (60, 0, {"excluded": 60})
    assert records(tmp_path / "a", "rankings") == []
    undo_exclusion(participant_id=person.pk, staff=ada, reason="awake", now=NOW)
    assert counts(export(study, tmp_path / "b"), "items") == (60, 60, {})


def test_nothing_of_somebody_who_left_is_in_a_later_export(study, tmp_path):
    stays, leaves = played(study)
    path.hand_over(participant_id=leaves.pk, now=NOW)
    path.hand_over(participant_id=stays.pk, now=NOW)
    name = pseudonym("main", leaves.pk)
    export(study, tmp_path / "before")
    path.leave_and_delete(participant_id=leaves.pk, now=NOW)
    manifest = export(study, tmp_path / "after", formats=[FORMATS["csv"], FORMATS["jsonl"]])
    contents = {
        folder: b"".join(file.read_bytes() for file in sorted((tmp_path / folder).iterdir()))
        for folder in ("before", "after")
    }
    assert name.encode() in contents["before"]
    assert name.encode() not in contents["after"]
    n_entries = study.audit_entries.filter(participant_id=leaves.pk).count()
    assert counts(manifest, "audit")[2] == {"withdrawn": n_entries}


def test_no_file_has_an_identity(study, ada, tmp_path):
    joined = join(study, pid="5F3a9c0012ab34cd56ef7890")
    person = get_ready(joined.participant)
    answer_everything([person], coin(seed=1))
    path.hand_over(participant_id=person.pk, now=NOW)
    blocked = study.blocked_pids.create(platform_pid="somebody77")
    reason = "somebody77 is 5f3a9c0012ab34cd56ef7890, wrote from ann@example.org twice"
    exclude_participant(participant_id=person.pk, staff=ada, reason=reason, now=NOW)
    undo_exclusion(participant_id=person.pk, staff=ada, reason="", now=NOW)
    export(study, tmp_path / "new", formats=[FORMATS["csv"], FORMATS["jsonl"]])
    person.refresh_from_db()
    secrets = {
        str(person.pk),
        person.pk.hex,
        person.token_sha256,
        joined.token,
        person.platform_pid,
        blocked.platform_pid,
        "ann@example.org",
        "ada",
    }
    content = "".join(
        file.read_text(encoding="utf-8")
        for file in (tmp_path / "new").iterdir()
        if file.name != "manifest.json"
    )
    assert [secret for secret in secrets if secret in content] == []
    deeds = {row["event"]: row for row in records(tmp_path / "new", "audit")}
    excluded = deeds["participant_excluded"]
    assert excluded["reason"] == ("[platform id] is [platform id], wrote from [address] twice")
    assert excluded["staff"] == "staff-1"
    assert excluded["participant"] == pseudonym("main", person.pk)
