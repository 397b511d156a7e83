import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from scoring import agreement
from scoring.agreement import agree, bootstrap_within, spearman, within_scenario
from scoring.intervals import bootstrap_mean
from scoring.ranks import Cells, code_of, code_ranks, scenario_ranks

# Order 0 > 1 > 2 > 3, and its reverse.
ORDER, REVERSE = 0b111111, 0


@pytest.fixture
def study():
    """18 people, 8 scenarios each of 60, noisy choices by the metric."""
    rng = np.random.default_rng(5)
    metric = rng.random((60, 4)).round(2)
    participants, scenarios, codes = [], [], []
    for person in range(18):
        for scenario in rng.choice(60, 8, replace=False):
            seen = metric[scenario] + rng.normal(0, 0.25, 4)
            pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
            participants.append(person)
            scenarios.append(scenario)
            codes.append(code_of([seen[a] > seen[b] for a, b in pairs]))
    cells = Cells(np.array(participants), np.array(scenarios), code_ranks()[codes], 60)
    return cells, metric


@pytest.mark.parametrize(
    ("human", "metric", "expected"),
    [
        # Case C33; the shortcut without ties would give -0.2, 0.9 and 0.5.
        ((2, 1, 1, 1), (1, 2, 2, 2), -1.0),
        ((3, 2, 1, 0), (3, 2, 2, 1), 0.948683),
        ((2, 2, 1, 1), (4, 3, 2, 1), 0.894427),
        ((1, 1, 1, 1), (4, 3, 2, 1), math.nan),
        ((4, 3, 2, 1), (0, 0, 0, 0), math.nan),
    ],
)
def test_the_examples_of_the_specification(human, metric, expected):
    assert float(spearman(human, metric)) == pytest.approx(expected, abs=5e-7, nan_ok=True)
    (rho,) = within_scenario([[-value for value in human]], [metric])
    assert rho == pytest.approx(expected, abs=5e-7, nan_ok=True)


def test_perfect_agreement_is_exactly_one():
    assert float(spearman([0.1, 0.7, 0.7, 0.9], [3, 4, 4, 8])) == 1.0
    assert float(spearman([0.1, 0.7, 0.7, 0.9], [8, 4, 4, 3])) == -1.0


def test_spearman_is_scipys():
    rng = np.random.default_rng(6)
    for _ in range(50):
        x, y = rng.integers(4, size=(2, 9))
        assert float(spearman(x, y)) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_one_value_no_value_and_what_is_not_finite_have_no_correlation():
    for nothing in ([], [1.0], [1.0, math.nan, 3.0], [1.0, math.inf, 3.0]):
        assert math.isnan(spearman(nothing, list(range(len(nothing)))))
        assert math.isnan(spearman(list(range(len(nothing))), nothing))


def test_rows_are_correlated_one_by_one():
    x, y = np.random.default_rng(7).integers(3, size=(2, 30, 4))
    one_by_one = [float(spearman(first, second)) for first, second in zip(x, y, strict=True)]
    assert np.array_equal(spearman(x, y), one_by_one, equal_nan=True)
    assert 0 < np.isnan(one_by_one).sum() < 30


def test_lower_ranks_agree_with_higher_metrics():
    assert within_scenario([[1, 2, 3, 4]], [[9, 7, 5, 0]]).tolist() == [1.0]


def test_fifty_nine_of_sixty_defined():
    ranks = np.tile([1.0, 2.0, 3.0, 4.0], (60, 1))
    ranks[7] = 2.5
    result = agree(ranks, np.tile([4.0, 3.0, 2.0, 1.0], (60, 1)))
    assert (result.n_defined, result.n_scenarios, result.mean_within) == (59, 60, 1.0)
    assert math.isnan(result.within[7])
    # The undefined scenario is kept in the pooled correlation.
    assert result.pooled < 1.0


