import networkx as nx
import numpy as np
import pytest

from catalog.workflows.graph_link_prediction import (
    Edges,
    Links,
    column,
    common_neighbours,
    prepare,
    run,
)
from catalog.workflows.readers import graph
from catalog.workflows.sources import SOURCES


def lesmis() -> Links:
    links = SOURCES["graph_lesmis"].prepare()
    assert isinstance(links, Links)
    return links


def test_hidden_edges_and_equally_many_others_are_on_both_sides():
    links = lesmis()
    hidden = {frozenset(pair) for pair in links.calibration[:51] + links.test[:51]}
    others = {frozenset(pair) for pair in links.calibration[51:] + links.test[51:]}
    observed = {frozenset(pair) for pair in links.observed.edges}
    # round(0.2 * 254 = 50.8) = 51
    assert len(hidden) == len(others) == 102
    assert not hidden & others
    assert not observed & (hidden | others)
    assert links.is_edge.tolist() == [1.0] * 51 + [0.0] * 51


def test_isolated_nodes_stay_in_the_observed_graph():
    links = prepare(Edges(12, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]))
    assert links.observed.number_of_nodes() == 12
    assert links.cohort["observed"] == 3


def test_pairs_are_read_as_smaller_and_larger_and_sorted():
    assert graph(b'{"n_nodes": 3, "edges": [[2, 1], [1, 0]]}').edges == [(0, 1), (1, 2)]


def test_scores_of_a_square_with_one_diagonal():
    square = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    pair = [(1, 3)]
    # 1 and 3 share both neighbours 0 and 2, each of degree 3
    assert column(square, pair, score=common_neighbours) == [2.0]
    assert column(square, pair, score=nx.jaccard_coefficient) == [1.0]
    assert column(square, pair, score=nx.adamic_adar_index) == pytest.approx([2 / np.log(3)])
    assert column(square, pair, score=nx.resource_allocation_index) == pytest.approx([2 / 3])
    assert column(square, pair, score=nx.preferential_attachment) == [4.0]


@pytest.mark.parametrize("mask", ["000000", "000001"])
def test_without_any_score_all_pairs_tie(mask):
    assert run(lesmis(), mask).utility == 0.5
