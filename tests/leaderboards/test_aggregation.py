"""Closed episodes to means, in Postgres; expected numbers are calculated by hand or by loops."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from statistics import fmean

import numpy as np
import pytest
from django.db import IntegrityError, transaction

from catalog.models import Task, Track
from episodes.models import Agent, AgentKind, Episode, PlayerJob
from leaderboards import actions
from leaderboards.metrics import METRICS, RECOVERY, Metric, as_row
from leaderboards.models import Board, EpisodeScore
from leaderboards.queries import load_records
from leaderboards.standings import BoardRecords, EntryRecord
from scoring.surfaces import grade
from tests.builders import NOW, make_agent, make_source, make_task
from tests.leaderboards.facts import (
    BUDGET,
    TRUTH,
    close_episode,
    expire,
    lose,
    make_tasks,
    play_as_job,
)

pytestmark = pytest.mark.django_db


def records_of(track: Track = Track.FOUR_FACTOR) -> BoardRecords:
    actions.score_episodes()
    actions.open_boards()
    return load_records(Board.objects.get(track=track))


def entry_of(agent: Agent) -> EntryRecord:
    return next(e for e in records_of().entries if e.agent_id == agent.pk)


def test_trials_then_sources_then_families_are_averaged_whatever_their_number():
    nile, sunspots, coffee = make_tasks({"forecasting": ["nile", "sunspots"], "images": ["coffee"]})
    agent = make_agent()
    close_episode(agent, nile, 1.0, minute=0)
    close_episode(agent, nile, 0.5, minute=1)
    close_episode(agent, sunspots, 0.25)
    close_episode(agent, coffee, 1.0)

    entry = entry_of(agent)

    # nile (1 + 0.5)/2 = 0.75; forecasting (0.75 + 0.25)/2 = 0.5; images 1; board (0.5 + 1)/2.
    # A mean over the four episodes would be 0.6875, one over the three sources 0.667.
    assert entry.recovery_score == 0.75
    assert entry.family_scores == {"forecasting": 0.5, "images": 1.0}
    assert entry.source_scores == [0.75, 0.25, 1.0]
    assert (entry.n_attempted, entry.n_delivered, entry.n_attempted_tasks) == (4, 4, 3)


def test_two_tasks_of_one_source_are_one_source():
    source = make_source("nile")
    agent = make_agent()
    for slug, recovery in (("nile", 1.0), ("nile-again", 0.5)):
        close_episode(agent, make_task(slug, truth=TRUTH, source=source), recovery)
    close_episode(agent, make_task("sunspots", truth=TRUTH), 0.25)

    entry = entry_of(agent)

    assert entry.source_scores == [0.75, 0.25]
    assert entry.recovery_score == 0.5


def test_crashed_cases_stay_in_the_denominator():  # C40
    tasks = make_tasks({"forecasting": [f"source-{number}" for number in range(8)]})
    agent = make_agent()
    for task, recovery in zip(tasks, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0], strict=False):
        close_episode(agent, task, recovery)
    for task in tasks[6:]:
        expire(agent, task)

    entry = entry_of(agent)

    assert entry.recovery_score == 0.25
    assert entry.means["delivered_recovery_score"] == pytest.approx(2 / 6, abs=1e-15)
    assert (entry.n_delivered, entry.n_attempted) == (6, 8)


def test_an_episode_without_a_table_is_no_exact_choice_and_has_no_error():
    nile, sunspots = make_tasks({"forecasting": ["nile", "sunspots"]})
    agent = make_agent()
    close_episode(agent, nile, 0.5)  # 01 is predicted 0.75, 11 stays best
    expire(agent, sunspots)

    means = entry_of(agent).means

    assert means["exact_share"] == 0.5
    assert means["strict_share"] == 0.0
    assert means["selection_regret"] == 0.0
    assert means["grid_mae"] == 0.5 / 4  # one of four masks is 0.5 off
    # One mask is 0.5 too high: u11 - u10 - u01 + u00 is 0.5 too low.
    assert means["interaction_mae"] == 0.5


def test_a_task_never_attempted_counts_zero():
    nile, _ = make_tasks({"forecasting": ["nile", "sunspots"]})
    agent = make_agent()
    close_episode(agent, nile, 1.0)

    entry = entry_of(agent)

    assert entry.recovery_score == 0.5
    assert entry.means["delivered_recovery_score"] == 1.0
    assert entry.n_attempted_tasks == 1


def test_six_factor_variants_are_a_board_of_their_own():
    (nile,) = make_tasks({"forecasting": ["nile"]})
    paired = make_task("nile__d6", truth=TRUTH, source=nile.source, track=Track.SIX_FACTOR_PAIRED)
    agent = make_agent()
    close_episode(agent, nile, 1.0)
    close_episode(agent, paired, 0.25)

    assert records_of(Track.FOUR_FACTOR).entries[0].recovery_score == 1.0
    assert records_of(Track.SIX_FACTOR_PAIRED).entries[0].recovery_score == 0.25


def test_a_corrected_task_replaces_its_older_version():
    (old,) = make_tasks({"forecasting": ["nile"]})
    agent = make_agent()
    close_episode(agent, old, 1.0)
    old.is_current = False
    old.save(update_fields=["is_current"])
    new = make_task("nile", truth=TRUTH, source=old.source, version="2" * 64)
    close_episode(agent, new, 0.5)

    records = records_of()

    assert records.n_tasks == 1
    assert records.entries[0].recovery_score == 0.5


def test_open_episodes_do_not_count():
    (nile,) = make_tasks({"forecasting": ["nile"]})
    agent = make_agent()
    close_episode(agent, nile, 1.0)
    Episode.objects.create(
        agent=agent,
        task=nile,
        budget_credits=0,
        created_at=nile.published_at,
        deadline_at=nile.published_at,
    )

    assert entry_of(agent).n_attempted == 1


def test_a_lost_episode_counts_nowhere_and_is_said():
    nile, sunspots = make_tasks({"forecasting": ["nile", "sunspots"]})
    agent = make_agent()
    close_episode(agent, nile, 1.0)
    lose(agent, sunspots)

    entry = entry_of(agent)

    assert entry.n_lost == 1
    assert (entry.n_attempted, entry.n_attempted_tasks) == (1, 1)


def test_a_lost_episode_is_made_good_by_one_that_began_after_it():
    (nile,) = make_tasks({"forecasting": ["nile"]})
    agent = make_agent()
    close_episode(agent, nile, 1.0, minute=0)
    lose(agent, nile, minute=1)
    assert entry_of(agent).n_lost == 1

    close_episode(agent, nile, 0.5, minute=2)

    assert entry_of(agent).n_lost == 0


def test_a_lost_seed_of_a_player_is_made_good_by_the_same_seed_only():
    (nile,) = make_tasks({"forecasting": ["nile"]})
    player = make_agent("random_degree2", kind=AgentKind.PLAYER)
    play_as_job(lose(player, nile, minute=0), seed=3)
    play_as_job(close_episode(player, nile, 0.5, minute=5), seed=4)
    assert entry_of(player).n_lost == 1

    play_as_job(close_episode(player, nile, 0.5, minute=6), seed=3)

    assert entry_of(player).n_lost == 0


def test_seeds_of_a_player_are_trials_of_one_entry():
    (nile,) = make_tasks({"forecasting": ["nile"]})
    player = make_agent("random_degree2", kind=AgentKind.PLAYER)
    for seed, recovery in enumerate([1.0, 0.5, 0.0]):
        play_as_job(close_episode(player, nile, recovery, minute=seed), seed=seed)

    entry = entry_of(player)

    assert entry.is_baseline
    assert entry.recovery_score == 0.5


def test_only_the_scores_of_this_scoring_version_count():  # C45
    (nile,) = make_tasks({"forecasting": ["nile"]})
    agent = make_agent()
    episode = close_episode(agent, nile, 1.0)
    actions.score_episodes()
    EpisodeScore.objects.update(scoring_version="0.9")
    actions.score_episodes()
    EpisodeScore.objects.filter(scoring_version="0.9").update(effect_recovery=0.1)

    assert entry_of(agent).recovery_score == 1.0
    assert episode.scores.count() == 2


def play_at_random(agent: Agent, task: Task, rng: np.random.Generator) -> None:
    """Let an agent play a task up to four times, with every end that an episode can have."""
    for minute in range(int(rng.integers(0, 5))):
        end = rng.choice(["submit", "expire", "lose", "leave open"], p=[0.55, 0.2, 0.15, 0.1])
        if end == "submit":
            episode = close_episode(agent, task, float(rng.random()), minute=minute)
        elif end == "leave open":
            opened_at = NOW + timedelta(minutes=minute)
            Episode.objects.create(
                agent=agent,
                task=task,
                budget_credits=BUDGET,
                created_at=opened_at,
                deadline_at=opened_at + timedelta(minutes=30),
            )
            continue
        else:
            episode = (expire if end == "expire" else lose)(agent, task, minute=minute)
        if agent.kind == AgentKind.PLAYER:
            play_as_job(episode, seed=int(rng.integers(2)))


def plain_value(episode: Episode, metric: Metric) -> float | None:
    if episode.state == "expired":
        return metric.missing
    table = [episode.prediction.table[mask] for mask in ("00", "01", "10", "11")]
    return metric.read(as_row(grade(TRUTH, table)))


def plain_mean(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fmean(defined) if defined else None


def plain_families(counted: Sequence[Episode], metric: Metric) -> list[float | None]:
    """Average trials, tasks and sources of both families; a task never tried has a missing one."""
    families = []
    for names in (("nile", "nile-again"), ("sunspots",)), (("coffee",),):
        sources = []
        for of_source in names:
            trials = [
                [plain_value(one, metric) for one in counted if one.task.slug == slug]
                or [metric.missing]
                for slug in of_source
            ]
            sources.append(plain_mean(map(plain_mean, trials)))
        families.append(plain_mean(sources))
    return families


def plain_n_lost(closed: Sequence[Episode], counted: Sequence[Episode]) -> int:
    """Count the lost episodes after which nothing of the same task and seed was begun and ended."""
    seeds = {job.episode_id: job.seed for job in PlayerJob.objects.all()}

    def makes_good(other: Episode, lost: Episode) -> bool:
        same = (other.task_id, seeds.get(other.pk)) == (lost.task_id, seeds.get(lost.pk))
        return same and lost.closed_at is not None and other.created_at >= lost.closed_at

    lost = [one for one in closed if one.state == "lost"]
    return sum(not any(makes_good(other, one) for other in counted) for one in lost)


def test_a_plain_reading_of_the_episodes_finds_every_number_of_an_entry():
    rng = np.random.default_rng(8)
    tasks = make_tasks({"forecasting": ["nile", "sunspots"], "images": ["coffee"]})
    tasks.append(make_task("nile-again", truth=TRUTH, source=tasks[0].source))
    agents = [
        *(make_agent(f"agent {number}") for number in range(6)),
        make_agent("gone"),
        make_agent("visitor", kind=AgentKind.PERSON),
        make_agent("random_degree2", kind=AgentKind.PLAYER),
    ]
    for agent in agents:
        for task in tasks:
            play_at_random(agent, task, rng)
    Agent.objects.filter(name="gone").update(is_active=False)
    entries = {entry.agent_id: entry for entry in records_of().entries}

    assert entries.keys() == {agent.pk for agent in agents}
    for agent in agents:
        entry, closed = entries[agent.pk], [e for e in agent.episodes.all() if e.state != "open"]
        counted = [one for one in closed if one.state != "lost"]
        for metric in METRICS:
            expected = plain_mean(plain_families(counted, metric))
            assert entry.means[metric.name] == pytest.approx(expected, abs=1e-12)
        families = dict(
            zip(("forecasting", "images"), plain_families(counted, RECOVERY), strict=True)
        )
        assert entry.family_scores == pytest.approx(families, abs=1e-12)
        assert entry.n_attempted == len(counted)
        assert entry.n_delivered == sum(one.state == "submitted" for one in counted)
        assert entry.n_attempted_tasks == len({one.task_id for one in counted})
        assert entry.n_lost == plain_n_lost(closed, counted)
        assert (entry.is_baseline, entry.is_person, entry.is_active) == (
            agent.kind == AgentKind.PLAYER,
            agent.kind == AgentKind.PERSON,
            agent.name != "gone",
        )
    assert sum(entry.n_lost for entry in entries.values()) > 1


@pytest.mark.parametrize("recovery", [float("nan"), float("inf"), 1.1, -0.1])
def test_no_score_outside_its_range_is_stored(recovery):  # C39
    (nile,) = make_tasks({"forecasting": ["nile"]})
    close_episode(make_agent(), nile, 1.0)
    actions.score_episodes()

    with pytest.raises(IntegrityError, match="score_metrics_in_range"), transaction.atomic():
        EpisodeScore.objects.update(effect_recovery=recovery)
