"""Prediction: the shipped detector from files to decisions, against its bare forward pass.

Invariant: both ways give the same logits. Otherwise there is no table.

    python benchmarks/bench_predict.py [--quick]
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from settings import FULL, print_report
from stopwatch import Failed
from tables import Goal, goal_table, often, ratio, seconds, table

if TYPE_CHECKING:
    from settings import Settings

__all__ = ["report"]

WAYS = Path(__file__).parent / "predict_ways.py"
IMAGES = 695  # the test split of radiology-open
GAP = 1e-3

TEXT = """## Prediction

`zoo:concepts` on {images:,} images of radiology-open, {threads} threads, {often}, the median counts. The bare
pass is the network over squares that are decoded already; radcap reads, decodes and looks at the images,
calibrates and decides. The plain loop is Pillow and timm's network with the same weights, one image at a
time. The largest difference of a logit between the bare pass and radcap is {gap:.1e}.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where two ways disagree."""
    images = min(IMAGES, settings.images) if settings == FULL else 24
    command = [sys.executable, str(WAYS), "--images", str(images), "--times", str(min(settings.times, 3))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"predict_ways.py ended with {done.returncode}: {done.stderr[-500:]}")
    told = json.loads(done.stdout)
    if told["gap"] > GAP:
        raise Failed(f"radcap's logits differ from the bare pass by {told['gap']:.3g}.")
    rows = [
        (name, seconds(told[key]), f"{told[key] / images * 1000:.1f}", ratio(told[key] / told["radcap"]))
        for name, key in (("plain loop", "plain"), ("bare forward pass", "bare"), ("radcap", "radcap"))
    ]
    goal = Goal("speed against the bare pass", told["bare"] / told["radcap"], 0.8, "x", at_least=True)
    text = TEXT.format(
        images=images, threads=told["threads"], often=often(min(settings.times, 3)), gap=told["gap"]
    )
    header = ("Way", "s", "ms an image", "against radcap")
    parts = [text, table(header, rows), goal_table([goal], judged=settings == FULL)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


if __name__ == "__main__":
    print_report(report, __doc__)
