import math

import numpy as np
import pytest

from catalog.workflows.retrieval import Collection, Search, ndcg_at_10, prepare, run, term_counts
from catalog.workflows.source_files import read
from catalog.workflows.sources import SOURCES


def search(documents: dict[str, str], query: str, relevant: set[str]) -> Search:
    return Search(list(documents), list(documents.values()), [query], [relevant])


def test_gain_is_discounted_by_rank_and_divided_by_the_ideal():
    # Relevant at ranks 2 and 4 of three: (1/log2(3) + 1/log2(5)) / (1 + 1/log2(3) + 1/2)
    expected = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3) + 0.5)
    assert ndcg_at_10(["x", "a", "y", "b"], {"a", "b", "c"}) == pytest.approx(expected, rel=1e-15)


def test_the_ideal_of_many_relevant_documents_has_ten():
    ranked = [f"d{i}" for i in range(10)]
    assert ndcg_at_10(ranked, {f"d{i}" for i in range(40)}) == 1.0


def test_documents_with_equal_scores_keep_the_order_of_their_ids():
    same = {f"d{i}": "tea" for i in range(12)}
    outcome = run(search(same, "tea", {"d0"}), "0000")
    assert outcome.prediction.ravel().tolist() == list(same)[:10]
    assert outcome.utility == 1.0


def test_documents_are_sorted_as_strings_and_queries_chosen_by_hash():
    documents = {f"d{i}": "text" for i in range(60)}
    relevant = {f"q{n}": list(documents)[:n] for n in range(60)}
    prepared = prepare(Collection(documents, dict.fromkeys(relevant, "text"), relevant))
    assert prepared.document_ids[:3] == ["d0", "d1", "d10"]
    assert sorted(map(len, prepared.relevant)) == list(range(5, 51))


def test_the_vocabulary_is_that_of_the_documents():
    documents, queries = term_counts(["red apple"], ["green"], longest=1, stop_words=None)
    assert documents.shape == (1, 2)
    assert queries.nnz == 0


def test_rare_terms_weigh_ln_1_plus_n_over_1_plus_df_plus_1():
    # Query "x y": d0 has x (in 2 of 3 documents), d2 has y (in 1 of 3): only weights rank d2 first.
    texts = {"d0": "xx", "d1": "xx", "d2": "yy"}
    assert run(search(texts, "xx yy", {"d2"}), "0000").prediction[0, 0] == "d0"
    assert run(search(texts, "xx yy", {"d2"}), "0100").prediction[0, 0] == "d0"
    assert run(search(texts, "xx yy", {"d2"}), "0001").prediction[0, 0] == "d2"


def test_presence_makes_frequency_void_and_no_norm_lets_long_documents_win():
    texts = {"a": "tea", "b": "tea tea tea milk"}
    assert run(search(texts, "tea", {"a"}), "000000").prediction[0, 0] == "a"
    assert run(search(texts, "tea", {"a"}), "000001").prediction[0, 0] == "b"
    assert run(search(texts, "tea", {"a"}), "000011").prediction[0, 0] == "a"


def test_semanlink_has_the_documents_and_queries_of_the_specification():
    # workflows.md: 55 of 7,300 documents have no text; 853 tags have 5-50 documents.
    source = SOURCES["semanlink"]
    collection = source.read(*map(read, source.files))
    assert len(collection.documents) == 7300 - 55
    sizes = np.array([len(ids) for ids in collection.relevant.values()])
    assert np.count_nonzero((sizes >= 5) & (sizes <= 50)) == 853


def test_a_query_that_is_a_document_does_not_find_itself():
    documents = {"a": "Green  TEA", "b": "green tea and milk", "c": "black coffee"}
    collection = Collection(
        documents, {"q": "green tea"}, {"q": ["b"]}, fewest_relevant=1, hides_query_text=True
    )
    prepared = prepare(collection)
    assert prepared.hidden == {0: [0]}
    outcome = run(prepared, "0000")
    assert outcome.prediction.tolist() == [["b", "c", "a"]]
    assert outcome.utility == 1.0
