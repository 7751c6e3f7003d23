"""Reading: the wait for one image against `import torch`, and images a second against the bare networks.

Invariant: the captions of the bare networks and of the reader are the same. Otherwise there is no table.

    python benchmarks/bench_read.py [--quick]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from settings import FULL, print_report, say
from stopwatch import Failed, measure, warm_up
from tables import Goal, goal_table, often, seconds, table

if TYPE_CHECKING:
    from settings import Settings
    from stopwatch import Measured

__all__ = ["report"]

WAYS = Path(__file__).parent / "read_ways.py"
TORCH = (sys.executable, "-c", "import torch")
EXAMPLE = """
import sys
from radcap.datasets import load_dataset
open(sys.argv[1], "wb").write(load_dataset("radiology-open", split="test")[0].image.bytes)
"""

WRITE = (
    """exec "$0" "$1" "$2" "$3" "$4" --out "$(mktemp -d -p "$5")/out" """  # a folder that is not there yet
)

COLD = """## Reading

One image by whole processes, after one that filled the caches; each ran {often}, the median counts. The
command opens the models and prints concepts, caption and nearest cases; with a folder to write to it makes
the maps and the page as well.
"""
WARM = """`zoo:captions` on images of radiology-open, {threads} threads, {often}, the median counts. The bare
networks are the detector's over squares that are decoded already and the beam search of the writer over its
features; the reader decodes, looks, decides, writes and finds the nearest cases. The captions of both are
the same.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where two ways disagree."""
    judged = settings == FULL
    times = min(settings.times, 5)
    cold = _cold(times)
    told = _warm(min(times, 3), quick=not judged)
    torch, read = cold["`import torch`"], cold["`radcap read IMAGE`"]
    rows = [
        (name, seconds(one.wall_s), f"{one.wall_s / torch.wall_s:.2f}", f"{one.peak_mib:,.0f}")
        for name, one in cold.items()
    ]
    n, mapped = told["images"], told["mapped_images"]
    speeds = [
        ("bare networks", str(n), f"{n / told['bare']:.1f}"),
        ("readings without maps", str(n), f"{n / told['radcap']:.1f}"),
        ("readings with maps", str(mapped), f"{mapped / told['mapped']:.2f}"),
    ]
    goals = [
        Goal("cold reading against `import torch`", read.wall_s / torch.wall_s, 3, "x"),
        Goal("memory of a cold reading", read.peak_mib / 1024, 1.2, "GB"),
        Goal("time of a reading against the bare networks", told["radcap"] / told["bare"], 1.3, "x"),
        Goal("readings with maps", mapped / told["mapped"], 1, "images a second", at_least=True),
    ]
    parts = [
        COLD.format(often=often(times)),
        table(("", "Wall, s", "against `import torch`", "Memory, MiB"), rows),
        WARM.format(threads=told["threads"], often=often(min(times, 3))),
        table(("Way", "Images", "Images a second"), speeds),
        goal_table(goals, judged=judged),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _cold(times: int) -> dict[str, Measured]:
    warm_up()
    say(f"one image by whole processes, {often(times)} each")
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image.webp"
        subprocess.run([sys.executable, "-c", EXAMPLE, str(image)], check=True)
        read = (sys.executable, "-m", "radcap", "read", str(image))
        ways = {
            "`import torch`": TORCH,
            "`radcap read IMAGE`": read,
            "`radcap read IMAGE --out DIR`": ("bash", "-c", WRITE, *read, folder),
        }
        for command in ways.values():
            measure(command)
        return {name: measure(command, times=times) for name, command in ways.items()}


def _warm(times: int, *, quick: bool) -> dict[str, float]:
    images, mapped = (8, 1) if quick else (200, 24)
    say(f"{images} images by the reader and by the bare networks")
    command = [sys.executable, str(WAYS), "--images", str(images), "--mapped", str(mapped)]
    done = subprocess.run([*command, "--times", str(times)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"read_ways.py ended with {done.returncode}: {done.stderr[-500:]}")
    told = json.loads(done.stdout)
    if not told["same"]:
        raise Failed("The reader's captions are not those of the bare networks.")
    return told


if __name__ == "__main__":
    print_report(report, __doc__)
