"""Ranking of documents for text queries by weighted terms."""

import hashlib
import math
import unicodedata
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from catalog.workflows.factors import Factor, Switches
from catalog.workflows.families import Family
from catalog.workflows.outcomes import Outcome
from catalog.workflows.stages import Stage, compute

TermCounts = sparse.csr_matrix[Any]


@dataclass(frozen=True)
class Collection:
    """Texts of documents and queries by id, and the ids of each query's relevant documents.

    Queries with fewer relevant documents than `fewest_relevant` are left out. Where queries are
    themselves documents, `hides_query_text` takes these out of their own rankings.

    Attributes
    ----------
    documents, queries : dict of str to str
        Text by id.
    relevant : dict of str to list of str
        Ids of documents by id of the query, each with relevance 1.
    fewest_relevant : int
        At least 1; the most are 50.
    hides_query_text : bool
        Whether a document with the text of the query is hidden from it.
    """

    documents: dict[str, str]
    queries: dict[str, str]
    relevant: dict[str, list[str]]
    fewest_relevant: int = 5
    hides_query_text: bool = False


@dataclass(frozen=True)
class Search:
    """The documents in the order of their ids, and the queries with their relevant documents.

    `hidden` has the positions of the documents that a query, by its position, may not find.

    Attributes
    ----------
    document_ids, documents : list of str, length n_documents
        Ids in ascending order, and the texts.
    queries : list of str, length n_queries
        Texts; at most 64.
    relevant : list of set of str, length n_queries
        Ids of the relevant documents, at least one each.
    hidden : dict of int to list of int
        Positions of documents by position of the query.
    """

    document_ids: list[str]
    documents: list[str]
    queries: list[str]
    relevant: list[set[str]]
    hidden: dict[int, list[int]] = field(default_factory=dict)

    @property
    def cohort(self) -> dict[str, int]:
        """Count the documents, the queries and the pairs that are relevant."""
        return {
            "documents": len(self.documents),
            "queries": len(self.queries),
            "relevant": sum(map(len, self.relevant)),
        }


def prepare(collection: Collection) -> Search:
    """Sort the documents by id and choose 64 queries that have enough relevant documents.

    Parameters
    ----------
    collection : Collection

    Returns
    -------
    Search
        The queries are those whose ids have the smallest SHA-256 among those with
        `fewest_relevant` to 50 relevant documents.

    Examples
    --------
    >>> ids = ["d1", "d0", "d2", "d3", "d4"]
    >>> prepare(Collection(dict.fromkeys(ids, "text"), {"q": "text"}, {"q": ids})).document_ids
    ['d0', 'd1', 'd2', 'd3', 'd4']
    """
    document_ids = sorted(collection.documents)
    numbers = range(collection.fewest_relevant, 51)
    eligible = [query for query, ids in collection.relevant.items() if len(ids) in numbers]
    chosen = sorted(eligible, key=lambda query: hashlib.sha256(query.encode()).hexdigest())[:64]
    documents = [collection.documents[document_id] for document_id in document_ids]
    queries = [collection.queries[query] for query in chosen]
    return Search(
        document_ids,
        documents,
        queries,
        relevant=[set(collection.relevant[query]) for query in chosen],
        hidden=equal_texts(queries, documents) if collection.hides_query_text else {},
    )


def equal_texts(queries: list[str], documents: list[str]) -> dict[int, list[int]]:
    """Find the documents whose text is that of a query but for case and blanks.

    Parameters
    ----------
    queries, documents : list of str

    Returns
    -------
    dict of int to list of int
        Positions of documents by the position of the query.

    Examples
    --------
    >>> equal_texts(["Green  tea"], ["black tea", "green tea"])
    {0: [1]}
    """

    def normalised(text: str) -> str:
        return " ".join(unicodedata.normalize("NFKC", text).casefold().split())

    positions: dict[str, list[int]] = {}
    for position, document in enumerate(documents):
        positions.setdefault(normalised(document), []).append(position)
    found = ((query, positions.get(normalised(text))) for query, text in enumerate(queries))
    return {query: same for query, same in found if same}


