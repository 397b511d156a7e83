"""What all pictures share: elements, the frame with title and description, number formats."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

# Drawn for the width of a phone, where one unit is about one pixel, and scaled up elsewhere.
WIDTH = 340
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Table:
    """The numbers behind a picture, as they are printed."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Picture:
    """An SVG image with its title and the table behind it."""

    title: str
    svg: SafeString
    table: Table


def element(name: str, content: str = "", /, **attributes: object) -> SafeString:
    """Return one SVG element: `class_` gives class, `text_anchor` gives text-anchor."""
    written = format_html_join(
        "", ' {}="{}"', ((_name(key), _value(value)) for key, value in attributes.items())
    )
    return format_html("<{}{}>{}</{}>", name, written, content, name)


def join(elements: Iterable[SafeString]) -> SafeString:
    """Return the elements one after the other."""
    return format_html_join("\n", "{}", ((one,) for one in elements))


def label(x: float, y: float, words: str, class_: str = "", anchor: str = "middle") -> SafeString:
    """Return a line of text whose baseline is at y."""
    return element("text", words, x=x, y=y, class_=class_, text_anchor=anchor)


def framed(
    content: Iterable[SafeString], *, key: str, title: str, description: str, height: float
) -> SafeString:
    """Return the SVG image; `key` makes the ids of its title and description unique on a page."""
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" class="surface-picture" '
        'viewBox="0 0 {} {}" role="img" aria-labelledby="{}-title {}-desc">\n'
        '<title id="{}-title">{}</title>\n<desc id="{}-desc">{}</desc>\n{}\n</svg>',
        *(WIDTH, round(height), key, key, key, title, key, description),
        join(content),
    )


def unsigned(value: float) -> str:
    """Return a utility with three decimals."""
    return f"{value:.3f}"


def signed(value: float) -> str:
    """Return a difference with its sign and three decimals; what rounds to zero has no sign."""
    text = f"{value:+.3f}".replace("-", MINUS)
    return text[1:] if text.strip(f"+{MINUS}") == "0.000" else text


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: object) -> object:
    return round(value, 1) if isinstance(value, float) else value
