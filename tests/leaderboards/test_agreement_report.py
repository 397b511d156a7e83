"""The report on a study: what it counts, what it follows, what it says where nothing is defined."""

import json
import math
import re
from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from catalog.models import Action
from catalog.scenario_truth import ActionMetric
from judgments import flags
from judgments.actions import path, staff
from judgments.models import Cell, Choice, Judgment, ParticipantKind
from judgments.protocol import Protocol
from judgments.queries.flags import flags_of
from leaderboards import actions, queries
from leaderboards.agreement_records import EVERYBODY, WITHOUT_FLAGGED
from leaderboards.agreement_report import PathsDisagree
from leaderboards.models import AgreementComputation
from scoring.agreement import (
    bootstrap_within,
    participant_jackknife_error,
    wider_interval,
    within_scenario,
)
from scoring.ranks import Cells, code_of, code_ranks, scenario_ranks
from tests.builders import NOW
from tests.judgments.studies import make_study
from tests.leaderboards.study_facts import (
    ORDER,
    REVERSE,
    add_person,
    always_left,
    oracle,
    play,
    rank,
    reverse,
    scenarios,
    set_metric,
)

pytestmark = pytest.mark.django_db


def report(study, *options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("report_agreement", study.pk, "--json", *options, stdout=out)
    content: dict[str, Any] = json.loads(out.getvalue(), parse_constant=pytest.fail)
    return content


def group(content, name=EVERYBODY) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in content["groups"] if one["group"] == name)
    return found


def gated(content, name=EVERYBODY) -> dict[str, Any]:
    found: dict[str, Any] = group(content, name)["human_metric"]["gated"]
    return found


@pytest.fixture
def study():
    return make_study(n_per_domain=3)


# --- Whom it counts ---------------------------------------------------------------------------
def test_an_exclusion_is_followed_at_once_and_can_be_undone(study, admin_user):
    for _ in range(3):
        rank(add_person(study), [(slug, ORDER) for slug in scenarios()])
    contrary = add_person(study)
    rank(contrary, [(slug, REVERSE) for slug in scenarios()[:2]])
    before = report(study)
    rule = {"participant_id": contrary.pk, "staff": admin_user, "now": NOW}
    staff.exclude_participant(reason="asked to be left out", **rule)
    after = actions.bring_agreement_up_to_date(study=study, versions=[1]).report
    assert (after["n_excluded"], group(after)["n_people"]) == (1, 3)
    assert group(before)["scenarios"][0]["concordance"] == pytest.approx(0.25)
    assert group(after)["scenarios"][0]["concordance"] == 1.0
    staff.undo_exclusion(reason="a mistake", **rule)
    again = actions.bring_agreement_up_to_date(study=study, versions=[1])
    assert again.input_digest == before["input_digest"]
    assert again.report["groups"] == before["groups"]


def test_somebody_who_leaves_is_in_no_number(study):
    play(study, oracle)
    left = play(study, reverse)
    assert group(report(study))["n_people"] == 2
    path.leave_and_delete(participant_id=left.pk, now=NOW)
    assert group(report(study))["n_people"] == 1


def test_previews_never_count(study):
    rank(add_person(study, kind=ParticipantKind.PREVIEW), [(scenarios()[0], ORDER)])
    with pytest.raises(CommandError, match="Nobody who counts"):
        report(study)


def test_a_scenario_with_five_of_six_pairs_is_dropped_and_counted(study):
    play(study, oracle)
    play(study, oracle, n_pairs=17)  # two scenarios and five pairs of the third
    cells = group(report(study))["cells"]
    assert cells == {
        "n_given": 16,
        "n_ranked": 10,
        "n_ranked_with_ties": 0,
        "n_cannot_judge": 0,
        "n_incomplete": 1,
        "n_not_begun": 5,
    }


def test_flagged_people_count_and_the_numbers_without_them_stand_beside(study):
    honest, hasty = add_person(study), play(study, always_left)
    rank(honest, [(slug, ORDER) for slug in scenarios()])
    raised = flags_of(study)
    assert raised[hasty.pk]
    assert not raised.get(honest.pk)
    content = report(study)
    assert content["n_flagged"] == 1
    assert [one["n_people"] for one in content["groups"]] == [2, 1]
    assert gated(content, WITHOUT_FLAGGED)["mean_within"] == 1.0
    assert gated(content)["mean_within"] < 1.0


