"""Draws compare.png, dataset.png, explain.png and report.png of docs/images: parts of pages of radcap.

Invariant: a picture carries the table of its page as Markdown, in its PNG text, so that a test can tell when
it is out of date. It needs Chromium or Chrome; nothing else in the documentation does.

    .venv/bin/python docs/make_page_picture.py              all of them
    .venv/bin/python docs/make_page_picture.py explain.png  one
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

import radcap
from radcap.datasets import load_dataset
from radcap.datasets.describing import describe, splits_table
from radcap.datasets.page import report_page
from radcap.datasets.statistics import statistics
from radcap.datasets.survey import survey_images
from radcap.metrics import compare
from radcap.metrics.comparison_report import comparison_html
from radcap.reading import run_demo
from radcap.report import Table, board_table

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGES = Path(__file__).parent / "images"
RUNS = ("half", "neighbour", "word-list", "constant")
METRICS = ("rouge1", "bleu", "cider")
EXPLAINED = "RadBench_test_000003"
KEY = "Description"

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_COLOURS = 256  # of the pictures: grey photographs and a few tints


def comparison(folder: Path) -> tuple[str, str]:
    """The page of how-to/compare.md and the board on it."""
    demo = run_demo(folder, models=False)
    runs = {name: folder / f"captions-{name}.csv" for name in RUNS}
    compared = compare(runs, demo.runs.truth, "captions", metrics=METRICS)
    page = comparison_html(compared, f"Comparison of {len(runs)} runs")
    return page, board_table(compared.comparison).to_markdown()


def dataset(_: Path) -> tuple[str, str]:
    """The page of how-to/datasets.md and the table of its splits."""
    data = load_dataset("radiology-open")
    survey = survey_images(data)
    return report_page(data, statistics(data, survey), survey), splits_table(describe(data)).to_markdown()


def explanation(_: Path) -> tuple[str, str]:
    """The page of how-to/explain.md and what was said of its image."""
    from radcap.explanation import Explanation
    from radcap.explanation.viewer import viewer_page

    data = load_dataset("radiology-open").split("test")
    image = data.take(np.array([list(data.ids).index(EXPLAINED)]))
    made = [one for one in radcap.explain("zoo:captions", image) if isinstance(one, Explanation)]
    said = tuple((found.kind.value, found.label) for one in made for found in one.evidence)
    return viewer_page(made), Table(("kind", "statement"), said).to_markdown()


_POLICY = re.compile("<meta http-equiv=.Content-Security-Policy[^>]*>")  # which lets no other script run
_CHOSEN = """<script>
addEventListener("load", () => {
  const first = document.querySelector(".reading");
  [...first.querySelectorAll("[data-map]")].at(-1).click();
});
</script>"""


def report(folder: Path) -> tuple[str, str]:
    """The report of the demo, the map of the last concept of its first reading chosen, and what that says."""
    told = run_demo(folder)
    readings = told.models.readings[:1] if told.models else ()
    said = tuple((one.image, one.caption) for one in readings)
    page = _POLICY.sub("", told.report.read_text("utf-8")).replace("</body>", f"{_CHOSEN}</body>")
    return page, Table(("image", "caption"), said).to_markdown()


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: which page, how much of it, how far from its top."""

    name: str
    page: Callable[[Path], tuple[str, str]]
    size: tuple[int, int]
    top: int = 0
    colours: int = _COLOURS

    @property
    def path(self) -> Path:
        return IMAGES / self.name


SHOTS = (
    Shot("compare.png", comparison, (1000, 1100)),  # to the end of the section with the board
    Shot("dataset.png", dataset, (1000, 1000), top=2575),  # the filters and the images below them
    Shot("report.png", report, (1280, 1030)),  # its head and the first reading
    Shot("explain.png", explanation, (1100, 900), colours=96),  # the image, its map, and what is said of it
)


def photograph(page: Path, shot: Shot, browser: str) -> Image.Image:
    """What a browser shows of a page, light and without a scroll bar."""
    picture = page.with_suffix(".png")
    width, height = shot.size
    options = [
        "--headless",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--window-size={width},{shot.top + height}",
    ]
    options += ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium refuses to run as root otherwise
    command = [browser, *options, f"--screenshot={picture}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603, our own page
    if not picture.is_file():
        raise SystemExit(f"'{browser}' drew nothing: {done.stderr.strip()[-200:]}")
    return Image.open(picture).crop((0, shot.top, width, shot.top + height))


def with_text(picture: Image.Image, text: str, colours: int = _COLOURS) -> bytes:
    """The picture as a small PNG with a text in it."""
    about, out = PngInfo(), io.BytesIO()
    about.add_text(KEY, text)
    picture.convert("RGB").quantize(colours).save(out, "PNG", optimize=True, pnginfo=about)
    return out.getvalue()


def main() -> None:
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise SystemExit(
            f"None of {', '.join(_BROWSERS)} is here. No picture was drawn. Install one of them."
        )
    for shot in [one for one in SHOTS if not sys.argv[1:] or one.name in sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as folder:
            page, table = shot.page(Path(folder))
            path = Path(folder) / "page.html"
            path.write_text(page, encoding="utf-8")
            shot.path.write_bytes(with_text(photograph(path, shot, browser), table, shot.colours))


if __name__ == "__main__":
    main()
