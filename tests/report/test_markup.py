"""Markup: escaping by construction, and nothing invisible in a file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_values import HOSTILE, Reading, check_safe, xml

from radcap.report.markup import Markup, element, escaped, joined, visible, void

ANY = st.text(st.characters(), max_size=12)  # half characters too


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_read_back_as_what_is_visible_of_it(text: str) -> None:
    found = check_safe(element("p", text, title=text))
    assert found.text() == visible(text)
    assert found.named("p") == [{"title": visible(text)}]


@settings(max_examples=200, deadline=None)
@given(ANY, ANY)
def test_any_text_survives_as_content_and_as_attribute(text: str, other: str) -> None:
    made = element("b", element("i", text), title=other)
    made.encode("utf-8")
    tree = xml(made)
    assert tree.get("title") == visible(other)
    assert (tree[0].text or "") == visible(text)
    assert Reading(made).text() == visible(text)


@settings(max_examples=200, deadline=None)
@given(ANY)
def test_what_is_visible_is_printable_and_stays_so(text: str) -> None:
    assert visible(text).isprintable()
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, \u00e9 \u653e", "plain, \u00e9 \u653e"),
        ("a\tb\r\nc\u00a0d\u2028e", "a b  c d e"),
        ("\x1b[0m", r"\u001b[0m"),
        ("\x1c\x1f", r"\u001c\u001f"),
        ("\u202e\u200f\ufeff", r"\u202e\u200f\ufeff"),
        ("\ud800", r"\ud800"),
        ("\U000e0001", r"\udb40\udc01"),
    ],
    ids=["printable", "blanks", "escape", "separators", "direction", "half a character", "beyond 16 bits"],
)
def test_invisible_characters_are_written_as_json_writes_them(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_markup_goes_through_once_and_text_is_escaped_once() -> None:
    inner = element("b", "a & b")
    assert element("p", inner, " < c") == "<p><b>a &amp; b</b> &lt; c</p>"
    assert escaped(inner) is inner
    assert joined([inner, "<"], " & ") == "<b>a &amp; b</b> &amp; &lt;"
    assert isinstance(joined([]), Markup)


def test_attributes_are_named_as_in_html_and_none_is_left_out() -> None:
    made = void("path", class_="x", aria_label="l", stroke_width=2, d=1.239, y=-0.001, name="n", title=None)
    assert made == '<path class="x" aria-label="l" stroke-width="2" d="1.24" y="0" name="n" />'
