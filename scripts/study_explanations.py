"""Which explanations are true to their models: all methods on all families, for docs/explainability.md.

    python scripts/study_explanations.py all WORK              the two below, side by side
    python scripts/study_explanations.py train WORK            models of every family, and their twins
    python scripts/study_explanations.py measure WORK          all figures, one JSON file for each method
    python scripts/study_explanations.py report [WORK]         the tables of the page; --write puts them there

Without WORK, or where it has no figures, `report` takes those of docs/studies/explanations.json.gz.

Models are trained on phantoms (shapes planted in radiographs of radiology-open, so that the true evidence is
known) and on radiology-open itself; zoo:concepts and zoo:captions are those that ship. Measured are test
images alone. Invariant: what is chosen is chosen by phantoms and bundled images that no model was trained on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Semaphore
from typing import Any

from explanations.measuring import OTHERS, Scene, measured, sane, scenes, twin_statements, twins
from explanations.models import COUNT, HELD_TWINS, MODELS, SHIPPED, model_at, phantoms, train_one

from radcap.core import UsageError
from radcap.datasets import Dataset, load_dataset
from radcap.explanation.methods import METHODS
from radcap.explanation.subjects.opening import Photo
from radcap.systems.predicting import opened_model

__all__ = ["main"]

_FULL = 10  # images of which everything is measured
_CHECKED = {
    "": 6,
    "integrated-gradients": 2,
    "occlusion": 2,
    "lrp": 3,
    "ablation-cam": 3,
}  # images made noise
NAMES = [name for name in (*MODELS, *SHIPPED) if not name.startswith("twin-")]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("all", "train", "train-one", "measure", "measure-one", "report"))
    parser.add_argument("work", type=Path, nargs="?", default=Path("study"))
    parser.add_argument("--name", default="")
    parser.add_argument("--method", default="")
    parser.add_argument("--images", type=int, default=30)
    parser.add_argument("--scale", type=float, default=1.0, help="part of the epochs and of the phantoms")
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seconds", type=float, default=480, help="after which no further image is begun")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    return {
        "all": _all,
        "train": _train,
        "train-one": _train_one,
        "measure": _measure,
        "measure-one": _measure_one,
        "report": _report,
    }[asked.what](asked)


def _train(asked: argparse.Namespace) -> int:
    return _scheduled(asked, [_Task("train-one", one.name, (one.after,)) for one in MODELS.values()])


def _all(asked: argparse.Namespace) -> int:
    """Everything, each part as soon as what it needs is there."""
    tasks = [_Task("train-one", one.name, (one.after,)) for one in MODELS.values()]
    tasks += [_Task("measure-one", name, (name, name.replace("phantom-", "twin-"))) for name in NAMES]
    return _scheduled(asked, tasks)


def _train_one(asked: argparse.Namespace) -> int:
    count = round(COUNT * min(1.0, asked.scale))
    train_one(MODELS[asked.name], asked.work, asked.scale, count)
    return 0


def _measure(asked: argparse.Namespace) -> int:
    return _scheduled(asked, [_Task("measure-one", name, ()) for name in NAMES])


@dataclass(frozen=True, slots=True)
class _Task:
    """A process of its own, begun when the models it needs are trained."""

    what: str
    name: str
    needs: tuple[str, ...]


def _scheduled(asked: argparse.Namespace, tasks: list[_Task]) -> int:
    """So many at a time."""
    trained = {one.name: Event() for one in tasks if one.what == "train-one"}
    free, ends = Semaphore(asked.jobs), time.monotonic() + asked.seconds

    def run(task: _Task) -> int:
        for need in task.needs:
            if need in trained:
                trained[need].wait()
        with free:
            left = max(10.0, ends - time.monotonic())
            code = _process(asked, task, left)
        if task.what == "train-one":
            trained[task.name].set()
        return code

    with ThreadPoolExecutor(len(tasks)) as pool:
        return max(pool.map(run, tasks))


def _process(asked: argparse.Namespace, task: _Task, seconds: float) -> int:
    given = ["--name", task.name, "--images", str(asked.images), "--scale", str(asked.scale)]
    given += ["--device", asked.device, "--seconds", str(seconds)]
    began = time.monotonic()
    command = [sys.executable, __file__, task.what, str(asked.work), *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    last = (done.stderr.strip().splitlines() or [""])[-1]
    took = f"{time.monotonic() - began:.0f} s"
    print(f"{task.what} {task.name}: {done.returncode} in {took} {last[:200]}", flush=True)
    return done.returncode


def _measure_one(asked: argparse.Namespace) -> int:
    """All methods on one model, each in its part of the time."""
    import torch

    torch.set_num_threads(1)
    ends, phantom = time.monotonic() + asked.seconds, asked.name.startswith("phantom-")
    known = phantoms(round(COUNT * min(1.0, asked.scale))) if phantom else None
    data = (known.dataset if known is not None else load_dataset("radiology-open")).split("test")
    data = data if phantom else data[::7]
    model = opened_model(model_at(asked.work, asked.name), asked.device)
    shown = list(scenes(model, data, known, asked.images, 2 if phantom else 3))
    methods = [asked.method] if asked.method else [*METHODS.table, *OTHERS]
    for number, method in enumerate(methods):
        part = (ends - time.monotonic()) / (len(methods) - number)
        told = _figures(asked, method, shown, data, time.monotonic() + part)
        out = asked.work / "figures" / f"{asked.name}--{method.replace(' ', '-')}.json"
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(told), encoding="utf-8")
    return 0


def _figures(
    asked: argparse.Namespace,
    method: str,
    shown: list[Scene],
    data: Dataset,
    ends: float,
) -> dict[str, Any]:
    """Of one method, with the reason where it does not serve the model."""
    told: dict[str, Any] = {"model": asked.name, "method": method, "rows": [], "why": ""}
    try:
        if method not in OTHERS:
            told["sanity"] = sane(method, shown[: _CHECKED.get(method, _CHECKED[""])])
            phantom = asked.name.startswith("phantom-")
            told["twins"] = _twins(asked, method, shown[:8], data) if phantom else []
        for number, scene in enumerate(shown):
            if time.monotonic() < ends:
                told["rows"] += measured(method, scene, full=number < _FULL)
    except UsageError as error:
        told["why"] = str(error)
    return told


def _twins(asked: argparse.Namespace, method: str, shown: list[Scene], data: Dataset) -> list[float]:
    family = asked.name.removeprefix("phantom-")
    if family not in HELD_TWINS:
        return []
    model = opened_model(str(asked.work / f"twin-{family}"), asked.device)
    place = {image: number for number, image in enumerate(data.ids)}
    others = {
        one.image: twin_statements(model, one, Photo.of(one.image, data.image(place[one.image]), 0))
        for one in shown
    }
    return twins(method, shown, others)


def _report(asked: argparse.Namespace) -> int:
    from explanations.reporting import write_report

    print(write_report(asked.work / "figures", write=asked.write))
    return 0


if __name__ == "__main__":
    sys.exit(main())
