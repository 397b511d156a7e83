"""Many requests at once on the real database: nobody twice, no answer twice."""

from collections import Counter
from functools import partial
from itertools import pairwise

import pytest
from django.urls import reverse

from judgments.actions import path
from judgments.actions.judging import Outcome
from judgments.models import Audience, Cell, Choice, Item, Judgment, Participant, Revision
from judgments.queries.coverage import coverage
from judgments.robots.browser import Browser
from judgments.robots.decisions import Robot, RobotName
from judgments.robots.loopback import serve_site
from judgments.robots.player import Knowledge, Player
from tests.builders import NOW
from tests.judgments.studies import HALF, RIGHT_ANSWERS, answer, join, join_ready, make_study
from tests.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_50_people_at_once_are_50_people_and_no_scenario_is_given_out_twice_too_often():
    study = make_study()
    results = at_once([lambda: join(study)] * 50)
    assert len({joined.participant.pk for joined in results}) == 50
    assert len({joined.token for joined in results}) == 50
    assert Participant.objects.count() == 50
    assert Item.objects.count() == 50 * 60
    # 400 cells over 60 scenarios, as even as if they had come one after the other
    slugs = results[0].participant.protocol.definition["scenarios"]
    served = coverage(study, slugs, now=NOW)
    assert sum(served.values()) == 400
    assert set(served.values()) <= {6, 7}
    # no orientation of a scenario is more than one ahead of its complement
    orientations: dict[str, Counter[int]] = {slug: Counter() for slug in slugs}
    for slug, orientation in Cell.objects.values_list("scenario", "orientation"):
        orientations[slug][orientation] += 1
    for counts in orientations.values():
        assert sum(abs(counts[o] - counts[63 - o]) for o in counts) <= 2


def test_one_person_who_joins_ten_times_at_once_is_one_participant():
    study = make_study()
    results = at_once([lambda: join(study, pid="x")] * 10)
    assert len({joined.participant.pk for joined in results}) == 1
    assert sum(joined.token is not None for joined in results) == 1
    assert Item.objects.count() == 60


def test_ten_equal_answers_at_once_are_one_row_and_ten_equal_replies():
    participant = join_ready(make_study(n_per_domain=3))
    results = at_once([lambda: answer(participant, 1)] * 10)
    assert Counter(recorded.outcome for recorded in results) == {
        Outcome.STORED: 1,
        Outcome.REPEATED: 9,
    }
    assert len({recorded.judgment.pk for recorded in results}) == 1
    assert len({recorded.judgment.answered_at for recorded in results}) == 1
    assert Judgment.objects.count() == 1
    # the eleventh, with the other side, is a revision
    assert answer(participant, 1, Choice.RIGHT).outcome is Outcome.REVISED
    assert Judgment.objects.count() == 1
    assert Revision.objects.count() == 1


def test_over_http_ten_equal_posts_get_ten_equal_replies_and_the_eleventh_revises():
    study = make_study(**HALF, audience=Audience.ROBOTS)
    with serve_site() as site:
        browser = Browser(site.address, host=site.host, secure=site.secure, patience_seconds=10)
        knowledge = Knowledge({}, RIGHT_ANSWERS)
        robot = Robot(RobotName.ORACLE, number=1, seed=1)
        home = reverse("judgments:study", args=[study.pk])
        form = Player(robot, browser, home=home, knowledge=knowledge).walk_to_items()
        replies = at_once([lambda: browser.post(form, {"choice": "left"})] * 10)
        assert {reply.status for reply in replies} == {303}
        assert len(set(replies)) == 1
        assert Judgment.objects.count() == 1
        eleventh = browser.post(form, {"choice": "right"})
        browser.close()
    assert eleventh == replies[0]
    assert Judgment.objects.get().choice == "right"
    assert list(Revision.objects.values_list("choice_before", "choice_after")) == [
        ("left", "right")
    ]


def test_different_answers_at_once_are_one_row_and_every_change_is_a_revision():
    participant = join_ready(make_study(n_per_domain=3))
    choices = [Choice.LEFT, Choice.RIGHT] * 4
    results = at_once([partial(answer, participant, 1, choice) for choice in choices])
    outcomes = Counter(recorded.outcome for recorded in results)
    assert outcomes[Outcome.STORED] == 1
    assert Judgment.objects.count() == 1
    assert Revision.objects.count() == outcomes[Outcome.REVISED]
    changes = list(Revision.objects.values_list("choice_before", "choice_after"))
    for (_, before), (after, _) in pairwise(changes):
        assert before == after
    assert not changes or Judgment.objects.get().choice == changes[-1][1]


def test_finishing_ten_times_at_once_makes_one_code():
    participant = join_ready(make_study(n_per_domain=3))
    for position in range(1, 61):
        answer(participant, position)
    results = at_once([lambda: path.finish(participant_id=participant.pk, now=NOW)] * 10)
    assert len({finished.completion_code for finished in results}) == 1


def test_joining_again_while_handing_over_and_leaving_does_not_deadlock():
    """A join locks the study and then the person; the others the person, and refer to the study."""
    study = make_study(n_per_domain=3)
    participant = join(study, pid="x").participant
    results = at_once(
        [
            lambda: join(study, pid="x"),
            lambda: path.hand_over(participant_id=participant.pk, now=NOW),
        ]
        * 8
    )
    assert len(results) == 16
    participant.refresh_from_db()
    assert participant.session_epoch == 8
