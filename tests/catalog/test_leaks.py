"""catalog.leaks: what of a paper may not be shown, and finding it."""

import pytest

from catalog.leaks import distinctive_words, find_leaks

PAPER = {
    "title": "Kangaroo: Caching Billions of Tiny Objects on FlashStore-2 for GPU Servers",
    "authors": "Sara McAllister, Ben Ng et al.",
    "identifier": "doi:10.1145/3477132.3483568",
}
WORDS = distinctive_words(**PAPER)


@pytest.mark.parametrize(
    ("passage", "found"),
    [
        ("As in KANGAROO, small items are staged.", "kangaroo"),
        ("We used flashstore-2.", "flashstore-2"),
        ("It is about caching billions of tiny things.", "caching billions of tiny"),
        ("McAllister's cache", "mcallister"),
        ("Ng reports less.", "ng"),
        ("See 10.1145/3477132.3483568 for more.", "10.1145/3477132.3483568"),
        ("See Table 3.", "Table 3"),
        ("Smith et al. found it.", "et al"),
    ],
)
def test_a_distinctive_word_or_a_citation_is_found(passage, found):
    assert [leak.found for leak in find_leaks([passage], WORDS)] == [found]


@pytest.mark.parametrize(
    "passage",
    [
        "A cache of tiny objects; billions of items on a drive.",  # words of the trade
        "Kangaroos and writing.",  # other words that only contain them
        "The GPU is idle during 2 of 64 steps.",
    ],
)
def test_words_of_the_trade_are_not_leaks(passage):
    assert find_leaks([passage], WORDS) == ()


def test_numbers_of_a_title_are_not_distinctive_by_themselves():
    words = distinctive_words(
        title="wav2vec 2.0: A Framework", authors="Alexei Baevski et al.", identifier="arXiv:2006.1"
    )
    assert words >= {"wav2vec", "baevski", "2006.1"}
    assert not words & {"2", "0"}