def test_protocol_versions_are_never_put_together_unasked(study):
    rank(add_person(study), [(slug, ORDER) for slug in scenarios()])
    first = study.protocols.get()
    changed = replace(Protocol.from_definition(first.definition), fast_answer_ms=900)
    study.closed_at = NOW
    study.save()
    second = staff.publish_protocol(study=study, protocol=changed, staff=None, now=NOW)
    rank(add_person(study, protocol=second), [(slug, REVERSE) for slug in scenarios()])
    out = StringIO()
    call_command("report_agreement", study.pk, "--json", stdout=out)
    apart = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [one["versions"] for one in apart] == [[1], [2]]
    assert [gated(one)["mean_within"] for one in apart] == [1.0, -1.0]
    assert apart[0]["other_versions"] == [2]
    together = report(study, "--protocol", "1", "--protocol", "2")
    assert together["versions"] == [1, 2]
    assert gated(together)["mean_within"] is None
    with pytest.raises(CommandError, match=r"--protocol: nobody completed .* 3; there are 1, 2"):
        report(study, "--protocol", "3")


# --- What it says -----------------------------------------------------------------------------
def test_eighteen_people_have_both_intervals_of_numpy():
    study = make_study()
    slugs, rng = scenarios(), np.random.default_rng(21)
    for slug in slugs:
        set_metric(slug, (rng.random(4) / 2).tolist())
    codes = []
    for person in range(18):
        chosen = rng.choice(60, 8, replace=False)
        given = [
            (int(row), ORDER if rng.random() < 0.7 else int(rng.integers(64))) for row in chosen
        ]
        rank(add_person(study), [(slugs[row], code) for row, code in given])
        codes += [(person, row, code) for row, code in given]
    content = report(study)
    people, rows, chosen_codes = np.array(codes).T
    cells = Cells(people, rows, code_ranks()[chosen_codes], 60)
    metric = [one["gated_metric"] for one in content["scenarios"]]
    plain = bootstrap_within(within_scenario(scenario_ranks(cells), metric))
    wide = wider_interval(plain, participant_jackknife_error(cells, metric))
    found = gated(content)
    assert found["mean_within"] == pytest.approx(plain.estimate, abs=1e-12)
    for name, expected in (("scenario_bootstrap", plain), ("wider", wide)):
        assert found[name]["lower"] == pytest.approx(expected.lower, abs=1e-12)
        assert found[name]["upper"] == pytest.approx(expected.upper, abs=1e-12)
    assert (content["seed"], content["draws"]) == (3, 5000)
    assert found["wider"]["lower"] < found["scenario_bootstrap"]["lower"]


def test_robots_of_a_known_order_agree_as_they_should():
    rng = np.random.default_rng(22)
    expected = {
        "oracle": (oracle, 1.0),
        "reverse": (reverse, -1.0),
        "always-left": (always_left, 0.0),
        "coin": (lambda item: Choice(rng.choice(["left", "right"])), 0.0),
    }
    for name, (choose, rho) in expected.items():
        study = make_study(name)
        n_players = 2 if rho else 6
        for _ in range(n_players):
            play(study, choose)
        found = gated(report(study))
        assert found["mean_within"] == pytest.approx(rho, abs=0 if rho else 0.25)
    # The sides are balanced for every person, so an always-left robot sees none of them.
    position = group(report(study))["position"]
    assert position["n"] == 6 * 48
    assert group(json_of("always-left"))["position"]["share"] == 1.0
    assert group(json_of("always-left"))["position"]["p_value"] < 1e-80


def json_of(slug: str) -> dict[str, Any]:
    found: dict[str, Any] = AgreementComputation.objects.get(study=slug).report
    return found


