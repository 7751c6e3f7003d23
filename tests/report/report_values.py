"""Comparisons made by hand, hostile text, and readers of what was drawn."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import combinations
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from radcap.stats import ranks
from radcap.stats.comparison import (
    Comparison,
    Interval,
    MetricComparison,
    PairTest,
    Procedure,
    RankRange,
    Standing,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "link", "img", "line", "rect", "path", "circle", "polygon", "polyline"}
HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    "\" onload='x' & <b>",
    "\u202eevil\u202c \u200f right to left",
    "steers \x1b[31m \x00 \x07 \x85 a terminal",
    "half \ud800 a character",
    "two\nlines\tand\ra\u2028half",
    "\u0641\u0631\u064a\u0642 \u653e\u5c04\u7dda",
    r"\input{/etc/passwd} $x_1^2$ ~ # % & {} [a] `q' -- ,, |",
    "javascript:alert(1) ]]> --> {{7*7}}",
)


def metric(
    values: Mapping[str, float],
    name: str = "f1",
    *,
    p: Mapping[tuple[str, str], float] | None = None,
    half: float = 0.0125,
    n: int = 1_200,
) -> MetricComparison:
    """Runs under one metric, their corrected p by pair (better first), 0.5 where none is given."""
    order = sorted(values, key=lambda run: -values[run])
    ranked = ranks([values[run] for run in order])
    standings = [
        Standing(
            run,
            values[run],
            n,
            Interval(values[run] - half, values[run] + half / 3),
            rank or 0,
            RankRange(max(1, place - 1), min(len(order), place + 2)),
            "ab"[place % 2 :],
        )
        for place, (run, rank) in enumerate(zip(order, ranked, strict=True), 1)
    ]
    pairs = [pair(a, b, values, (p or {}).get((a, b), 0.5)) for a, b in combinations(order, 2)]
    return MetricComparison(name, f"{name}|edition:2025|radcap:0", tuple(standings), tuple(pairs))


def pair(first: str, second: str, values: Mapping[str, float], p: float) -> PairTest:
    gap = values[first] - values[second]
    return PairTest(first, second, gap, Interval(gap - 0.0071, gap + 0.0083), p / 3, p, p / 7, 1_019, 100, 81)


def compared(*metrics: MetricComparison, procedure: Procedure | None = None) -> Comparison:
    return Comparison(procedure or Procedure(), metrics)


THREE = metric(
    {"b": 0.5766, "a": 0.58884, "c": 0.566}, p={("a", "b"): 0.0213, ("a", "c"): 0.0003, ("b", "c"): 0.21}
)
SIXTY = metric({f"team{number:02d}_run_{number * 37}": 0.6 - number / 300 for number in range(60)})


def xml(text: str) -> ET.Element:
    """The root of a drawing or a page; what is not well formed fails here."""
    return ET.fromstring(text.removeprefix("<!DOCTYPE html>"))  # noqa: S314, made by the code under test


class Reading(HTMLParser):
    """Reads as a browser would: every tag closed in order, every text unescaped."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in VOID
        assert len(dict(attrs)) == len(attrs)
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def text(self, *tags: str) -> str:
        """All that stands in the text of these elements, or of the whole."""
        return " ".join(data for tag, data in self.texts if not tags or tag in tags)


def check_safe(text: str) -> Reading:
    """Well formed, nothing fetched, nothing that runs, no sign that steers; encodes as UTF-8."""
    text.encode("utf-8")
    assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", text) == []
    found = Reading(text)
    xml(text)
    assert {tag for tag, _ in found.tags} & {"script", "iframe", "object", "base", "form", "animate"} == set()
    for _, attributes in found.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        for name in {"src", "href", "xlink:href", "action"} & set(attributes):
            assert (attributes[name] or "").startswith(("data:", "#"))
    assert set(re.findall(r"\w+://[^\s\"'<]*", text)) <= {SVG.strip("{}")}
    assert "url(" not in text
    assert "@import" not in text
    return found