def test_noise_in_the_metric_makes_no_order():
    equal = [[0.1 + 0.2, 0.3, 0.3, 0.3]]
    assert math.isnan(within_scenario([[1, 2, 3, 4]], equal)[0])


def test_noise_in_the_ranks_makes_no_order():
    assert within_scenario([[0.1 + 0.2, 0.3, 1.0, 2.0]], [[3, 3, 2, 1]]) == [1.0]


def test_a_scenario_that_nobody_ranked_is_undefined_and_not_pooled():
    ranks = np.array([[1, 2, 3, 4], [math.nan] * 4])
    result = agree(ranks, [[4, 3, 2, 1], [1, 2, 3, 4]])
    assert (result.n_defined, result.pooled) == (1, 1.0)


def test_nothing_defined_has_no_mean():
    result = agree([[2.5] * 4], [[1, 2, 3, 4]])
    assert math.isnan(result.mean_within)
    assert math.isnan(result.pooled)
    assert math.isnan(bootstrap_within(result.within).lower)


def test_no_scenario_has_no_agreement_and_is_no_study():
    result = agree(np.empty((0, 4)), np.empty((0, 4)))
    assert math.isnan(result.mean_within)
    assert math.isnan(result.pooled)
    assert (result.within, result.n_defined, result.n_scenarios) == ((), 0, 0)


def test_known_people_agree_as_they_should():
    n = 60
    metric = np.tile([4.0, 3.0, 2.0, 1.0], (n, 1))
    scenarios = np.arange(n)
    for code, expected in [(ORDER, 1.0), (REVERSE, -1.0)]:
        cells = Cells(np.zeros(n, dtype=int), scenarios, code_ranks()[[code] * n], n)
        assert agree(scenario_ranks(cells), metric).mean_within == expected
    coins = np.random.default_rng(8).integers(64, size=n)
    cells = Cells(np.zeros(n, dtype=int), scenarios, code_ranks()[coins], n)
    assert abs(agree(scenario_ranks(cells), metric).mean_within) < 0.3


def test_without_undefined_scenarios_the_bootstrap_is_the_one_of_a_mean():
    rho = np.random.default_rng(9).uniform(-1, 1, 60)
    ours, plain = bootstrap_within(rho), bootstrap_mean(rho)
    assert (ours.draws, ours.seed, ours.n) == (5000, 3, 60)
    for name in ("estimate", "lower", "upper", "standard_error"):
        assert getattr(ours, name) == pytest.approx(getattr(plain, name), abs=1e-12)


def test_an_undefined_scenario_is_drawn_and_adds_nothing():
    rho = np.array([0.2, np.nan, 0.8, 0.4, 0.6])
    drawn = rho[np.random.default_rng(3).integers(5, size=(5000, 5))]
    drawn = drawn[np.isfinite(drawn).any(axis=1)]
    expected = np.quantile(np.nanmean(drawn, axis=1), [0.025, 0.975])
    interval = bootstrap_within(rho)
    assert interval.n_dropped == 5000 - len(drawn)
    assert [interval.lower, interval.upper] == pytest.approx(expected.tolist(), abs=1e-12)


def test_a_paper_is_drawn_with_all_its_scenarios():
    # Two scenarios of one paper: resampling papers can never take them apart.
    interval = bootstrap_within([0.0, 1.0, 0.5, 0.5], ["p", "p", "q", "r"])
    assert (interval.n, interval.lower, interval.estimate, interval.upper) == (3, 0.5, 0.5, 0.5)
    assert bootstrap_within([0.0, 1.0, 0.5, 0.5]).lower < 0.5