def test_name_and_design_are_compared_by_people_and_by_the_metric(study):
    # In these scenarios action 1 is the one-line design and action 3 the name.
    rank(add_person(study), [(slug, ORDER) for slug in scenarios()[:4]])
    rank(add_person(study), [(slug, REVERSE) for slug in scenarios()[:1]])
    found = group(report(study))["name_against_short"]
    assert found["n_scenarios"] == 4
    assert found["people"]["mean"] == 1.5  # 0 where both orders meet, else rank 4 - rank 2
    assert found["metric"]["mean"] == 2.0
    assert found["people_minus_metric"]["mean"] == -0.5
    orders = ("n_design_first", "n_name_first", "n_level")
    assert [found["people"][name] for name in orders] == [3, 0, 1]
    assert [found["metric"][name] for name in orders] == [4, 0, 0]
    assert found["n_same_order"] == 3
    assert (found["pair"]["n_successes"], found["pair"]["n"]) == (4, 5)


def test_differences_of_ranks_are_level_whatever_the_rounding_of_their_means(study):
    slug = scenarios()[0]
    first_1_then_0_3_2 = code_of([False, True, True, True, True, False])
    for code in (ORDER, ORDER, first_1_then_0_3_2):
        rank(add_person(study), [(slug, code)])
    found = group(report(study))["name_against_short"]
    # Rank 11/3 of the name minus 5/3 of the design is 2, as by the metric; in doubles it is not.
    assert 11 / 3 - 5 / 3 != 2
    assert (found["people"]["mean"], found["metric"]["mean"]) == (2.0, 2.0)
    assert found["people_minus_metric"]["mean"] == 0.0
    assert found["people_minus_metric"]["n_level"] == 1


def test_repeats_and_checks_are_counted_over_everybody(study):
    play(study, oracle)
    play(study, always_left)
    checks = group(report(study))["checks"]
    assert (checks["repeats"]["n_successes"], checks["repeats"]["n"]) == (4, 8)
    assert checks["repeats"]["lower"] < 0.5 < checks["repeats"]["upper"]
    assert checks["instructed"]["n"] == checks["dominated"]["n"] == 8


def test_one_person_has_no_wider_interval_and_says_why(study):
    rank(add_person(study), [(slug, ORDER) for slug in scenarios()])
    found = gated(report(study))
    assert found["wider"]["undefined"] == "one participant only"
    assert found["wider"]["lower"] is None
    assert found["scenario_bootstrap"]["lower"] == 1.0
    assert group(report(study))["among_people"]["leave_one_out"]["correlation"] is None


def test_one_scenario_has_no_interval_and_says_why(study):
    rank(add_person(study), [(scenarios()[0], ORDER)])
    found = gated(report(study))
    assert (found["mean_within"], found["n_defined"]) == (1.0, 1)
    # Eight of nine drawn scenarios are undefined; the draws without the ninth have no mean.
    assert "draws are undefined" in found["scenario_bootstrap"]["undefined"]


def test_nothing_defined_is_said_and_never_zero(study):
    for code in (ORDER, REVERSE):
        rank(add_person(study), [(slug, code) for slug in scenarios()])
    found = gated(report(study))
    assert (found["mean_within"], found["pooled"], found["n_defined"]) == (None, None, 0)
    assert found["scenario_bootstrap"]["undefined"] == "nothing is defined"


def test_the_command_prints_every_number_of_the_json(study):
    play(study, oracle)
    out = StringIO()
    call_command("report_agreement", study.pk, stdout=out)
    printed = dict(line.split(" ", 1) for line in out.getvalue().splitlines())
    content = report(study)
    agreement = gated(content)
    assert printed["groups.everybody.human_metric.gated.mean_within"] == "1.0"
    assert printed["groups.everybody.human_metric.gated.wider.lower"] == "undefined"
    assert int(printed["groups.everybody.human_metric.gated.n_defined"]) == agreement["n_defined"]
    assert printed["published_by_the_paper.value"] == "0.733"
    assert printed["input_digest"] == content["input_digest"]
    slug = scenarios()[0]
    assert printed[f"scenarios.{slug}.gated_metric.0"] == "0.4"


def test_an_unknown_study_is_named(study):
    with pytest.raises(CommandError, match="There is no study nowhere"):
        call_command("report_agreement", "nowhere")


