"""Concept score, both F1, from CSV to result: `radcap score concepts` against scikit-learn once per image.

Invariant: both ways must print the same floats to the last bit, or there is no table.

    python benchmarks/bench_concepts.py [--quick]
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from settings import print_report, say
from stopwatch import Failed, measure, warm_up
from synthetic import IMAGES, Dataset
from tables import Goal, goal_table, often, ratio, seconds, table

if TYPE_CHECKING:
    from settings import Settings
    from stopwatch import Measured

__all__ = ["report"]

HERE = Path(__file__).parent
SCORES = ("f1", "f1_manual")

TEXT = """## Concept score

Both F1 of {images:,} images, the whole command from CSV files to the printed result. The official way is
`benchmarks/official_concepts.py`: it loads and validates as the evaluators do and calls `f1_score` once per
image and score. It ran in full, once; radcap ran {often}, the median counts.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where the two ways disagree."""
    with tempfile.TemporaryDirectory() as folder:
        data = Dataset(Path(folder) / "data")
        images = settings.images
        measure([sys.executable, HERE / "synthetic.py", data.folder, "--images", str(images)])
        warm_up()
        say(f"radcap, {images:,} images, {often(settings.times)}")
        ours = _ours(data, settings.times)
        say(f"official way, {images:,} images, once")
        theirs = measure([sys.executable, HERE / "official_concepts.py", data.run, data.truth])
    compared = _same_scores(ours, theirs)
    wall_ratio, cpu_ratio = theirs.wall_s / ours.wall_s, theirs.cpu_s / ours.cpu_s
    rows = [
        ("official way", seconds(theirs.wall_s), seconds(theirs.cpu_s), *map(repr, compared)),
        ("`radcap score concepts`", seconds(ours.wall_s), seconds(ours.cpu_s), *map(repr, compared)),
        ("ratio, equality", ratio(wall_ratio), ratio(cpu_ratio), *["equal to the last bit"] * len(compared)),
    ]
    goals = [
        Goal("faster than the official way", wall_ratio, 100, "times", at_least=True),
        Goal("whole command", ours.wall_s, 1.5, "s"),
    ]
    header = (f"{images:,} images", "Wall, s", "CPU, s", "F1", "F1, manual set")
    parts = (
        TEXT.format(images=images, often=often(ours.times)),
        table(header, rows),
        goal_table(goals, judged=images == IMAGES),
    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _ours(data: Dataset, times: int) -> Measured:
    command = [sys.executable, "-m", "radcap", "score", "concepts", data.run, data.truth, "--json"]
    return measure(command, times=times)


def _same_scores(ours: Measured, theirs: Measured) -> list[float]:
    """Both F1, if both ways found the same floats."""
    found = {score["name"]: score["value"] for score in json.loads(ours.output)["scores"]}
    wanted: dict[str, float] = json.loads(theirs.output)
    for name in SCORES:
        if found[name] != wanted[name]:
            raise Failed(f"{name}: radcap says {found[name]!r}, the official way {wanted[name]!r}.")
    return [found[name] for name in SCORES]


if __name__ == "__main__":
    print_report(report, __doc__)