def run(search: Search, mask: str, stage: Stage = compute) -> Outcome:
    """Rank the documents for every query and score the first ten.

    Parameters
    ----------
    search : Search
        Documents and queries.
    mask : str
        Four or six characters 0 or 1, factor A first.
    stage : Stage
        Calls the stages that several masks share.

    Returns
    -------
    Outcome
        Native value and utility: mean NDCG@10. Prediction: ids of the first ten documents,
        shape (n_queries, 10).

    Raises
    ------
    IllegalMask
        If the mask is not four or six characters 0 or 1.

    Examples
    --------
    >>> documents = {"a": "red apple", "b": "green pear", "c": "blue sky"}
    >>> search = Search(list(documents), list(documents.values()), ["pear"], [{"b"}])
    >>> run(search, "0000").utility
    1.0
    """
    on = Switches.of(mask)

    documents, queries = stage(
        term_counts,
        search.documents,
        search.queries,
        longest=2 if on.A else 1,
        stop_words="english" if on.B else None,
    )
    if on.E:
        documents, queries = stage(presence, documents), stage(presence, queries)
    weights = TfidfTransformer(
        sublinear_tf=on.C, use_idf=on.D, smooth_idf=True, norm=None if on.F else "l2"
    ).fit(documents)
    scores = (weights.transform(queries) @ weights.transform(documents).T).toarray()
    for query, hidden in search.hidden.items():
        scores[query, hidden] = -np.inf

    # A stable sort keeps the order of the documents among equal scores.
    ranking = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    ranked = np.array(search.document_ids)[ranking]
    ndcg = fmean(map(ndcg_at_10, ranked.tolist(), search.relevant))
    return Outcome.of(native_value=ndcg, utility=ndcg, prediction=ranked)


def term_counts(
    documents: list[str], queries: list[str], *, longest: int, stop_words: str | None
) -> tuple[TermCounts, TermCounts]:
    """Count the terms of all texts; the vocabulary is that of the documents.

    Parameters
    ----------
    documents, queries : list of str
    longest : int
        Number of words of the longest terms.
    stop_words : {"english", None}

    Returns
    -------
    documents, queries : sparse matrix of shape (n_texts, n_terms)

    Examples
    --------
    >>> term_counts(["an apple"], ["apple pie"], longest=1, stop_words=None)[1].toarray()
    array([[0., 1.]])
    """
    vectorizer = CountVectorizer(
        ngram_range=(1, longest), stop_words=stop_words, dtype=np.float64
    ).fit(documents)
    return vectorizer.transform(documents), vectorizer.transform(queries)


def presence(counts: TermCounts) -> TermCounts:
    """Replace every count by 1.

    Parameters
    ----------
    counts : sparse matrix

    Returns
    -------
    sparse matrix of the same shape

    Examples
    --------
    >>> presence(sparse.csr_matrix([[0.0, 3.0]])).toarray()
    array([[0., 1.]])
    """
    return counts.sign()


def ndcg_at_10(ranked: list[str], relevant: set[str]) -> float:
    """Divide the discounted gain of the first ten documents by the best possible one.

    Parameters
    ----------
    ranked : list of str
        At most ten document ids, best first.
    relevant : set of str
        Ids of the relevant documents, at least one; each has relevance 1.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> ndcg_at_10(["b", "a"], {"b"})
    1.0
    """
    discounts = [1.0 / math.log2(rank + 1) for rank in range(1, 11)]
    found = (discounts[i] for i, document in enumerate(ranked) if document in relevant)
    return sum(found) / sum(discounts[: len(relevant)])


FAMILY = Family(
    name="retrieval",
    title="Retrieval",
    factors=(
        Factor("A", "Terms", "single words", "single words and pairs of neighbours"),
        Factor("B", "Stop words", "all words count", "common English words are dropped"),
        Factor("C", "Term frequency", "tf", "1 + ln(tf)", inactive_when=("E", "1")),
        Factor("D", "Inverse document frequency", "no weights", "ln((1 + n) / (1 + df)) + 1"),
        Factor("E", "Term presence", "counts", "0 or 1"),
        Factor("F", "Length normalisation", "vectors of length 1", "none"),
    ),
    native_metric="NDCG@10, mean over the queries",
    utility_rule=(
        "NDCG@10, mean over the queries: gain relevance / log2(rank + 1), divided by that of "
        "the query's ideal ranking"
    ),
    prepare=prepare,
    run=run,
    code=(prepare, equal_texts, run, term_counts, presence, ndcg_at_10),
)
