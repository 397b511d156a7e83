"""k-means on all rows of a table, compared with its labels."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import StandardScaler

from catalog.workflows.factors import Factor, Switches
from catalog.workflows.families import Family
from catalog.workflows.outcomes import FloatArray, Outcome, Prediction
from catalog.workflows.stages import Stage, compute
from catalog.workflows.tabular import Table, signed_log, without_repeats


def run(table: Table, mask: str, stage: Stage = compute) -> Outcome:
    """Cluster all rows without their labels, then compare clusters with labels.

    Parameters
    ----------
    table : Table
        Targets are class labels; as many clusters are sought as there are classes.
    mask : str
        Four or six characters 0 or 1, factor A first.
    stage : Stage
        Calls the stages that several masks share.

    Returns
    -------
    Outcome
        Native value and utility: normalised mutual information. Prediction: clusters, shape
        (n_rows,).

    Raises
    ------
    IllegalMask
        If the mask is not four or six characters 0 or 1.

    Examples
    --------
    >>> two = Table(np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([0.0, 0, 1, 1]), n_raw=4)
    >>> run(two, "0000").utility
    1.0
    """
    on = Switches.of(mask)

    features = table.features
    if on.A:
        features = stage(signed_log, features)
    if on.B:
        features = stage(standardised, features)
    if on.C:
        features = stage(principal_components, features, whiten=on.E)
    clusters = stage(
        k_means,
        features,
        n_clusters=len(np.unique(table.target)),
        init="random" if on.F else "k-means++",
        n_init=10 if on.D else 1,
    )

    nmi = normalized_mutual_info_score(table.target, clusters)
    return Outcome.of(native_value=nmi, utility=nmi, prediction=clusters)


def standardised(features: FloatArray) -> FloatArray:
    """Give every feature mean 0 and standard deviation 1.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)

    Returns
    -------
    ndarray of shape (n_rows, n_features)

    Examples
    --------
    >>> standardised(np.array([[1.0], [3.0]])).ravel()
    array([-1.,  1.])
    """
    scaled: FloatArray = StandardScaler().fit_transform(features)
    return scaled


def principal_components(features: FloatArray, *, whiten: bool) -> FloatArray:
    """Keep the fewest components that explain 95 % of the variance.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)
    whiten : bool
        Scale each component to variance 1.

    Returns
    -------
    ndarray of shape (n_rows, n_components)

    Examples
    --------
    >>> principal_components(np.outer(np.arange(5.0), [1.0, 2.0]), whiten=True).shape
    (5, 1)
    """
    pca = PCA(n_components=0.95, svd_solver="full", whiten=whiten)
    components: FloatArray = pca.fit_transform(features)
    return components


def k_means(features: FloatArray, *, n_clusters: int, init: str, n_init: int) -> Prediction:
    """Assign every row to one of k clusters by Lloyd's algorithm.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)
    n_clusters : int
    init : {"k-means++", "random"}
    n_init : int
        Number of starts, of which the best is kept.

    Returns
    -------
    ndarray of int of shape (n_rows,)

    Examples
    --------
    >>> far = np.array([[0.0], [0.1], [9.0]])
    >>> len(set(k_means(far, n_clusters=2, init="k-means++", n_init=1)[:2]))
    1
    """
    estimator = KMeans(
        n_clusters, init=init, n_init=n_init, max_iter=300, algorithm="lloyd", random_state=17
    )
    clusters: Prediction = estimator.fit_predict(features)
    return clusters


FAMILY = Family(
    name="clustering",
    title="Clustering",
    factors=(
        Factor("A", "Signed logarithm", "features as they are", "sign(x) ln(1 + |x|)"),
        Factor("B", "Standardisation", "none", "mean 0 and standard deviation 1"),
        Factor("C", "Principal components", "none", "those that explain 95 % of the variance"),
        Factor("D", "Starts of k-means", "1 start", "the best of 10 starts"),
        Factor("E", "Whitening", "none", "components of variance 1", inactive_when=("C", "0")),
        Factor("F", "First centres", "k-means++", "rows drawn at random"),
    ),
    native_metric="normalised mutual information of clusters and labels",
    utility_rule=(
        "normalised mutual information 2 I(y, c) / (H(y) + H(c)) of labels y and clusters c, "
        "natural logarithms"
    ),
    prepare=without_repeats,
    run=run,
    code=(without_repeats, run, signed_log, standardised, principal_components, k_means),
)
