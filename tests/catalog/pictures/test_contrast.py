"""The printed utilities can be read on every step of the ramp, in both themes."""

import re

import pytest
from django.conf import settings

RULE = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")


def themes() -> dict[str, dict[str, str]]:
    light, dark = (
        (settings.BASE_DIR / "static/css/tokens.css")
        .read_text("utf-8")
        .split("prefers-color-scheme: dark")
    )
    return {"light": dict(RULE.findall(light)), "dark": dict(RULE.findall(dark))}


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def test_the_formula_gives_21_for_black_on_white():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("step", "words"), [(1, "ink"), (2, "ink"), (3, "ink"), (4, "paper"), (5, "paper")]
)
def test_words_on_the_ramp_have_a_contrast_of_at_least_4_5(theme, step, words):
    # static/css/pictures.css prints ink on steps 1 to 3 and paper on 4 and 5.
    colours = themes()[theme]
    assert contrast(colours[f"ramp-{step}"], colours[words]) >= 4.5
