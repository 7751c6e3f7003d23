"""Caption metrics: radcap against rouge-score, NLTK and the COCO caption tools, value by value.

Invariant: every caption must score the same by both ways, or there is no table.

    python benchmarks/bench_captions.py [--quick]
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from settings import print_report, say
from stopwatch import measure, warm_up
from synthetic import IMAGES
from synthetic_captions import Captions
from tables import Goal, goal_table, often, ratio, seconds, table
from work import same_values, time_work

if TYPE_CHECKING:
    from settings import Settings
    from work import Work

__all__ = ["report"]

HERE = Path(__file__).parent
COLUMNS = ("Other way, wall s", "CPU s", "radcap, wall s", "CPU s", "Ratio of CPU", "Values")

TEXT = """## Caption metrics

A value for each of {images:,} captions, from captions in memory: work is timed inside a process of its own,
without the start of Python and the imports. Every repeat is a new process, so no stem of an earlier one is
remembered. radcap ran {often}, the median counts; the other way ran once. **The captions are made up**
(`benchmarks/synthetic_captions.py`): 22 words on average, 12,000 word types with a long tail, and a run with
words left out, exchanged and replaced.
"""
NOTES = """
ROUGE-1 is computed by `rouge-score` alone, and with the four kinds that the evaluators let it compute. BLEU
2017 includes the preparation: lower case, no punctuation, Treebank tokens, no stop words, Snowball stems.
"""
COMMAND = """### The whole command

`radcap score captions --edition 2025 --metrics rouge1`, from CSV files to the printed result: the run is
checked, captions are prepared, and its habits are counted. Beside it `benchmarks/official_captions.py`, which
prepares the same way and computes four kinds of ROUGE, one call per caption, but checks nothing.
"""


@dataclass(frozen=True, slots=True)
class _Row:
    """One metric by radcap, and the way it is measured against."""

    title: str
    ours: str
    theirs: str
    goal: float
    tolerance: float = 0.0


ROWS = (
    _Row("ROUGE-1: `rouge-score`, one kind", "rouge1", "rouge1", 2),
    _Row("ROUGE-1: `rouge-score`, four kinds", "rouge1", "rouge", 10),
    _Row("BLEU 2017: NLTK", "bleu2017", "bleu2017", 10),
    _Row("CIDEr: `pycocoevalcap`", "cider", "cider", 5, tolerance=1e-9),
)


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where two ways disagree."""
    images = settings.images
    with tempfile.TemporaryDirectory() as folder:
        data = Captions(Path(folder) / "data")
        measure([sys.executable, HERE / "synthetic_captions.py", data.folder, "--images", str(images)])
        warm_up()
        rows, goals = _metrics(data, settings)
        whole = _whole_command(data, settings)
    parts = (
        TEXT.format(images=images, often=often(settings.times)),
        table((f"{images:,} captions", *COLUMNS), rows),
        NOTES,
        goal_table(goals, judged=images == IMAGES),
        COMMAND,
        whole,
    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _metrics(data: Captions, settings: Settings) -> tuple[list[tuple[str, ...]], list[Goal]]:
    ours = {way: _time("radcap", way, data, settings.times) for way in {row.ours: None for row in ROWS}}
    rows, goals = list[tuple[str, ...]](), list[Goal]()
    for row in ROWS:
        mine, other = ours[row.ours], _time("official", row.theirs, data)
        equal = same_values(row.title, mine.values, other.values, row.tolerance)
        faster = other.cpu_s / mine.cpu_s
        times = map(seconds, (other.wall_s, other.cpu_s, mine.wall_s, mine.cpu_s))
        rows.append((row.title, *times, ratio(faster), equal))
        goals.append(Goal(row.title, faster, row.goal, "times", at_least=True))
    return rows, goals


def _time(side: str, way: str, data: Captions, times: int = 1) -> Work:
    return time_work(HERE / f"{side}_captions.py", way, data.run(), data.truth, times=times)


def _whole_command(data: Captions, settings: Settings) -> str:
    say(f"radcap score captions, {often(settings.times)}; official way, once")
    command = [sys.executable, "-m", "radcap", "score", "captions", data.run(), data.truth]
    ours = measure([*command, "--edition", "2025", "--metrics", "rouge1", "--json"], times=settings.times)
    theirs = measure([sys.executable, HERE / "official_captions.py", "score", data.run(), data.truth])
    found, wanted = json.loads(ours.output)["scores"][0]["value"], json.loads(theirs.output)["rouge1"]
    equal = same_values("ROUGE-1 of the whole command", [found], [wanted])
    rows = [
        ("official way", seconds(theirs.wall_s), seconds(theirs.cpu_s), repr(wanted)),
        ("`radcap score captions`", seconds(ours.wall_s), seconds(ours.cpu_s), repr(found)),
        ("ratio, equality", ratio(theirs.wall_s / ours.wall_s), ratio(theirs.cpu_s / ours.cpu_s), equal),
    ]
    return table((f"{settings.images:,} captions", "Wall, s", "CPU, s", "ROUGE-1"), rows)


if __name__ == "__main__":
    print_report(report, __doc__)
