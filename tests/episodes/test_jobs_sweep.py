"""What becomes of jobs and episodes that have gone quiet (cases C53, C55)."""

from datetime import timedelta
from threading import Thread

import pytest
from django.db import connection, transaction

from episodes.actions import ledger
from episodes.actions.jobs import finish_job, open_episode, renew_lease, send_jobs
from episodes.actions.sweep import Swept, sweep_jobs
from episodes.models import Episode, PlayerJob
from scoring.masks import all_masks
from tests.builders import NOW, make_agent, make_task
from tests.players import claim, give_to_newer_attempt, make_job

LEASE = timedelta(seconds=60)


@pytest.fixture(autouse=True)
def limits(settings):
    settings.JOB_LEASE_SECONDS = 60
    settings.JOB_MAX_ATTEMPTS = 3
    settings.EPISODE_SECONDS = 1800


@pytest.fixture
def job(db):
    return make_job(make_task())


def sweep(*, now=NOW + LEASE, n_messages=0):
    return sweep_jobs(now=now, n_messages=n_messages)


def deliver(episode, *, now=NOW):
    table = dict.fromkeys(all_masks(4), 0.5)
    ledger.submit_prediction(agent=episode.agent, episode_id=episode.id, predictions=table, now=now)


def spend_attempts(job, n_attempts):
    claimed = claim(job)
    for _ in range(n_attempts - 1):
        claimed = give_to_newer_attempt(job)
    return claimed


def test_a_job_whose_worker_went_quiet_is_sent_again(job):
    claim(job)
    assert sweep() == Swept(n_done=0, n_lost=0, n_sent=1, n_failed=0)
    job.refresh_from_db()
    assert (job.state, job.attempt, job.cause) == ("queued", 1, "lease ran out")
    assert job.sent_at == NOW + LEASE


def test_a_job_whose_lease_was_renewed_is_left_alone(job):
    renew_lease(claim=claim(job), now=NOW + timedelta(seconds=1))
    assert sweep() == Swept(n_done=0, n_lost=0, n_sent=0, n_failed=0)
    job.refresh_from_db()
    assert job.state == "running"


def test_a_job_that_was_never_sent_is_sent(job):
    assert sweep(now=NOW).n_sent == 1
    assert sweep(now=NOW, n_messages=1).n_sent == 0


@pytest.mark.parametrize(
    ("n_messages", "seconds", "n_sent"),
    [(1, 60, 1), (2, 60, 0), (0, 60, 2), (0, 59, 0)],
    ids=["one lost", "none lost", "both lost", "too early to tell"],
)
def test_as_many_jobs_are_sent_again_as_messages_are_missing(job, n_messages, seconds, n_sent):
    other = make_job(job.task, method="design_degree2")
    send_jobs(job_ids=[job.id], now=NOW)
    send_jobs(job_ids=[other.id], now=NOW)
    assert sweep(now=NOW + timedelta(seconds=seconds), n_messages=n_messages).n_sent == n_sent


def test_of_two_jobs_the_one_that_waits_longer_is_sent_again(job):
    other = make_job(job.task, method="design_degree2")
    send_jobs(job_ids=[other.id], now=NOW)
    send_jobs(job_ids=[job.id], now=NOW + timedelta(seconds=1))
    sweep(now=NOW + 2 * LEASE, n_messages=1)
    assert PlayerJob.objects.get(sent_at=NOW + 2 * LEASE) == other


def test_a_job_without_attempts_left_is_lost_with_its_episode(job):
    episode = open_episode(claim=spend_attempts(job, 3), now=NOW)
    assert sweep() == Swept(n_done=0, n_lost=1, n_sent=0, n_failed=0)
    job.refresh_from_db()
    episode.refresh_from_db()
    assert (job.state, job.cause) == ("lost", "limit:attempts (lease ran out)")
    assert (episode.state, episode.cause) == ("lost", "limit:attempts")
    assert job.finished_at == episode.closed_at == NOW + LEASE


