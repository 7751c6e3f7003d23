"""Put a shipped captioner together, measure it, and write its card.

    python scripts/build_captioner.py --model TRAINED --runs FOLDER --recipe recipe.json
        --out src/radcap/zoo/captions [--package NAME] [--images N]

`--model` is the folder that `radcap train` wrote; `--runs` holds runs of other captioners on the test images
(NAME.csv), which it is held against; `--recipe` tells in JSON how it was trained and what else was tried;
`--package` is for a captioner whose encoder a package brings, and is left out of the weights; `--images`
measures so many test images, drawn with a fixed seed, where all would take too long.
Invariant: test images decide nothing here; they are scored once, after everything else is fixed.
"""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from captioner.examples import examples
from captioner.measuring import measured, speed

from radcap.captioning.models import CaptionFolder, open_captioner
from radcap.datasets import load_dataset
from radcap.systems import read_system
from radcap.vision.weight_files import read_weight_file, write_weight_file

if TYPE_CHECKING:
    from radcap.captioning.system import CaptionSystem
    from radcap.datasets import Dataset

__all__ = ["main"]

_KEPT = ("labels.csv", "findings.json", "tokenizer.json")
_SOURCES = "text_sources.csv"  # articles that were read: written by hand, and kept when the rest is replaced
_SEED = 0


def main() -> None:
    asked = arguments()
    trained, folder = CaptionFolder(asked.model), CaptionFolder(asked.out)
    card = {**trained.card(), **json.loads(asked.recipe.read_text("utf-8"))}
    write_parts(trained, folder, card, package=asked.package)
    test = picked(load_dataset("radiology-open").split("test"), asked.images)
    model = open_captioner(folder.path)
    answers, card["speed"] = speed(model, test)
    others = {one.stem: read_run(one) for one in sorted(asked.runs.glob("*.csv"))}
    card |= measured(answers, test, others)
    card["examples"] = examples(answers, test)
    folder.write_card(card)
    told = {key: card[key] for key in ("test", "tests", "modality", "support", "speed")}
    print(json.dumps(told, indent=1))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("model", "runs", "recipe", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--package", action="store_true")
    parser.add_argument("--images", type=int, default=0)
    return parser.parse_args()


def write_parts(
    trained: CaptionFolder, folder: CaptionFolder, card: dict[str, object], *, package: bool
) -> None:
    """Everything but the card's figures; the card as it is makes the folder one that opens."""
    system = shipped(trained.system(), package=package)
    for old in (one for one in folder.path.glob("*") if one.name != _SOURCES):
        old.unlink()
    folder.path.mkdir(parents=True, exist_ok=True)
    folder.write_system(system)
    for name in _KEPT:
        if (trained.path / name).exists() and (name != "tokenizer.json" or system.decoder.kind != "lm"):
            shutil.copyfile(trained.path / name, folder.path / name)
    weights = read_weight_file(trained.weights)
    kept = {name: one for name, one in weights.items() if not (package and name.startswith("backbone."))}
    write_weight_file(kept, folder.weights, "fp16" if system.decoder.kind == "lm" else "int8")
    folder.write_card(card)


def shipped(system: CaptionSystem, *, package: bool) -> CaptionSystem:
    """As it ships: how captions are chosen is the catalogue's to say, and no file or device of the trainer is
    named."""
    known = read_system(system.name)
    if known.task != "captions":
        raise ValueError(f"{system.name} is no caption system")
    backbone = replace(system.backbone, weights="package") if package else system.backbone
    return replace(
        system,
        backbone=backbone,
        language=replace(system.language, text=""),
        train=replace(system.train, device="auto"),
        generate=known.generate,
        post=known.post,
    )


def picked(dataset: Dataset, images: int) -> Dataset:
    """All of them, or some that a fixed seed draws."""
    if not images or images >= len(dataset):
        return dataset
    rows = np.random.default_rng(_SEED).choice(len(dataset), images, replace=False)
    return dataset.take(sorted(rows.tolist()))


def read_run(path: Path) -> dict[str, str]:
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        return {row[0]: row[1] for row in list(csv.reader(file))[1:]}


if __name__ == "__main__":
    main()
