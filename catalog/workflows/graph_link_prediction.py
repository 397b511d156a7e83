"""Prediction of hidden edges of a graph from its observed ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import networkx as nx
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from catalog.workflows.factors import Factor, Switches
from catalog.workflows.families import Family
from catalog.workflows.outcomes import FloatArray, Outcome
from catalog.workflows.stages import Stage, compute

Pair = tuple[int, int]
Scored = Iterator[tuple[int, int, float]]
PairScore = Callable[[nx.Graph, list[Pair]], Scored]


@dataclass(frozen=True)
class Edges:
    """An undirected simple graph: nodes 0 to n_nodes - 1, each edge as (smaller, larger).

    Attributes
    ----------
    n_nodes : int
        Isolated nodes included.
    edges : list of (int, int)
        Sorted, each once.
    seed : int
        Of the permutations that hide edges.
    """

    n_nodes: int
    edges: list[Pair]
    seed: int = 20260907


@dataclass(frozen=True)
class Links:
    """The observed graph, and the pairs of nodes to learn from and to predict.

    Attributes
    ----------
    observed : networkx.Graph
        All nodes, and the edges that are not hidden.
    calibration, test : list of (int, int), length 2k
        k hidden edges, then k pairs that are no edge.
    is_edge : ndarray of float, shape (2k,)
        1 or 0, the same for both lists.
    n_edges : int
        Edges of the whole graph; k = round(0.2 n_edges).
    """

    observed: nx.Graph
    calibration: list[Pair]
    test: list[Pair]
    is_edge: FloatArray
    n_edges: int

    @property
    def cohort(self) -> dict[str, int]:
        """Count the nodes, the edges in all and observed, and the pairs on both sides."""
        return {
            "nodes": self.observed.number_of_nodes(),
            "edges": self.n_edges,
            "observed": self.observed.number_of_edges(),
            "calibration": len(self.calibration),
            "test": len(self.test),
        }


def prepare(graph: Edges) -> Links:
    """Hide two fifths of the edges and pair each hidden one with a pair that is no edge.

    Parameters
    ----------
    graph : Edges

    Returns
    -------
    Links
        Half of the hidden edges are for calibration, half for the test. `is_edge` is 1 for the
        first half of the calibration (and of the test) pairs, 0 for the second.

    Examples
    --------
    >>> ring = Edges(10, sorted((min(i, j), max(i, j)) for i in range(10) for j in [(i + 1) % 10]))
    >>> prepare(ring).cohort
    {'nodes': 10, 'edges': 10, 'observed': 6, 'calibration': 4, 'test': 4}
    """
    edges = sorted(graph.edges)
    non_edges = sorted(set(combinations(range(graph.n_nodes), 2)) - set(edges))
    rng = np.random.default_rng(graph.seed)
    edges = [edges[i] for i in rng.permutation(len(edges))]
    non_edges = [non_edges[i] for i in rng.permutation(len(non_edges))]

    k = round(0.2 * len(edges))
    observed = nx.Graph()
    observed.add_nodes_from(range(graph.n_nodes))
    observed.add_edges_from(edges[: -2 * k])
    return Links(
        observed,
        calibration=edges[-2 * k : -k] + non_edges[:k],
        test=edges[-k:] + non_edges[k : 2 * k],
        is_edge=np.repeat([1.0, 0.0], k),
        n_edges=len(edges),
    )


def run(links: Links, mask: str, stage: Stage = compute) -> Outcome:
    """Fit on the calibration pairs and rank the test pairs.

    Parameters
    ----------
    links : Links
        The observed graph and the pairs.
    mask : str
        Six characters 0 or 1, factor A first.
    stage : Stage
        Calls the stages that several masks share.

    Returns
    -------
    Outcome
        Native value and utility: area under the ROC curve, ties count one half. Prediction:
        the test pairs' probabilities of being an edge.

    Raises
    ------
    IllegalMask
        If the mask is not four or six characters 0 or 1.

    Examples
    --------
    >>> lattice = nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 5))
    >>> run(prepare(Edges(25, sorted(lattice.edges))), "000000").utility
    0.5
    """
    on = Switches.of(mask)

    scores: list[PairScore] = []
    if on.A:
        scores.append(common_neighbours)
    if on.B:
        scores.append(nx.jaccard_coefficient)
    if on.C:
        scores.append(nx.adamic_adar_index)
    if on.D:
        scores.append(nx.resource_allocation_index)
    if on.E:
        scores.append(nx.preferential_attachment)

    def features(pairs: list[Pair]) -> FloatArray:
        columns = [stage(column, links.observed, pairs, score=score) for score in scores]
        return np.column_stack(columns or [np.zeros(len(pairs))])

    calibration, test = features(links.calibration), features(links.test)
    if on.F:
        scaler = StandardScaler().fit(calibration)
        calibration, test = scaler.transform(calibration), scaler.transform(test)
    model = LogisticRegression(C=1.0, max_iter=2000, random_state=20260907)
    probability = model.fit(calibration, links.is_edge).predict_proba(test)[:, 1]

    # Equal pairs may differ in the last bits; rounded, they tie on every processor.
    auc = roc_auc_score(links.is_edge, probability.round(12))
    return Outcome.of(native_value=auc, utility=auc, prediction=probability)


def common_neighbours(graph: nx.Graph, pairs: list[Pair]) -> Scored:
    """Count the neighbours that the nodes of each pair share.

    Parameters
    ----------
    graph : networkx.Graph
    pairs : list of (int, int)

    Yields
    ------
    u, v, count : int

    Examples
    --------
    >>> list(common_neighbours(nx.star_graph(3), [(1, 2), (0, 1)]))
    [(1, 2, 1), (0, 1, 0)]
    """
    return ((u, v, len(set(graph[u]) & set(graph[v]))) for u, v in pairs)


def column(graph: nx.Graph, pairs: list[Pair], *, score: PairScore) -> FloatArray:
    """Compute one score for each pair.

    Parameters
    ----------
    graph : networkx.Graph
    pairs : list of (int, int)
    score : callable
        Takes graph and pairs, gives (u, v, value) for each pair.

    Returns
    -------
    ndarray of shape (n_pairs,)

    Examples
    --------
    >>> column(nx.star_graph(3), [(1, 2)], score=nx.preferential_attachment)
    array([1.])
    """
    return np.array([float(value) for _, _, value in score(graph, pairs)])


FAMILY = Family(
    name="graph_link_prediction",
    title="Graph link prediction",
    factors=(
        Factor("A", "Common neighbours", "left out", "number of common neighbours"),
        Factor("B", "Jaccard", "left out", "share of common among all neighbours"),
        Factor("C", "Adamic-Adar", "left out", "common neighbours weighted by 1 / ln(degree)"),
        Factor("D", "Resource allocation", "left out", "common neighbours weighted by 1 / degree"),
        Factor("E", "Preferential attachment", "left out", "product of the two degrees"),
        Factor("F", "Standardisation", "none", "calibration mean 0 and standard deviation 1"),
    ),
    native_metric="area under the ROC curve on the test pairs",
    utility_rule="area under the ROC curve on the test pairs, ties count one half",
    prepare=prepare,
    run=run,
    code=(prepare, run, common_neighbours, column),
)
