"""The report on agreement against a plain reading of the rows: loops, fractions and SciPy."""

import itertools
import math
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import ConstantInputWarning, friedmanchisquare, rankdata, spearmanr

from catalog.scenario_truth import ActionMetric
from judgments.actions import judging, path, staff
from judgments.assignment import ItemKind
from judgments.models import Choice, Item, Participant, Revision, Study
from judgments.queries.flags import assessments_of, flags_of
from leaderboards import actions
from tests.builders import NOW
from tests.judgments.answers import answer_everything
from tests.judgments.studies import answer, join, join_ready, make_study
from tests.leaderboards.study_facts import always_left, oracle, play, scenarios

pytestmark = pytest.mark.django_db

# One cell: the person, the scenario, and the ranks of its four actions.
Ranked = tuple[str, str, list[float]]


def plain_spearman(x: Sequence[object], y: Sequence[float]) -> float:
    # Fractions are compared as they are: their places are ranked, not their roundings.
    places = [sorted(set(x)).index(one) for one in x]  # type: ignore[type-var]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantInputWarning)
        return float(spearmanr(places, y).statistic)


def read_cells(people: Iterable[Participant]) -> tuple[list[Ranked], Counter[str]]:
    """Read the choices of these people pair by pair, and count what became of their cells."""
    ranked, fates = [], Counter[str]()
    for person in people:
        for cell in person.cells.all():
            wins = dict.fromkeys(range(4), Fraction(0))
            items = cell.items.filter(kind="judgment", judgment__isnull=False)
            choices = []
            for item in items.select_related("judgment", "left", "right"):
                choices.append(item.judgment.choice)
                left = {Choice.LEFT: Fraction(1), Choice.EQUAL: Fraction(1, 2)}.get(
                    Choice(item.judgment.choice), Fraction(0)
                )
                wins[item.left.number] += left
                wins[item.right.number] += 1 - left
            if len(choices) < 6:
                fates["n_incomplete" if choices else "n_not_begun"] += 1
            elif Choice.CANNOT_JUDGE in choices:
                fates["n_cannot_judge"] += 1
            else:
                fates["n_ranked"] += 1
                fates["n_ranked_with_ties"] += Choice.EQUAL in choices
                ranks = rankdata([-float(wins[number]) for number in range(4)]).tolist()
                ranked.append((str(person.pk), cell.scenario_id, ranks))
    return ranked, fates


def mean_ranks(cells: Sequence[Ranked], slug: str) -> list[Fraction]:
    columns = zip(*(ranks for _, of, ranks in cells if of == slug), strict=True)
    return [sum(map(Fraction, column), Fraction(0)) / len(column) for column in columns]


def plain_w(rankings: Sequence[Sequence[float]]) -> float:
    """Friedman's statistic, which SciPy corrects for ties, is m (k - 1) W."""
    if len(rankings) < 2 or all(len(set(ranks)) == 1 for ranks in rankings):
        return math.nan
    statistic = friedmanchisquare(*zip(*rankings, strict=True)).statistic
    return float(statistic) / (len(rankings) * 3)


def count_for_flags(person: Participant) -> dict[str, int]:
    """Count what flags rest on by going through a person's answers from the first to the last."""
    counts = Counter(n_failed=0, n_left=0, n_right=0, longest_run=0, n_triads=0)
    run, of_side = 0, ""
    beats: dict[str, dict[tuple[int, int], bool]] = {}
    items = person.items.filter(judgment__isnull=False).order_by("position")
    for item in items.select_related("judgment", "repeat_of__judgment", "left", "right", "cell"):
        choice = item.judgment.choice
        shown = {Choice.LEFT: item.left, Choice.RIGHT: item.right}.get(Choice(choice))
        if item.kind == ItemKind.INSTRUCTED:
            counts["n_failed"] += shown is None or shown.pk != item.expected_id
        elif item.kind == ItemKind.REPEAT:
            # Sides are swapped: the same answer is the other side, or the same word.
            swapped = {Choice.LEFT: Choice.RIGHT, Choice.RIGHT: Choice.LEFT}
            first = Choice(item.repeat_of.judgment.choice)
            counts["n_failed"] += choice != swapped.get(first, first)
        elif item.kind == ItemKind.JUDGMENT:
            run = run + 1 if choice == of_side else 1
            of_side = choice
            if shown is not None:
                counts["n_left" if choice == Choice.LEFT else "n_right"] += 1
                counts["longest_run"] = max(counts["longest_run"], run)
                won, lost = (item.left.number, item.right.number)[
                    :: 1 if shown == item.left else -1
                ]
                of_cell = beats.setdefault(item.cell.scenario_id, {})
                of_cell |= {(won, lost): True, (lost, won): False}
    for of_cell in beats.values():
        if len(of_cell) == 12:
            counts["n_triads"] += sum(
                of_cell[a, b] == of_cell[b, c] == of_cell[c, a]
                for a, b, c in itertools.combinations(range(4), 3)
            )
    return dict(counts)