def test_a_wrong_code_fails_the_command(study):
    play(study, oracle)
    cell = Cell.objects.first()
    cell.code = REVERSE
    cell.save()
    with pytest.raises(CommandError, match="codes of cells and the single choices disagree"):
        report(study)


# --- How it is kept ---------------------------------------------------------------------------
def test_the_same_facts_are_the_same_report(study):
    play(study, oracle)
    first = actions.publish_agreement(study=study, versions=[1])
    again = actions.publish_agreement(study=study, versions=[1])
    assert (again.pk, again.input_digest, again.report) == (
        *(first.pk, first.input_digest, first.report),
    )


@pytest.mark.parametrize("change", ["answer", "metric", "exclusion", "limit"])
def test_the_clock_computes_again_what_changed(study, admin_user, change, monkeypatch):
    person = play(study, oracle)
    play(study, oracle)
    actions.recompute_stale_boards()
    before = AgreementComputation.objects.get().input_digest
    actions.recompute_stale_boards()
    assert AgreementComputation.objects.get().input_digest == before
    if change == "answer":
        play(study, reverse)
    elif change == "metric":
        set_metric(scenarios()[0], [0.1, 0.2, 0.3, 0.4])
    elif change == "limit":  # with a later release of the code
        monkeypatch.setattr(flags, "SAME_SIDE_RUN", flags.SAME_SIDE_RUN + 1)
    else:
        staff.exclude_participant(
            participant_id=person.pk, staff=admin_user, reason="test", now=NOW
        )
    actions.recompute_stale_boards()
    assert AgreementComputation.objects.get().input_digest != before


def test_a_report_can_be_deleted_and_made_again(study):
    play(study, oracle)
    call_command("recompute_leaderboards", stdout=StringIO())
    before = AgreementComputation.objects.get().report
    actions.delete_consequences()
    assert not AgreementComputation.objects.exists()
    call_command("recompute_leaderboards", stdout=StringIO())
    assert AgreementComputation.objects.get().report == before


def test_what_postgres_and_numpy_see_differently_is_not_stored(study, monkeypatch):
    play(study, oracle)
    # The single choices are not read for ranks, so only a corrupt load could disagree: make one.
    loaded = queries.load_agreement_records(study, [1])
    wrong = replace(loaded.groups[0].correlations["gated"], mean_within=0.5)
    broken = replace(
        loaded.groups[0], correlations={**loaded.groups[0].correlations, "gated": wrong}
    )
    monkeypatch.setattr(
        queries,
        "load_agreement_records",
        lambda *_: replace(loaded, groups=(broken, loaded.groups[1])),
    )
    with pytest.raises(PathsDisagree, match=r"largest difference 0\.5"):
        actions.publish_agreement(study=study, versions=[1])
    assert not AgreementComputation.objects.exists()


def test_a_missing_metric_is_named_with_what_computes_it_and_stops_no_other_study(study):
    play(study, oracle)
    slug = scenarios()[0]
    ActionMetric.objects.get(action__scenario=slug, action__number=2).delete()
    gap = f"main: no metric of {slug} action 2. `manage.py load_scenarios` computes it."
    with pytest.raises(CommandError, match=f"^{re.escape(gap)}$"):
        report(study)
    actions.recompute_stale_agreements()
    assert not AgreementComputation.objects.exists()
    action = Action.objects.get(scenario=slug, number=2)
    ActionMetric.objects.create(action=action, rate=0.2, ungated_rate=0.5)
    actions.recompute_stale_agreements()
    assert AgreementComputation.objects.exists()


def test_no_judgment_is_touched(study):
    play(study, oracle)
    before = list(Judgment.objects.order_by("pk").values())
    report(study)
    assert list(Judgment.objects.order_by("pk").values()) == before
    assert not any(math.isnan(value) for value in _numbers(report(study)))


def _numbers(value):
    if isinstance(value, dict):
        return [number for part in value.values() for number in _numbers(part)]
    if isinstance(value, list):
        return [number for part in value for number in _numbers(part)]
    return [value] if isinstance(value, float) else []
