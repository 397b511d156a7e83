"""Vendored files are what their manifest says; templates obey the content security policy."""

import hashlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
VENDORS = (ROOT / "static" / "vendor", ROOT / "tests" / "vendor")
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))


@pytest.mark.parametrize("folder", VENDORS, ids=lambda folder: folder.parent.name)
def test_vendored_files_have_version_licence_and_digest(folder):
    listed = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    for entry in listed:
        content = (folder / entry["path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
        assert entry["version"].encode() in content
        assert entry["licence"]
    code = {path.relative_to(folder).as_posix() for path in folder.rglob("*.[cj]s*")}
    assert code - {"manifest.json"} == {entry["path"] for entry in listed}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_inline_style_or_script_and_loads_from_no_other_host(path):
    text = path.read_text("utf-8")
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=|javascript:", text)
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    assert not re.search(r"""(?:src|action)=["']?(?:https?:)?//""", text)
    assert not re.search(r"""<link[^>]*href=["']?(?:https?:)?//""", text)


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_only_the_tokens_name_a_colour(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
    assert "http" not in text
    if path.name != "tokens.css":
        assert not re.search(r"#[0-9a-f]{3,8}\b|\brgb|\bhsl|\boklch", text, re.IGNORECASE)


def _luminance(colour):
    """Relative luminance of WCAG 2.2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_colour_stands_out_from_both_papers(scheme):
    sheet = (ROOT / "static" / "css" / "tokens.css").read_text("utf-8").split("@media")[scheme]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", sheet))
    texts = [name for name in colours if name in _TEXTS or name.startswith("family-")]
    assert len(texts) == len(_TEXTS) + 8
    for paper in (colours["paper"], colours["paper-sunk"]):
        for name in texts:
            assert _contrast(colours[name], paper) >= 4.5, name
        assert _contrast(colours["control-edge"], paper) >= 3
    assert _contrast(colours["on-accent"], colours["accent"]) >= 4.5


_TEXTS = {"ink", "ink-soft", "accent", "fault", "below", "above"}
