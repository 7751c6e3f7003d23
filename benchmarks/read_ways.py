"""Seconds of a reading over images of the bundled set, by several ways in one process.

    python benchmarks/read_ways.py --images 200 --mapped 24 --times 3

Prints one JSON value. `bare` is the networks alone: the detector's over squares that lie in memory, then the
writer's beams over its features; `radcap` is `radcap.open_reader` from files to readings without maps, with
decisions, the check that it is a radiology image, and the nearest cases; `mapped` is the same with maps.
Invariant: the captions of both ways are the same.
"""

from __future__ import annotations

import argparse
import json
import time
from statistics import median
from typing import TYPE_CHECKING, Any

import torch

import radcap
from radcap.datasets import load_dataset
from radcap.reading.values import Reading
from radcap.vision.pictures.streaming import stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.captioning.models.scribe import Page
    from radcap.vision.pictures.streaming import Shot

BATCH = 8  # of the reader


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=200)
    parser.add_argument("--mapped", type=int, default=24)
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    data = load_dataset("radiology-open", split="test")[: asked.images]
    plain, mapping = radcap.open_reader(maps=False, anyway=True), radcap.open_reader(anyway=True)
    model: Any = plain.model
    shots = list(stream(data, model.eyes.view, BATCH))
    pages = [model.page(sight) for sight in model.eyes.look(data)]
    ways: dict[str, Callable[[], list[str]]] = {
        "bare": lambda: bare(model, shots, pages),
        "radcap": lambda: [one.caption for one in plain(data) if isinstance(one, Reading)],
        "mapped": lambda: [one.caption for one in mapping(data[: asked.mapped]) if isinstance(one, Reading)],
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, list[str]] = {}
    for _ in range(asked.times):
        for name, way in ways.items():
            started = time.perf_counter()
            found[name] = way()
            seconds[name].append(time.perf_counter() - started)
    told = {name: median(values) for name, values in seconds.items()}
    counts = {"images": len(found["bare"]), "mapped_images": len(found["mapped"])}
    same = found["bare"] == found["radcap"]
    print(json.dumps({**told, **counts, "same": same, "threads": torch.get_num_threads()}))


@torch.inference_mode()
def bare(model: Any, shots: list[Shot], pages: list[Page]) -> list[str]:  # noqa: ANN401
    """The networks over batches that are ready."""
    network, captions = model.eyes.detector.network, list[str]()
    for shot, page in zip(shots, pages, strict=True):
        features = network.backbone(model.eyes.view(shot.squares, shot.boxes))
        network.head(features)
        captions += [line.caption for line in model.scribe.lines(page)]
    return captions


if __name__ == "__main__":
    main()
