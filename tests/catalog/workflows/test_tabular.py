import gzip

import numpy as np
import pytest

from catalog.workflows import classification, clustering, regression
from catalog.workflows.readers import table, table_of_two_files
from catalog.workflows.sources import SOURCES
from catalog.workflows.tabular import Split, Table, signed_log, split_by_group, without_repeats


def prepared(name: str) -> Split:
    split = SOURCES[name].prepare()
    assert isinstance(split, Split)
    return split


def test_a_row_is_a_repeat_only_if_its_label_repeats_too():
    features = np.array([[3.0], [1.0], [3.0], [3.0]])
    kept = without_repeats(Table(features, np.array([0.0, 0.0, 1.0, 0.0]), n_raw=4))
    assert kept.features.ravel().tolist() == [3.0, 1.0, 3.0]
    assert kept.target.tolist() == [0.0, 0.0, 1.0]
    assert kept.cohort["raw"] == 4


def test_equal_features_with_different_labels_stay_on_one_side():
    features = np.repeat(np.arange(50.0), 2).reshape(100, 1)
    split = split_by_group(Table(features, np.tile([0.0, 1.0], 50), n_raw=100))
    assert not set(split.train.ravel()) & set(split.evaluation.ravel())
    assert split.cohort["evaluation"] == 30


def test_the_scale_of_concrete_is_the_published_one():
    # workflows.md, "Exact scales"
    lower, upper = np.quantile(prepared("concrete").train_target, [0.25, 0.75])
    assert upper - lower == 21.3575


def test_labels_are_coded_in_the_given_order():
    read = table(b"x,y\n1,g\n2,b\n", labels=("b", "g"))
    assert read.target.tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="not in tuple"):
        table(b"x,y\n1,other\n", labels=("b", "g"))


def test_rows_with_a_missing_measurement_are_left_out():
    raw = b"kind,a,note,b\nu,1,NA,2\nv,NA,-,3\nv,4,-,5\n"
    read = table(raw, columns=("b", "a", "kind"), labels=("u", "v"))
    assert read.features.tolist() == [[2.0, 1.0], [5.0, 4.0]]
    assert read.target.tolist() == [0.0, 1.0]


def test_a_gzipped_table_without_header_is_read_alike():
    assert table(gzip.compress(b"1,2,0\n3,4,1\n"), n_header_lines=0).features.shape == (2, 2)


def test_features_and_target_of_two_files_belong_to_the_same_rows():
    read = table_of_two_files(gzip.compress(b"1 2\n3 4\n"), gzip.compress(b"5e1\n6e1\n"))
    assert read.features.tolist() == [[1, 2], [3, 4]]
    assert read.target.tolist() == [50, 60]


def test_the_signed_logarithm_is_odd():
    x = np.array([[-2.0, 0.0, 2.0]])
    assert np.array_equal(signed_log(-x), -signed_log(x))
    assert signed_log(x)[0, 2] == np.log(3.0)


def test_half_of_57_features_are_28():
    # workflows.md, "Details that decide cells"
    split = prepared("spambase")
    labels = split.train_target.astype(np.int64)
    train, evaluation = classification.best_half(split.train, split.evaluation, labels)
    assert train.shape[1] == evaluation.shape[1] == 28


def test_a_constant_feature_is_divided_by_one():
    train = np.array([[1.0, 7.0], [3.0, 7.0]])
    for scaled in (
        classification.standardised(train, train)[0],
        regression.scaled(train, train, robust=True)[0],
        clustering.standardised(train),
    ):
        assert scaled[:, 1].tolist() == [0.0, 0.0]


def test_a_fit_that_meets_the_iteration_limit_warns_nobody():
    # breast_diagnostic 0000 stops at 3000 iterations.
    assert 0.9 < classification.run(prepared("breast_diagnostic"), "0000").utility < 1.0


def test_interactions_only_leaves_the_squares_out():
    row = np.array([[2.0, 3.0]])
    assert regression.with_products(row, interaction_only=True).tolist() == [[2.0, 3.0, 6.0]]


def test_targets_fitted_on_a_logarithm_are_predicted_in_their_own_units():
    x = np.linspace(0.0, 3.0, 60)
    split = split_by_group(Table(x.reshape(60, 1), np.expm1(x), n_raw=60))
    assert regression.run(split, "1000").native_value < 0.2
    assert regression.run(split, "0000").native_value > 1.0


def test_clusters_are_as_many_as_classes_and_their_names_do_not_matter():
    rows = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    outcome = clustering.run(Table(rows, np.array([2.0, 2, 0, 0, 1, 1]), n_raw=6), "0001")
    assert len(set(outcome.prediction)) == 3
    assert outcome.utility == pytest.approx(1.0)