def mean_of(values: Iterable[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def same(found: float | None, expected: float) -> bool:
    return math.isnan(expected) if found is None else abs(found - expected) <= 1e-12


def set_metrics(slug: str, rates: Sequence[float], extras: Sequence[float]) -> None:
    for number, (rate, extra) in enumerate(zip(rates, extras, strict=True)):
        ActionMetric.objects.filter(action__scenario=slug, action__number=number).update(
            rate=rate, ungated_rate=rate + extra
        )


def fill(study: Study, rng: np.random.Generator, admin_user) -> None:
    """Let people of every kind answer: whole, in part, revised; excluded, erased, previews."""
    others = [Choice.LEFT, Choice.RIGHT, Choice.EQUAL, Choice.CANNOT_JUDGE]

    def choose(item: Item) -> Choice:
        if item.kind == ItemKind.INSTRUCTED:
            return Choice.LEFT if item.expected_id == item.left_id else Choice.RIGHT
        other = others[rng.choice(4, p=[0.39, 0.39, 0.2, 0.02])]
        return oracle(item) if rng.random() < 0.6 else other

    for n_pairs in (48, 48, 48, 48, 48, 41, 12, 5, 0):
        play(study, choose, n_pairs=n_pairs if n_pairs < 48 else 10**6)
    play(study, always_left)  # raises flags
    reviser = join_ready(study)
    for item in reviser.items.filter(position__lte=20).select_related("left", "right"):
        answer(reviser, item.position, choose(item))
        try:
            judging.record_judgment(
                participant_id=reviser.pk, position=item.position, choice=choose(item), now=NOW
            )
        except judging.AnswerFinal:
            continue
    preview = join(study, is_preview=True).participant
    answer_everything([preview], choose)
    excluded, excluded_once, erased = (play(study, choose) for _ in range(3))
    for person in (excluded, excluded_once):
        staff.exclude_participant(
            participant_id=person.pk, staff=admin_user, reason="a test", now=NOW
        )
    staff.undo_exclusion(
        participant_id=excluded_once.pk, staff=admin_user, reason="a mistake", now=NOW
    )
    path.leave_and_delete(participant_id=erased.pk, now=NOW)


def test_a_plain_reading_of_the_rows_finds_every_number_of_the_report(admin_user):
    study = make_study(n_per_domain=3, allows_equal=True, allows_cannot_judge=True)
    slugs, rng = scenarios(), np.random.default_rng(31)
    for slug in slugs:
        set_metrics(
            slug, rng.choice([0.0, 0.05, 0.25], 4).tolist(), rng.choice([0.0, 0.125], 4).tolist()
        )
    fill(study, rng, admin_user)
    report = actions.bring_agreement_up_to_date(study=study, versions=[1]).report

    people = [
        person
        for person in Participant.objects.filter(study=study)
        if person.kind != "preview"
        and not any(one.undone_at is None for one in person.exclusions.all())
    ]
    assessed = assessments_of(study)
    for person in Participant.objects.filter(study=study):
        figures = assessed[person.pk].figures
        counted = count_for_flags(person)
        assert {name: getattr(figures, name) for name in counted} == counted
    raised = flags_of(study)
    groups = [people, [person for person in people if not raised.get(person.pk)]]
    assert (len(groups[0]), report["n_excluded"]) == (12, 1)
    assert len(groups[1]) == 12 - report["n_flagged"] < 12
    assert Revision.objects.count() > 5

    for members, found in zip(groups, report["groups"], strict=True):
        cells, fates = read_cells(members)
        assert {name: found["cells"][name] for name in fates} == fates
        assert fates.keys() >= {"n_ranked", "n_ranked_with_ties", "n_cannot_judge"}
        ranks = {slug: mean_ranks(cells, slug) for slug in slugs}
        by_slug = {row["scenario"]: row for row in found["scenarios"]}
        for slug in slugs:
            own = [of_one for _, of, of_one in cells if of == slug]
            row = by_slug[slug]
            assert row["n_people"] == len(own)
            expected = [float(rank) for rank in ranks[slug]] or [math.nan] * 4
            assert all(map(same, row["human_ranks"], expected))
            assert same(row["concordance"], plain_w(own))
        for name, column in (("gated", "rate"), ("ungated", "ungated_rate")):
            metric = {
                slug: list(
                    ActionMetric.objects.filter(action__scenario=slug)
                    .order_by("action__number")
                    .values_list(column, flat=True)
                )
                for slug in slugs
            }
            within = {
                slug: plain_spearman([-rank for rank in ranks[slug]], metric[slug])
                if ranks[slug]
                else math.nan
                for slug in slugs
            }
            pooled = plain_spearman(
                [-rank for slug in slugs for rank in ranks[slug]],
                [value for slug in slugs if ranks[slug] for value in metric[slug]],
            )
            for slug in slugs:
                assert same(by_slug[slug][f"{name}_correlation"], within[slug])
            assert same(found["human_metric"][name]["mean_within"], mean_of(within.values()))
            assert same(found["human_metric"][name]["pooled"], pooled)
        alone = []
        for one, slug, own_ranks in cells:
            others = [cell for cell in cells if cell[1] == slug and cell[0] != one]
            alone.append(
                plain_spearman(mean_ranks(others, slug), own_ranks) if others else math.nan
            )
        assert same(found["among_people"]["leave_one_out"]["correlation"], mean_of(alone))
