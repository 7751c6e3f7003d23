"""Training on a GPU at the size of the 2025 training set: the whole command, beside a plain loop.

Invariant: `radcap train` is measured as a user types it, from the start of the process to the model folder;
the first run decodes and compiles, the second finds both done.

    python benchmarks/bench_training.py [--quick | --write] [--folder FOLDER]

Without a GPU only --quick runs: it shows that everything works and measures nothing of use. `make bench`
leaves this one out, since it needs a GPU.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from page import write_between
from settings import settings_parser
from stopwatch import Failed
from tables import Goal, goal_table, seconds, table

__all__ = ["FULL", "QUICK", "Size", "report"]

WAYS = Path(__file__).parent / "training_ways.py"
BEGIN, END = "<!-- benchmarks/bench_training.py writes from here -->", "<!-- to here, on a GPU -->"


@dataclass(frozen=True, slots=True)
class Size:
    """How much is trained."""

    images: int
    epochs: int
    batch: int
    pixels: int
    batches: int  # of the plain loop and of looking
    compiled: bool


FULL = Size(80_091, 20, 256, 224, 60, compiled=True)
QUICK = Size(24, 2, 8, 32, 1, compiled=False)
SYSTEM = """name = "speed"
task = "concepts"

[image]
size = {pixels}
load = 1.25
fit = "squash"

[image.augment]
flip_horizontal = 0.5
flip_vertical = 0.5

[backbone]
name = "efficientnet_b0"

[head]
drop = 0.2

[loss]
name = "soft-margin"

[train]
epochs = {epochs}
batch = {batch}
optimiser = "adam"
lr = 1e-3
schedule = "constant"
keep = "last"
compile = {compiled}
"""
TEXT = """{images:,} images of the synthetic generator (JPEG, 280 pixels, 884 concepts), EfficientNet-B0 at
{pixels} pixels, batches of {batch}, bfloat16, {epochs} epochs, on {device} with {cores} cores. `radcap train`
is the whole command, from the start of the process to the model folder; a later run finds the pictures
decoded and the network compiled. The plain loop is a DataLoader with a worker for each core, measured over
{batches} batches and continued to all epochs. Speed is that of the median epoch.
"""


def report(size: Size, data: Path, folder: Path, *, judged: bool) -> str:
    """The measurement as Markdown; `folder` is empty, `data` may hold the images already."""
    if not (data / "train_concepts.csv").exists():
        _way("draw", data, "--images", str(size.images))
    os.environ["RADCAP_CACHE"] = str(folder / "cache")
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "compiled")
    system = folder / "speed.toml"
    compiled = str(size.compiled).lower()
    system.write_text(
        SYSTEM.format(pixels=size.pixels, epochs=size.epochs, batch=size.batch, compiled=compiled),
        encoding="utf-8",
    )
    first, later = (_trained(system, data, folder / name) for name in ("first", "later"))
    looked = _way("look", data, str(folder / "later"), "--batches", str(size.batches))
    plain = _way("plain", data, "--batch", str(size.batch), "--batches", str(size.batches))["images_per_s"]
    whole = size.images * size.epochs
    rows = [
        ("plain loop", f"{plain:,.0f}", "", seconds(whole / plain), ""),
        *(
            (
                name,
                f"{one.speed:,.0f}",
                seconds(one.begun),
                seconds(one.wall),
                f"{whole / plain / one.wall:.1f}x",
            )
            for name, one in (("`radcap train`, first", first), ("`radcap train`, later", later))
        ),
    ]
    header = (
        "Way",
        "images/s",
        "until the first epoch's end, s",
        f"{size.epochs} epochs, s",
        "against the loop",
    )
    looks = [(name, f"{speed:,.0f}") for name, speed in looked["images_per_s"].items()]
    goals = [
        Goal("images a second in training", later.speed, 7_000, "", at_least=True),
        Goal(f"{size.epochs} epochs, first run", first.wall, 270, "s"),
        Goal(f"{size.epochs} epochs, later run", later.wall, 270, "s"),
        Goal("images a second in looking", max(looked["images_per_s"].values()), 20_000, "", at_least=True),
    ]
    text = TEXT.format(
        images=size.images,
        pixels=size.pixels,
        batch=size.batch,
        epochs=size.epochs,
        device=_device(),
        cores=len(os.sched_getaffinity(0)),
        batches=size.batches,
    )
    heading = (
        f"The trained network over decoded pictures, batches of {looked['batch']:,}; the largest difference"
    )
    heading += f" of a logit is {looked['gap']:.2g}:"
    parts = [
        text,
        table(header, rows),
        heading,
        table(("Network", "images/s"), looks),
        goal_table(goals, judged=judged),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


@dataclass(frozen=True, slots=True)
class Run:
    """A training as a user waits for it."""

    wall: float
    begun: float  # until the first epoch was over
    speed: float  # images a second of the median epoch


def _trained(system: Path, data: Path, out: Path) -> Run:
    command = [sys.executable, "-m", "radcap", "train", system, "--data", data, "--out", out]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - started
    if done.returncode:
        raise Failed(f"radcap train ended with {done.returncode}: {done.stderr[-2000:]}")
    with (out / "log.csv").open(encoding="utf-8") as file:
        epochs = list(csv.DictReader(file))
    after = sum(float(row["seconds"]) for row in epochs[1:])
    return Run(wall, wall - after, median(float(row["images_per_s"]) for row in epochs))


def _way(way: str, *words: str | Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(WAYS), way, *map(str, words)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Failed(f"training_ways.py {way} ended with {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _device() -> str:
    code = "import torch; print(torch.cuda.get_device_name() if torch.cuda.is_available() else 'no GPU')"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> None:
    parser = settings_parser(__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    parser.add_argument("--folder", type=Path, help="draw the images here, or use those drawn here before")
    asked = parser.parse_args()
    if asked.quick and asked.write:
        parser.error("--write takes a full run only: figures of small sizes would mislead")
    if not asked.quick and _device() == "no GPU":
        sys.exit("FAILED: there is no GPU here. --quick shows that everything runs.")
    if asked.folder is not None:
        asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=asked.folder) as temporary:
        folder = Path(temporary)
        data = (asked.folder or folder) / "data"
        try:
            text = report(QUICK if asked.quick else FULL, data, folder, judged=not asked.quick)
        except Failed as failure:
            sys.exit(f"FAILED: {failure}")
    print(text)
    if asked.write:
        write_between(BEGIN, END, text)


if __name__ == "__main__":
    main()
