"""The pictures are of today: what `radcap demo` prints, and the page that `radcap compare` writes."""

from __future__ import annotations

import runpy
import struct
import sys
import zlib
from xml.etree import ElementTree as Xml

import pytest
from doc_pages import ROOT
from rich.text import Text

PICTURE = ROOT / "docs" / "images" / "demo.svg"
PAGE_PICTURE = ROOT / "docs" / "images" / "compare.png"
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


def chunks_of(png):
    """Name and content of each part of a PNG file."""
    place = 8  # behind the signature
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        name, body = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        assert struct.unpack(">I", png[place + 8 + length : place + 12 + length]) == (
            zlib.crc32(name + body),
        )
        yield name, body
        place += length + 12


@pytest.fixture(scope="module")
def page_script():
    return runpy.run_path(str(ROOT / "docs" / "make_page_picture.py"))


def test_picture_of_the_page_is_small_and_says_nothing_but_its_board(page_script):
    assert PAGE_PICTURE.stat().st_size < 160_000
    found = list(chunks_of(PAGE_PICTURE.read_bytes()))
    assert struct.unpack(">II", found[0][1][:8]) == page_script["SIZE"]
    assert [name for name, _ in found if name in {b"tEXt", b"iTXt", b"zTXt", b"eXIf", b"tIME"}] == [b"tEXt"]


def test_picture_of_the_page_shows_the_board_of_today(page_script, tmp_path):
    text = dict(chunks_of(PAGE_PICTURE.read_bytes()))[b"tEXt"]
    key, _, board = text.partition(b"\0")
    page, today = page_script["page_and_board"](tmp_path)
    assert key == page_script["KEY"]
    assert board.decode() == today, "Draw it again: .venv/bin/python docs/make_page_picture.py"
    for run in page_script["RUNS"]:
        assert run in page


def test_picture_of_the_page_is_of_the_command_in_its_how_to(page_script):
    text = (ROOT / "docs" / "how-to" / "compare.md").read_text("utf-8")
    runs = " ".join(f"{run}.csv" for run in page_script["RUNS"])
    assert f"radcap compare {runs}" in text
    assert f"--metrics {','.join(page_script['METRICS'])} --report" in text
    assert "images/compare.png" in text


def test_a_text_is_put_behind_the_first_chunk(page_script):
    png = PAGE_PICTURE.read_bytes()
    with_two = list(chunks_of(page_script["with_text"](png, "a board")))
    assert [name for name, _ in with_two][:3] == [b"IHDR", b"tEXt", b"tEXt"]
    assert with_two[1][1] == page_script["KEY"] + b"\0a board"