def test_a_job_without_attempts_left_is_not_run_again_by_itself(job):
    spend_attempts(job, 3)
    sweep()
    assert PlayerJob.objects.get().state == "lost"


def test_a_job_that_never_got_an_episode_can_be_lost(job):
    spend_attempts(job, 3)
    assert sweep().n_lost == 1
    assert not Episode.objects.exists()


@pytest.mark.parametrize("n_attempts", [1, 3])
def test_a_table_delivered_before_its_worker_died_counts(job, n_attempts):
    episode = open_episode(claim=spend_attempts(job, n_attempts), now=NOW)
    deliver(episode)
    assert sweep() == Swept(n_done=1, n_lost=0, n_sent=0, n_failed=0)
    job.refresh_from_db()
    episode.refresh_from_db()
    assert (job.state, episode.state) == ("done", "submitted")


def test_a_player_past_the_deadline_is_our_loss_and_runs_again(job):
    episode = open_episode(claim=claim(job), now=NOW)
    late = episode.deadline_at
    assert ledger.expire_episodes(now=late) == 0
    assert sweep(now=late).n_lost == 1
    job.refresh_from_db()
    episode.refresh_from_db()
    assert (job.state, episode.state, episode.cause) == ("lost", "lost", "limit:deadline")
    next_run = PlayerJob.objects.get(run=2)
    assert (next_run.state, next_run.attempt, next_run.episode) == ("queued", 0, None)


def test_runs_that_end_at_the_deadline_are_not_repeated_for_ever(job):
    PlayerJob.objects.update(run=3)
    episode = open_episode(claim=claim(job), now=NOW)
    sweep(now=episode.deadline_at)
    assert PlayerJob.objects.get().state == "lost"


def test_a_job_whose_episode_staff_wrote_off_is_lost(job):
    episode = open_episode(claim=claim(job), now=NOW)
    ledger.lose_episode(episode_id=episode.id, cause="machine replaced", now=NOW)
    assert sweep().n_lost == 1
    episode.refresh_from_db()
    assert episode.cause == "machine replaced"


def test_one_bad_row_does_not_stop_the_sweep(job):
    other = make_job(job.task, method="design_degree2")
    claim(job)
    claim(other)
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'bad row'; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER bad_row BEFORE UPDATE ON episodes_playerjob FOR EACH ROW "
            f"WHEN (OLD.id = '{job.id}') EXECUTE FUNCTION refuse()"
        )
    assert sweep() == Swept(n_done=0, n_lost=0, n_sent=1, n_failed=1)
    job.refresh_from_db()
    other.refresh_from_db()
    assert (job.state, other.state) == ("running", "queued")


@pytest.mark.django_db(transaction=True)
def test_a_row_that_another_sweep_holds_is_passed_over():
    job = make_job(make_task())
    claim(job)
    swept = []

    def sweep_elsewhere():
        try:
            swept.append(sweep())
        finally:
            connection.close()

    with transaction.atomic():
        PlayerJob.objects.select_for_update().get()
        other = Thread(target=sweep_elsewhere)
        other.start()
        other.join(timeout=20)
    assert swept == [Swept(n_done=0, n_lost=0, n_sent=0, n_failed=0)]


def test_a_job_that_is_over_stays_as_it_is(job):
    episode = open_episode(claim=(held := claim(job)), now=NOW)
    deliver(episode)
    finish_job(claim=held, now=NOW)
    before = PlayerJob.objects.values().get()
    sweep(now=NOW + timedelta(days=1))
    assert PlayerJob.objects.values().get() == before


@pytest.mark.django_db
def test_the_episode_of_an_api_agent_is_its_own_miss():
    episode = ledger.start_episode(
        agent=make_agent(), task=make_task(), budget=8, view="full", now=NOW
    )
    late = episode.deadline_at + timedelta(seconds=9)
    sweep(now=late)
    assert ledger.expire_episodes(now=late) == 1
    episode.refresh_from_db()
    assert (episode.state, episode.cause) == ("expired", "limit:deadline")
