"""A page as a robot reads it: forms by the names of their fields, texts by their labels."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905
)
_UNCHECKED = frozenset({"radio", "checkbox", "submit", "button"})


@dataclass
class Form:
    """A form: what it would send untouched, and what its radio groups offer and ask."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    offers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    legends: dict[str, str] = field(default_factory=dict)


@dataclass
class Page:
    """A page that was answered with 200.

    `regions` has the paragraphs inside each element that names its label; `marked` the text of
    elements by their class.
    """

    url: str
    text: str
    heading: str = ""
    forms: list[Form] = field(default_factory=list)
    regions: dict[str, str] = field(default_factory=dict)
    marked: dict[str, str] = field(default_factory=dict)
    attributes: frozenset[tuple[str, str, str]] = frozenset()

    @property
    def step_form(self) -> Form | None:
        """The form that answers a step of the path, if the page has one."""
        return next((form for form in self.forms if "step" in form.values), None)

    @property
    def step(self) -> str:
        return self.step_form.values["step"] if self.step_form else ""

    def form_to(self, ending: str) -> Form | None:
        """Return the form whose address ends like this, if the page has one."""
        return next((form for form in self.forms if form.action.endswith(ending)), None)


def read_page(url: str, text: str) -> Page:
    """Return what a robot sees of a page."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return Page(
        url=url,
        text=text,
        heading=_joined(reader.heading),
        forms=reader.forms,
        regions={label: _joined(parts) for label, parts in reader.regions.items()},
        marked={name: _joined(parts) for name, parts in reader.marked.items()},
        attributes=frozenset(reader.attributes),
    )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.heading: list[str] = []
        self.forms: list[Form] = []
        self.regions: dict[str, list[str]] = defaultdict(list)
        self.marked: dict[str, list[str]] = defaultdict(list)
        self.attributes: set[tuple[str, str, str]] = set()
        self._open: list[tuple[str, dict[str, str]]] = []
        self._form: Form | None = None
        self._legend: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.attributes |= {(tag, name, value) for name, value in attributes.items()}
        if tag == "form":
            self._form = Form(attributes.get("action", ""))
            self.forms.append(self._form)
        elif tag == "legend":
            self._legend = []
        elif tag in {"input", "button"} and self._form and "name" in attributes:
            self._add_field(self._form, attributes)
        if tag not in _VOID:
            self._open.append((tag, attributes))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        tags = [name for name, _ in self._open]
        if tag in tags:
            del self._open[len(tags) - 1 - tags[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        tags = {tag for tag, _ in self._open}
        if "h1" in tags:
            self.heading.append(data)
        if "legend" in tags:
            self._legend.append(data)
        for _, attributes in self._open:
            if "p" in tags and "aria-labelledby" in attributes:
                self.regions[attributes["aria-labelledby"]].append(data)
            for name in attributes.get("class", "").split():
                self.marked[name].append(data)

    def _add_field(self, form: Form, attributes: dict[str, str]) -> None:
        name, value = attributes["name"], attributes.get("value", "")
        if attributes.get("type") == "radio":
            form.offers[name] = (*form.offers.get(name, ()), value)
            form.legends[name] = _joined(self._legend)
        if attributes.get("type") not in _UNCHECKED or "checked" in attributes:
            form.values[name] = value


def _joined(parts: Iterable[str]) -> str:
    """Return the text as it is read: runs of white space are one space."""
    return " ".join("".join(parts).split())
