"""Explanations: maps beside the packages of others, and the whole command `radcap explain`.

Invariant: radcap's maps are those of the packages, value by value. Otherwise there is no table.

    python benchmarks/bench_explanations.py [--quick]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from settings import FULL, print_report, say
from stopwatch import Failed, measure
from tables import Goal, goal_table, often, ratio, seconds, table

if TYPE_CHECKING:
    from settings import Settings
    from stopwatch import Measured

__all__ = ["report"]

WAYS = Path(__file__).parent / "explanation_ways.py"
FASTER = 3  # wanted of Grad-CAM, against the package as it is documented
LIMIT_S = 60  # wanted of 16 images on two cores
GAP = 1e-3  # of maps from 0 to 1, and of losses of logits
PARTS = {
    "opening": "opening the model",
    "answers": "its answers",
    "maps": "maps",
    "faithfulness": "faithfulness of the maps, quick",
    "sanity": "sanity check of the method",
    "rest": "decoding, boxes, nearest cases, rationale",
    "files": "figures, maps, page",
}

TEXT = """## Explanations

Grad-CAM for labels of `zoo:concepts` (EfficientNet-Lite2, 260 pixels) on images of the test split of
radiology-open, {threads} threads, with {versions}; load {load:.2f} at the start. radcap ran {often}, the
median counts; the package ran once.
The grad-cam package looks at the image and goes back through the whole network for each target; given the
image once for each target as a batch, it does so for all of them together. radcap looks once and goes back to
the feature map alone, for all targets at once. Images are decoded before; maps are brought to 260 pixels and
to 0 to 1 by all ways. The largest difference of any value is {gap:.1e}.
"""
OCCLUSION = """### Occlusion

What each score loses under {covers} covers of the image: {images} images, {maps} maps, once. captum looks
anew for every target, radcap once for all of them; both look at 8 covered images at a time. The largest
difference of a loss is {gap:.1e}.
"""
COMMAND = """### The whole command

`radcap explain MODEL radiology-open --split test --pick {explained}`, once, from the start of the process to
figures and page: with the default method, quick faithfulness and nearest cases.
"""
INSIDE = "Its parts in seconds, measured inside another process; the rest is the start of Python:"


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where maps are not those of the packages."""
    full = settings == FULL
    images, occluded, explained = (24, 4, 16) if full else (2, 1, 1)
    load = os.getloadavg()[0]
    times = min(settings.times, 3)
    told = measured(images, occluded, explained, times)
    whole = {name: explained_by(name, explained) for name in told["parts"]}
    return tables({**told, "times": times, "load": load, "explained": explained}, whole, judged=full)


def measured(images: int, occluded: int, explained: int, times: int) -> dict[str, Any]:
    """What the ways came to."""
    say(f"explanation_ways, {images} images, {often(times)}")
    sizes = {"images": images, "occluded": occluded, "explained": explained, "times": times}
    words = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    done = subprocess.run([sys.executable, str(WAYS), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"explanation_ways.py ended with {done.returncode}: {done.stderr[-2000:]}")
    told = json.loads(done.stdout.splitlines()[-1])
    for name in ("decided", "likely", "occlusion"):
        if not told[name]["gap"] <= GAP:  # what is no number is no agreement
            raise Failed(f"{name}: a map differs from that of the package by {told[name]['gap']:.3g}.")
    return told


def explained_by(model: str, images: int) -> Measured:
    """The whole command, once."""
    say(f"radcap explain {model}, {images} images")
    with tempfile.TemporaryDirectory() as folder:
        words = ["radiology-open", "--split", "test", "--pick", str(images), "--device", "cpu"]
        command = [sys.executable, "-m", "radcap", "explain", model, *words, "--out", f"{folder}/explained"]
        return measure(command)


def tables(told: dict[str, Any], whole: dict[str, Measured], *, judged: bool) -> str:
    """All of it as Markdown."""
    facts = {
        **{key: told[key] for key in ("threads", "load", "explained")},
        "often": often(told["times"]),
        "versions": ", ".join(f"{name} {one}" for name, one in told["versions"].items()),
        "gap": max(told[name]["gap"] for name in ("decided", "likely")),
    }
    parts = [
        TEXT.format(**facts),
        _cams("labels that are decided", told["decided"]),
        _cams("labels of p >= 0.05", told["likely"]),
        OCCLUSION.format(**told["occlusion"]),
        _occlusion(told["occlusion"]),
        COMMAND.format(**facts),
        _commands(whole, told["explained"]),
        INSIDE,
        _inside(told["parts"]),
        goal_table(_goals(told, whole), judged=judged),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _cams(what: str, told: dict[str, Any]) -> str:
    names = {
        "one": "grad-cam, a target at a time",
        "batch": "grad-cam, targets as a batch",
        "radcap": "radcap",
    }
    took, images = told["seconds"], told["images"]
    rows = [
        (*row[:3], f"{images / took[way]['wall']:.1f}", *row[3:])
        for way, row in ((way, _row(name, told, way)) for way, name in names.items())
    ]
    header = (f"{images} images, {told['maps']} {what}", "Wall, s", "CPU, s", "images/s", *_RATES)
    return table(header, rows)


def _occlusion(told: dict[str, Any]) -> str:
    return table(
        ("Occlusion", "Wall, s", "CPU, s", *_RATES), [_row(one, told, one) for one in told["seconds"]]
    )


_RATES = ("maps/s", "radcap is faster by, wall", "CPU")


def _row(name: str, told: dict[str, Any], way: str) -> tuple[str, ...]:
    took, ours = told["seconds"][way], told["seconds"]["radcap"]
    faster = ["" if way == "radcap" else ratio(took[unit] / ours[unit]) for unit in ("wall", "cpu")]
    return name, seconds(took["wall"]), seconds(took["cpu"]), f"{told['maps'] / took['wall']:.1f}", *faster


def _commands(whole: dict[str, Measured], images: int) -> str:
    rows = [
        (
            f"`{name}`",
            seconds(one.wall_s),
            seconds(one.cpu_s),
            f"{one.wall_s / images:.1f}",
            f"{one.peak_mib:,.0f}",
        )
        for name, one in whole.items()
    ]
    return table((f"{images} images", "Wall, s", "CPU, s", "s an image", "Peak, MiB"), rows)


def _inside(told: dict[str, dict[str, float]]) -> str:
    rows = [(text, *(seconds(one[part]) for one in told.values())) for part, text in PARTS.items()]
    return table(("Part", *(f"`{name}`" for name in told)), rows)


def _goals(told: dict[str, Any], whole: dict[str, Measured]) -> list[Goal]:
    faster = [
        Goal(
            f"Grad-CAM, {what}", took["one"]["wall"] / took["radcap"]["wall"], FASTER, "times", at_least=True
        )
        for what, took in (
            ("labels that are decided", told["decided"]["seconds"]),
            ("labels of p >= 0.05", told["likely"]["seconds"]),
        )
    ]
    waits = [
        Goal(f"`radcap explain {name}`, {told['explained']} images", one.wall_s, LIMIT_S, "s")
        for name, one in whole.items()
    ]
    return [*faster, *waits]


if __name__ == "__main__":
    print_report(report, __doc__)
