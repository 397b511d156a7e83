"""judgments.robots.leaks: what a page tells that it must not."""

import pytest

from judgments.robots.leaks import Seen, find_early_codes, find_marks, find_private_texts
from judgments.robots.pages import read_page

SECRET = "Smith & Co. found that the part matters"
CODES = {"a": "AAAA1", "b": "BBBB2"}


def seen(html, visitor="a"):
    return Seen(visitor, read_page("/study/x/?PROLIFIC_PID=a", f"<h1>Here</h1>{html}"))


def item(position, mark="", visitor="a"):
    return seen(
        '<form><input type="hidden" name="step" value="item">'
        f'<input type="hidden" name="position" value="{position}"></form><p {mark}></p>',
        visitor,
    )


def test_a_private_text_is_found_escaped_and_broken_and_is_not_repeated():
    page = seen("<p title='Smith &amp; Co. found\n that the part matters'></p>")
    assert list(find_private_texts([page, seen("")], {SECRET})) == [
        "/study/x/ (Here) as a: 1 private texts"
    ]


END = '<strong class="code">AAAA1</strong>'


@pytest.mark.parametrize(
    ("html", "visitor", "leaks"),
    [
        (END, "a", False),
        (END + "<a href='?cc=DONE'>", "a", False),
        (END + "BBBB2", "a", True),
        (END, "b", True),
        (END, "", True),
        ("<!-- AAAA1 -->", "a", True),
        ("<a href='?cc=DONE'>", "a", True),
        ("AAAA11", "a", False),
    ],
    ids=["own", "platform", "others", "other", "stranger", "early", "early-platform", "part"],
)
def test_a_code_is_shown_to_its_owner_at_the_end_alone(html, visitor, leaks):
    found = list(find_early_codes([seen(html, visitor)], CODES, ["DONE"]))
    assert bool(found) is leaks


def test_what_only_pages_of_checks_have_is_a_mark():
    kinds = {("a", 1): "judgment", ("a", 2): "dominated", ("a", 3): "dominated"}
    marked = [item(1, 'class="card"'), item(2, 'class="gold"'), item(3, 'class="gold"')]
    assert list(find_marks(marked, kinds)) == ['<p class="gold"> is on pages of dominated alone']


def test_what_ordinary_pages_have_too_or_one_item_alone_is_none():
    kinds = {("a", 1): "judgment", ("a", 2): "repeat", ("a", 3): "instructed"}
    pages = [item(1, 'class="x"'), item(2, 'class="x"'), item(3, 'class="x" data-token="f00"')]
    assert list(find_marks([*pages, pages[2], seen("<p class='gold'>")], kinds)) == []
