"""The style of a page: contrast in light and dark, and no colour without a name."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from radcap.report.row_chart import COLOUR

STYLE = files("radcap.report").joinpath("page.css").read_text("utf-8")
LIGHT, DARK = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
THEMES: dict[str, str] = {"light": LIGHT, "dark": DARK}


def colours(theme: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", THEMES[theme]))


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_measured_as_wcag_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)  # the example everybody knows


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("ink", "paper"),
        ("ink", "raised"),
        ("quiet", "paper"),
        ("quiet", "raised"),
        ("accent", "paper"),
        ("ink", "good-soft"),
        ("ink", "bad-soft"),
        ("good", "good-soft"),
        ("bad", "bad-soft"),
        ("ink", "apart1"),
        ("ink", "apart2"),
        ("ink", "apart3"),
    ],
)
def test_text_has_the_contrast_of_level_aa(theme: str, text: str, ground: str) -> None:
    known = colours(theme)
    assert contrast(known[text], known[ground]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("mark", "ground"), [("accent", "paper"), ("good", "paper"), ("bad", "paper"), ("accent", "soft")]
)
def test_marks_have_three_to_one(theme: str, mark: str, ground: str) -> None:
    known = colours(theme)
    assert contrast(known[mark], known[ground]) >= 3


def test_a_chart_that_is_saved_alone_has_three_to_one_on_white_and_on_black() -> None:
    assert min(contrast(COLOUR, ground) for ground in ("#ffffff", "#000000")) >= 3


def test_both_themes_name_the_same_colours_and_every_colour_used_is_named() -> None:
    names = [set(re.findall(r"--([\w-]+):", THEMES[theme])) for theme in ("light", "dark")]
    assert names[0] == names[1]
    assert set(re.findall(r"var\(--([\w-]+)\)", STYLE)) == names[0]


@pytest.mark.parametrize(
    "part",
    ["prefers-color-scheme: dark", "@media print", ":focus-visible", "tabular-nums", "overflow-x: auto"],
)
def test_the_style_knows(part: str) -> None:
    assert part in STYLE


def test_nothing_moves_and_nothing_is_fetched() -> None:
    assert not re.search(r"animation|transition|@import|url\(|@font-face|</", STYLE)
