"""The board: several systems as one command, against training and asking each by itself.

Invariant: every system says the same of every test image both ways. Otherwise there is no table.

    python benchmarks/bench_board.py [--quick]
"""

from __future__ import annotations

import csv
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from settings import FULL, print_report, say
from stopwatch import Failed, measure, warm_up
from tables import ratio, seconds, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from settings import Settings

__all__ = ["report"]

# All over EfficientNet-Lite0: plain layers, another loss, other steps, two ensembles, neighbours.
SYSTEMS = (
    "2017/aai-concepts",
    "2017/mupb-concepts",
    "2017/nlm-openi-concepts",
    "2022/aueb-concepts",
    "2023/baseline-b0-concepts",
    "2024/aueb-concepts",
    "2025/aueb-sam-concepts",
    "radcap/quick-concepts",
)
EVERY = 4  # of so many images of radiology-open one is taken
SCALE = "small"

TEXT = """## The board

{many} concept systems at the scale `{scale}`, all over one frozen network, on {images:,} images of
radiology-open ({test:,} of them test images), on the CPU. By itself, each is a `radcap train` and a
`radcap predict` of the same file. Once each: both ways say the same of every test image.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where the ways disagree."""
    full = settings == FULL
    names = SYSTEMS if full else SYSTEMS[-2:]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        images, test = _data(folder / "data", EVERY if full else 60)
        files = [_file(name, folder) for name in names]
        warm_up()
        alone = _alone(files, folder)
        boards = {jobs: _board(files, folder, jobs) for jobs in (1, 2)}
        for jobs in boards:
            _compare(files, folder, jobs)
    rows = [("radcap train and predict, one by one", seconds(alone), "")]
    rows += [
        (f"radcap systems reproduce --jobs {jobs}", seconds(took), ratio(alone / took))
        for jobs, took in boards.items()
    ]
    text = TEXT.format(many=len(names), scale=SCALE, images=images, test=test)
    return f"{text.strip()}\n\n{table(('Way', 's', 'quicker'), rows)}\n"


# What is measured is started as a child, which is small only as long as this process is: so nothing of radcap
# is loaded before it is needed.


def _data(folder: Path, every: int) -> tuple[int, int]:
    """Write a part of the bundled images; how many, and how many of them are test images."""
    from radcap.datasets import load_dataset

    dataset = load_dataset("radiology-open")
    part = dataset.take(range(0, len(dataset), every))
    part.save(folder)
    return len(part), len(part.split("test"))


def _file(name: str, folder: Path) -> Path:
    """The system as the board trains it."""
    from radcap.detection.system_reading import system_toml
    from radcap.systems import read_concepts
    from radcap.systems.board.fitting import fit_system
    from radcap.systems.board.scales import SCALES

    file = folder / f"{name.replace('/', '-')}.toml"
    file.write_text(system_toml(fit_system(read_concepts(name), SCALES[SCALE]).system), encoding="utf-8")
    return file


def _alone(files: Sequence[Path], folder: Path) -> float:
    """Seconds of all commands together; decoded images are kept from one to the next."""
    took = 0.0
    for file in files:
        say(f"{file.stem} by itself")
        model, data = folder / "models" / file.stem, folder / "data"
        took += _took(folder / "cache-alone", "train", file, "--data", data, "--out", model)
        out = folder / f"{file.stem}.csv"
        took += _took(folder / "cache-alone", "predict", model, data, "--split", "test", "--out", out)
    return took


def _board(files: Sequence[Path], folder: Path, jobs: int) -> float:
    say(f"all of them, {jobs} at a time")
    only = [part for file in files for part in ("--only", file)]
    given = (
        "--data",
        folder / "data",
        "--scale",
        SCALE,
        "--jobs",
        str(jobs),
        "--out",
        folder / f"board-{jobs}",
    )
    return _took(folder / f"cache-{jobs}", "systems", "reproduce", *only, *given, "--device", "cpu")


def _took(cache: Path, *words: str | Path) -> float:
    command: list[str | os.PathLike[str]] = [
        "env",
        f"RADCAP_CACHE={cache}",
        sys.executable,
        "-m",
        "radcap",
        *words,
    ]
    return measure(command).wall_s


def _compare(files: Sequence[Path], folder: Path, jobs: int) -> None:
    for file in files:
        name = file.stem.replace("-", "_", 1)
        ours, theirs = (
            _said(folder / f"board-{jobs}" / "runs" / f"{name}.csv"),
            _said(folder / f"{file.stem}.csv"),
        )
        if ours != theirs:
            raise Failed(f"{name} says other concepts on the board than by itself.")


def _said(run: Path) -> dict[str, frozenset[str]]:
    with run.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {one: frozenset(cell.split(";")) for one, cell in rows}


if __name__ == "__main__":
    print_report(report, __doc__)
