"""Draws docs/images/compare.png: the top of the page that `radcap compare --report` writes.

Invariant: the picture carries the board it shows as Markdown, in its PNG text, so that a test can tell
when it is out of date. It needs Chromium or Chrome; nothing else in the documentation does.

    .venv/bin/python docs/make_page_picture.py
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

from radcap.metrics import compare
from radcap.metrics.comparison_report import comparison_html
from radcap.reading import run_demo
from radcap.report import board_table

PICTURE = Path(__file__).parent / "images" / "compare.png"
RUNS = ("half", "neighbour", "word-list", "constant")
METRICS = ("rouge1", "bleu", "cider")
SIZE = (1000, 1100)  # to the end of the section with the board
KEY = b"Description"

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER_END = len(_SIGNATURE) + 25  # length, name, 13 bytes and check sum of the first chunk


def page_and_board(folder: Path) -> tuple[str, str]:
    """The page of how-to/compare.md and the board on it."""
    demo = run_demo(folder)
    runs = {name: folder / f"captions-{name}.csv" for name in RUNS}
    compared = compare(runs, demo.truth, "captions", metrics=METRICS)
    page = comparison_html(compared, f"Comparison of {len(runs)} runs")
    return page, board_table(compared.comparison).to_markdown()


def photograph(page: Path, browser: str) -> bytes:
    """What a browser shows of a page, light and without a scroll bar."""
    picture = page.with_suffix(".png")
    options = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE[0]},{SIZE[1]}"]
    options += ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium refuses to run as root otherwise
    command = [browser, *options, f"--screenshot={picture}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603, our own page
    if not picture.is_file():
        raise SystemExit(f"'{browser}' drew nothing: {done.stderr.strip()[-200:]}")
    return picture.read_bytes()


def with_text(png: bytes, text: str) -> bytes:
    """The picture with a text in it, right behind its first chunk."""
    body = KEY + b"\0" + text.encode("latin-1")
    check = zlib.crc32(b"tEXt" + body)
    chunk = struct.pack(">I", len(body)) + b"tEXt" + body + struct.pack(">I", check)
    return png[:_HEADER_END] + chunk + png[_HEADER_END:]


def main() -> None:
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise SystemExit(
            f"None of {', '.join(_BROWSERS)} is here. No picture was drawn. Install one of them."
        )
    with tempfile.TemporaryDirectory() as folder:
        page, board = page_and_board(Path(folder))
        path = Path(folder) / "page.html"
        path.write_text(page, encoding="utf-8")
        PICTURE.write_bytes(with_text(photograph(path, browser), board))


if __name__ == "__main__":
    main()
