"""Readings of real images as a folder of pages, and a browser that scrolls through the first one.

Invariant: the images differ, are those of the test split of radiology-open at even distances, and are read
by the shipped model with maps and cases. Prints JSON.

    python benchmarks/readings_page_ways.py IMAGES
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.datasets import load_dataset
from radcap.reading.opening import open_reader
from radcap.reading.page import batch_page, entry_of
from radcap.reading.values import Unread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.reading.values import Reading

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
STEP = 150  # pixels that every frame scrolls
FRAMES = """(step) => new Promise((done) => {
  const gaps = [];
  let last = performance.now();
  const turn = (now) => {
    gaps.push(now - last);
    last = now;
    scrollBy({ top: step, behavior: "instant" });
    const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
    if (end || gaps.length > 2000) done(gaps.slice(1));
    else requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
})"""


def readings(images: int) -> list[Reading]:
    dataset = load_dataset("radiology-open", "test")
    places = np.linspace(0, len(dataset) - 1, images).astype(np.int64)
    found = open_reader("zoo:captions")(dataset.take(places))
    return [one for one in found if not isinstance(one, Unread)]


def page_of(found: Sequence[Reading]) -> tuple[str, float]:
    """The page, and the seconds that it took."""
    start = perf_counter()
    entries = [entry_of(one, number) for one, number in zip(found, count(1), strict=False)]
    return batch_page("Readings", entries), perf_counter() - start


def frames(page: Path) -> dict[str, float]:
    """Milliseconds to open a page, and of its frames while it is scrolled; nothing without a browser."""
    browser = os.environ.get("RADCAP_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None or find_spec("playwright") is None:
        return {}
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = opened.new_page(viewport={"width": 1280, "height": 900})
        start = perf_counter()
        tab.goto(page.as_uri())
        load = perf_counter() - start
        gaps: Any = np.array(tab.evaluate(FRAMES, STEP))
        opened.close()
    middle, most = np.percentile(gaps, [50, 95])
    return {"open_ms": 1000 * load, "median_ms": float(middle), "p95_ms": float(most), "frames": len(gaps)}


def main() -> None:
    found = readings(int(sys.argv[1]))
    text, seconds = page_of(found)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(text, encoding="utf-8")
        told = {"readings": len(found), "bytes": page.stat().st_size, "seconds": seconds, **frames(page)}
    told["maps"] = sum(evidence.map is not None for one in found for evidence in one.evidence)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
