"""What the page of a closed episode says of other analyses of its observations."""

import re

import pytest
from django.test import Client

from catalog.models import Disclosure, Task, Track
from episodes.actions import ledger
from episodes.models import Episode
from episodes.states import EpisodeState
from leaderboards.queries.reports import load_report
from scoring.equivalences import Guard
from scoring.masks import all_masks
from tests.builders import NOW, default_truth, make_agent, make_family, make_source, make_task
from tests.leaderboards.facts import close_episode, make_tasks

pytestmark = pytest.mark.django_db

ESTIMATORS = [
    "mean of the measured",
    "ridge fit of main effects",
    "ridge fit of main effects and pairs",
    "Gaussian process",
]
PROJECTION = "delivered table with equal configurations made equal"


def page_of(episode: Episode) -> str:
    text = Client().get(f"/episodes/{episode.id}/").content.decode()
    return " ".join(re.sub("<[^>]+>", " ", text).split())


def close_guarded(disclosure: Disclosure = Disclosure.OPEN) -> Episode:
    """Return a closed episode on six factors of regression: C off makes E inactive, B off F."""
    truth = [default_truth(6)[_representative(index)] for index in range(64)]
    task = make_task(
        "concrete__d6",
        truth=truth,
        source=make_source("concrete", family=make_family("regression")),
        track=Track.SIX_FACTOR_PAIRED,
        disclosure=disclosure,
    )
    agent = make_agent("walker")
    episode = ledger.start_episode(agent=agent, task=task, budget=4, view="full", now=NOW)
    ledger.buy_measurements(agent=agent, episode_id=episode.id, masks=["100011"], now=NOW)
    table = dict(zip(all_masks(6), default_truth(6), strict=True))
    return ledger.submit_prediction(agent=agent, episode_id=episode.id, predictions=table, now=NOW)


def _representative(index: int) -> int:
    if not index & 0b001000:
        index &= ~0b000010
    if not index & 0b010000:
        index &= ~0b000001
    return index


def test_the_estimators_are_graded_on_the_observations_of_the_episode():
    [task] = make_tasks({"retrieval": ["scifact"]})
    report = load_report(close_episode(make_agent("walker"), task, 0.6))
    assert [analysis.name for analysis in report.analyses] == ["delivered table", *ESTIMATORS]
    # Anchors 0 and 1, so the mean table is 0, 0.5, 0.5, 1. Its effects 0.5 are wrong by 0, 0.25,
    # 0.25, 0: E = 0.125, A = 0.5. No effect is measured, so the error on these is the whole E/A.
    mean = report.analyses[1]
    assert mean.score.effect_recovery == 0.75
    assert (mean.unmeasured.share, mean.unmeasured_percent) == (1.0, 25.0)
    assert mean.strict == "40 %"  # the largest error 0.25 of a range of 1
    assert report.analyses[0].score == report.score
    assert report.guards == ()


def test_a_utility_that_is_the_native_metric_has_no_second_recovery():
    retrieval, regression = make_tasks({"retrieval": ["scifact"], "regression": ["wine"]})
    agent = make_agent("walker")
    assert load_report(close_episode(agent, retrieval, 0.6)).analyses[0].native_recovery is None
    # A true utility of 0 would be an endless error: undefined.
    assert load_report(close_episode(agent, regression, 0.6)).analyses[0].native_recovery is None


def test_equal_configurations_are_made_equal_where_the_code_says_so():
    report = load_report(close_guarded())
    assert report.guards == (Guard("C", 0, "E"), Guard("B", 0, "F"))
    projection = report.analyses[-1]
    assert projection.name == PROJECTION
    assert projection.score.effect_recovery > report.score.effect_recovery
    assert projection.native_recovery is not None
    assert 0 < projection.native_recovery < 1


def test_the_page_says_what_the_observations_would_have_given():
    text = page_of(close_guarded())
    assert "192 of 192 effects involve a configuration that was not measured" in text
    assert "Mean of the measured" in text
    assert "While factor C is off, the code never reads factor E." in text


def test_a_stranger_sees_no_analysis_of_a_sealed_task():
    text = page_of(close_guarded(Disclosure.SEALED))
    assert "analysed otherwise" not in text
    assert "Gaussian process" not in text


def test_an_episode_without_a_table_has_no_report():
    task: Task = make_tasks({"retrieval": ["scifact"]})[0]
    expired = close_episode(make_agent("walker"), task, state=EpisodeState.EXPIRED)
    assert load_report(expired) is None
