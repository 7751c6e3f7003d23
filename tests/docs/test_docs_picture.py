"""The pictures are of today: they show the pages that radcap writes."""

from __future__ import annotations

import io
import runpy

import pytest
from doc_pages import ROOT
from PIL import Image

import radcap
from radcap.datasets import load_dataset
from radcap.report import Table


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


def test_picture_of_the_report_shows_what_the_models_say_today(page_script):
    path = ROOT / "docs" / "images" / "report.png"
    assert path.stat().st_size < 260_000
    with Image.open(path) as picture:
        drawn = picture.info[page_script["KEY"]]
    test = load_dataset("radiology-open", split="test")
    (reading,) = radcap.open_reader(maps=False, cases=0)(test[:1])
    assert isinstance(reading, radcap.Reading)
    said = Table(("image", "caption"), ((reading.image, reading.caption),)).to_markdown()
    assert drawn == said, "Draw it again: .venv/bin/python docs/make_page_picture.py report.png"


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_picture_of_the_report_stands_on_the_front_pages(page):
    assert "images/report.png" in (ROOT / page).read_text("utf-8")


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
