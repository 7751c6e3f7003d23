"""The pictures are of today: what `radcap demo` prints, and the pages that radcap writes."""

from __future__ import annotations

import io
import runpy
import sys
from xml.etree import ElementTree as Xml

import pytest
from doc_pages import ROOT
from PIL import Image
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


@pytest.fixture(scope="module")
def page_script():
    return runpy.run_path(str(ROOT / "docs" / "make_page_picture.py"))


@pytest.fixture(params=["compare.png", "dataset.png"])
def shot(request, page_script):
    return next(one for one in page_script["SHOTS"] if one.name == request.param)


def test_picture_of_a_page_is_small_and_says_nothing_but_its_table(page_script, shot):
    assert shot.path.stat().st_size < 260_000
    with Image.open(shot.path) as picture:
        assert picture.size == shot.size
        assert set(picture.info) <= {page_script["KEY"], "dpi", "transparency"}
        assert not picture.getexif()


def test_picture_of_a_page_shows_the_table_of_today(page_script, shot, tmp_path):
    with Image.open(shot.path) as picture:
        drawn = picture.info[page_script["KEY"]]
    _, today = shot.page(tmp_path)
    assert drawn == today, "Draw it again: .venv/bin/python docs/make_page_picture.py"


def test_picture_of_the_comparison_is_of_the_command_in_its_how_to(page_script):
    text = (ROOT / "docs" / "how-to" / "compare.md").read_text("utf-8")
    runs = " ".join(f"{run}.csv" for run in page_script["RUNS"])
    assert f"radcap compare {runs}" in text
    assert f"--metrics {','.join(page_script['METRICS'])} --report" in text
    assert "images/compare.png" in text


def test_picture_of_the_dataset_page_stands_in_its_how_to():
    text = (ROOT / "docs" / "how-to" / "datasets.md").read_text("utf-8")
    assert "radcap dataset report radiology-open" in text
    assert "images/dataset.png" in text


@pytest.mark.parametrize(
    ("name", "page", "most"),
    [
        ("explain.png", "how-to/explain.md", 120_000),
        ("phantoms.png", "explainability.md", 60_000),
        ("explain-good.png", "explainability.md", 120_000),
        ("explain-bad.png", "explainability.md", 120_000),
    ],
)
def test_pictures_of_explanations_are_small_and_stand_in_their_pages(name, page, most):
    path = ROOT / "docs" / "images" / name
    assert path.stat().st_size <= most
    assert f"images/{name}" in (ROOT / "docs" / page).read_text("utf-8")
    with Image.open(path) as picture:
        assert not picture.getexif()


def test_a_text_is_put_into_the_picture(page_script):
    made = page_script["with_text"](Image.new("RGB", (4, 3), "white"), "a table")
    with Image.open(io.BytesIO(made)) as picture:
        assert (picture.size, picture.info[page_script["KEY"]]) == ((4, 3), "a table")
