"""The picture in the README is what `radcap demo` prints."""

from __future__ import annotations

import runpy
import sys
from xml.etree import ElementTree as Xml

import pytest
from doc_pages import ROOT
from rich.text import Text

PICTURE = ROOT / "docs" / "images" / "demo.svg"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawing():
    return Xml.fromstring(PICTURE.read_text("utf-8"))  # noqa: S314, our own file


def lines_of(drawing):
    """The text of the picture, line by line from the top."""
    rows = {}
    for piece in drawing.iter(f"{SVG}text"):
        rows.setdefault(float(piece.attrib["y"]), []).append((float(piece.attrib["x"]), piece.text or ""))
    return ["".join(text for _, text in sorted(rows[y])).replace("\xa0", " ").strip() for y in sorted(rows)]


def test_picture_is_small_and_self_contained(drawing):
    assert PICTURE.stat().st_size < 60_000
    assert "font-face" not in PICTURE.read_text("utf-8")
    assert not any("href" in name for piece in drawing.iter() for name in piece.attrib)


@pytest.mark.skipif(sys.platform == "win32", reason="the picture is drawn from a pseudo-terminal")
def test_picture_shows_what_the_demo_prints_today(drawing, tmp_path):
    script = runpy.run_path(str(ROOT / "docs" / "make_pictures.py"))
    terminal = Text.from_ansi(script["terminal_output"](tmp_path)).plain
    printed = set(map(dense, terminal.splitlines()))
    shown = [line for line in lines_of(drawing) if line]
    added = [line for line in shown if dense(line) not in printed]
    assert len(added) == 2, "Draw it again: .venv/bin/python docs/make_pictures.py"
    assert added[0] == "$ radcap demo"
    assert added[1].startswith("... ")
    assert len(shown) > 20


def dense(line):
    """A line without its blanks: the picture sets words by their place."""
    return "".join(line.split())
