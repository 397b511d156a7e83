"""Reading pictures in tests."""

from xml.etree import ElementTree as ET

from catalog.pictures import Picture
from catalog.pictures.drawing import WIDTH

NAMESPACE = "{http://www.w3.org/2000/svg}"


def parse(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.svg)


def with_class(root: ET.Element, *names: str) -> list[ET.Element]:
    """Return the elements that carry all the class names, in drawing order."""
    return [one for one in root.iter() if set(names) <= set(one.get("class", "").split())]


def nodes(root: ET.Element, *names: str) -> list[ET.Element]:
    """Return the drawn configurations that carry all the class names; the legend is left out."""
    legend = with_class(root, "node", "legend")
    return [one for one in with_class(root, "node", *names) if one not in legend]


def texts(root: ET.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{NAMESPACE}text")]


def number(one: ET.Element, name: str) -> float:
    return float(one.get(name, "nan"))


def box(node: ET.Element) -> ET.Element:
    found = node.find(f"{NAMESPACE}rect")
    assert found is not None
    return found


def assert_accessible_and_inert(picture: Picture) -> None:
    """An image with a name and a description, without anything that the pages' CSP would block."""
    root = parse(picture)
    assert root.get("role") == "img"
    ids = {one.get("id"): one.text for one in root.iter() if one.get("id")}
    title_id, description_id = root.get("aria-labelledby", "").split()
    assert ids[title_id] == picture.title
    assert ids[description_id]
    assert not [one.tag for one in root.iter() if one.get("style")]
    assert {one.tag.removeprefix(NAMESPACE) for one in root.iter()} <= {
        *("svg", "title", "desc", "g", "rect", "line", "circle", "text")
    }


def assert_inside_the_frame(picture: Picture) -> None:
    root = parse(picture)
    _, _, width, height = map(float, root.get("viewBox", "").split())
    assert width == WIDTH
    for rect in root.iter(f"{NAMESPACE}rect"):
        assert number(rect, "x") >= 0
        assert number(rect, "x") + number(rect, "width") <= width
        assert number(rect, "y") + number(rect, "height") <= height
    for text in root.iter(f"{NAMESPACE}text"):
        assert 0 <= number(text, "x") <= width
        assert 0 < number(text, "y") <= height