def test_papers_of_any_size_with_undefined_scenarios_are_those_drawn_one_by_one():
    within = [0.2, math.nan, 0.9, -0.4, 0.6, math.nan, 1.0, 0.1]
    papers = ["p", "q", "p", "r", "s", "t", "p", "u"]
    names = list(dict.fromkeys(papers))
    means = []
    for drawn in np.random.default_rng(3).integers(6, size=(5000, 6)):
        of_draw = [
            rho
            for unit in drawn
            for rho, paper in zip(within, papers, strict=True)
            if paper == names[unit] and not math.isnan(rho)
        ]
        if of_draw:
            means.append(math.fsum(of_draw) / len(of_draw))
    interval = bootstrap_within(within, papers)
    assert (interval.n, interval.n_dropped) == (6, 5000 - len(means))
    assert 0 < interval.n_dropped <= 50
    expected = np.quantile(means, [0.025, 0.975]).tolist()
    assert [interval.lower, interval.upper] == pytest.approx(expected, abs=1e-12)


def test_the_pooled_interval_draws_the_same_scenarios(study):
    cells, metric = study
    ranks = scenario_ranks(cells)
    interval = agreement.bootstrap_pooled(ranks, metric, draws=50)
    first = np.random.default_rng(3).integers(60, size=(50, 60))
    expected = [agree(ranks[drawn], metric[drawn]).pooled for drawn in first]
    bounds = np.quantile(expected, [0.025, 0.975]).tolist()
    assert [interval.lower, interval.upper] == bounds
    assert interval.estimate == agree(ranks, metric).pooled


def test_the_jackknife_is_the_one_that_leaves_out_one_person_at_a_time(study):
    cells, metric = study
    means = []
    for person in range(18):
        kept = cells.participants != person
        others = Cells(
            cells.participants[kept], cells.scenarios[kept], cells.doubled_ranks[kept], 60
        )
        means.append(agree(scenario_ranks(others), metric).mean_within)
    expected = math.sqrt(17 / 18 * sum((mean - sum(means) / 18) ** 2 for mean in means))
    assert agreement.participant_jackknife_error(cells, metric) == pytest.approx(
        expected, abs=1e-12
    )


def test_one_person_has_no_jackknife():
    cells = Cells(np.array([4]), np.array([0]), code_ranks()[[ORDER]], 1)
    assert math.isnan(agreement.participant_jackknife_error(cells, [[4, 3, 2, 1]]))


def test_a_mean_that_hangs_on_one_person_has_no_jackknife():
    # Without the first person no scenario is defined: the metric of the second one is constant.
    cells = Cells(np.array([0, 1]), np.array([0, 1]), code_ranks()[[ORDER, ORDER]], 2)
    metric = [[4, 3, 2, 1], [1, 1, 1, 1]]
    assert math.isnan(agreement.participant_jackknife_error(cells, metric))
    wide = agreement.wider_interval(bootstrap_within([0.1, 0.2]), math.nan)
    assert math.isnan(wide.lower)
    assert math.isnan(wide.upper)


def test_the_wider_interval_adds_the_two_variances_and_stays_a_correlation(study):
    cells, metric = study
    plain = bootstrap_within(within_scenario(scenario_ranks(cells), metric))
    error = agreement.participant_jackknife_error(cells, metric)
    wide = agreement.wider_interval(plain, error)
    assert wide.standard_error == pytest.approx(math.sqrt(plain.standard_error**2 + error**2))
    assert wide.lower == pytest.approx(plain.estimate - 1.959964 * wide.standard_error, abs=1e-7)
    assert wide.lower < plain.lower
    assert agreement.wider_interval(plain, 2.0).upper == 1.0
    assert agreement.wider_interval(plain, 2.0).lower == -1.0
    assert math.isnan(agreement.wider_interval(plain, math.nan).lower)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: spearman([1, 2, 3], [1, 2]), r"x's shape \(3,\), got \(2,\)"),
        (lambda: within_scenario([1, 2, 3, 4], [1, 2, 3, 4]), "one shape"),
        (lambda: agree([[1, 2, 3, 4]], [[1, 2, 3, 4]] * 2), "one shape"),
        (lambda: bootstrap_within([0.1, 0.2], ["p"]), "got 1 for 2"),
        (lambda: bootstrap_within([]), "within must have shape"),
    ],
)
def test_impossible_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
