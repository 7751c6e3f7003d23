"""METEOR: one Java program that is fed ahead, against the wrapper of the COCO tools and one program per call.

Invariant: every caption must score the same by all ways, or there is no table.

    python benchmarks/bench_meteor.py [--quick]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from settings import print_report
from stopwatch import measure
from synthetic_captions import Captions
from tables import ratio, seconds, table
from work import same_values, time_work

if TYPE_CHECKING:
    from settings import Settings
    from work import Work

__all__ = ["report"]

HERE = Path(__file__).parent

TEXT = """## METEOR

A value for each of {images:,} made-up captions, each way once, from captions in memory; CPU time includes
Java's. The program reads its paraphrases when it starts, so a way that starts it for every caption pays for
them every time. That way was tried on {calls} of the captions, {each} s each; figures in italics are not
measured but extrapolated from it. radcap and the wrapper of `pycocoevalcap` start one program; radcap tells
it captions ahead of its answers, and equal pairs once.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where two ways disagree."""
    images, calls = settings.images, settings.java_starts
    with tempfile.TemporaryDirectory() as folder:
        data = Captions(Path(folder) / "data")
        measure([sys.executable, HERE / "synthetic_captions.py", data.folder, "--images", str(images)])
        each = _time("official", "meteor_each", data, calls)
        wrapper = _time("official", "meteor", data, images)
        ours = _time("radcap", "meteor", data, images)
    scale = images / calls
    rows = [
        _row("one program per call", each, ours, ours.values[:calls], scale),
        _row("`pycocoevalcap`", wrapper, ours, ours.values),
        ("radcap", seconds(ours.wall_s), seconds(ours.cpu_s), "", "", ""),
    ]
    text = TEXT.format(images=images, calls=calls, each=seconds(each.wall_s / calls))
    header = (f"{images:,} captions", "Wall, s", "CPU, s", "Ratio, wall", "Ratio, CPU", "Values")
    return f"{text}\n{table(header, rows)}\n"


def _time(side: str, way: str, data: Captions, captions: int) -> Work:
    return time_work(HERE / f"{side}_captions.py", way, data.run(), data.truth, "--first", str(captions))


def _row(title: str, theirs: Work, ours: Work, values: list[float], scale: float = 1) -> tuple[str, ...]:
    """One other way; what was not measured in full is set in italics."""
    mark = "" if scale == 1 else "*"
    wall_s, cpu_s = theirs.wall_s * scale, theirs.cpu_s * scale
    figures = seconds(wall_s), seconds(cpu_s), ratio(wall_s / ours.wall_s), ratio(cpu_s / ours.cpu_s)
    return title, *(f"{mark}{figure}{mark}" for figure in figures), same_values(title, values, theirs.values)


if __name__ == "__main__":
    print_report(report, __doc__)
