"""Pages of readings: how large a hundred are, how long they take to make, and how they scroll.

python benchmarks/bench_readings_page.py [--quick]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from settings import FULL, print_report, say
from stopwatch import Failed, measure
from tables import Goal, goal_table, table

if TYPE_CHECKING:
    from settings import Settings

__all__ = ["report", "tables"]

WAYS = Path(__file__).parent / "readings_page_ways.py"
IMAGES = 100
LIMIT_MB = 5  # wanted of a hundred readings

TEXT = """## Pages of readings

{readings} different images of the test split of radiology-open, read by `zoo:captions` with {maps:,} maps and
three cases each, as one page of `radcap read --out`. Making counts cards and page, without the reading
itself. Frames are those of headless Chromium at 1280 x 900 without a graphics card, scrolling 150 pixels a
frame from the top to the end; a screen of 60 Hz shows one every 16.7 ms.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where nothing was read."""
    images = IMAGES if settings == FULL else 2
    say(f"readings_page_ways, {images} images")
    told: dict[str, Any] = json.loads(measure([sys.executable, WAYS, str(images)]).output)
    return tables(told, judged=settings == FULL)


def tables(told: dict[str, Any], *, judged: bool) -> str:
    if not told["readings"] or not told["maps"]:
        raise Failed("No image was read with maps: there is no page to measure.")
    whole = told["bytes"] / told["readings"] * 100 / 1e6
    rows = [
        ("MB for 100 readings", f"{whole:.2f}"),
        ("ms to make, a reading", f"{1000 * told['seconds'] / told['readings']:.1f}"),
    ]
    if "p95_ms" in told:
        rows += [
            ("ms to open the page", f"{told['open_ms']:.0f}"),
            ("ms a frame, median", f"{told['median_ms']:.1f}"),
            ("ms a frame, 95 of 100 within", f"{told['p95_ms']:.1f}"),
        ]
    goals = [Goal("A hundred readings with maps", whole, LIMIT_MB, "MB")]
    parts = [
        TEXT.format(**told),
        table(("Figure", "Measured"), rows),
        "",
        goal_table(goals, judged=judged),
        "",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    print_report(report, __doc__)
