"""Fit the gate of a detector anew, and write what its card says about it.

    python scripts/fit_gate.py --model src/radcap/zoo/concepts --others FOLDER [--photographs FOLDER]

`--others` is a folder with images.tar of figures that are no radiology images. The radiology images are those
of radiology-open. Photographs are looked at when all is fixed, and named with their probabilities.
Invariant: nothing of the model changes but gate.safetensors and its part of the card.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from detector.gate import build_gate
from detector.gate_vectors import photograph_vectors

from radcap.datasets import load_dataset
from radcap.detection.calibration.platt import sigmoid
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.models.network_model import NetworkModel

__all__ = ["main"]

FORMS = ("colour", "grey")


def main() -> None:
    asked = arguments()
    folder = ModelFolder(asked.model)
    settings = folder.system().data
    told = build_gate(opened(folder), load_dataset("radiology-open"), settings, asked.others, folder)
    if asked.photographs is not None:
        told["photographs"] = photographs(opened(folder), asked.photographs)
    folder.write_card({**folder.card(), "not_radiology": told})
    print(json.dumps(told, indent=1))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("model", "others"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--photographs", type=Path)
    return parser.parse_args()


def opened(folder: ModelFolder) -> NetworkModel:
    model = open_model(folder.path, "cpu")
    if not isinstance(model, NetworkModel):
        raise TypeError(f"{folder.path} is no model of one network")
    return model


def photographs(model: NetworkModel, folder: Path) -> dict[str, dict[str, float]]:
    """The probability of each photograph that it is a radiology image, in colour and in grey."""
    if model.gate is None:
        raise ValueError("the model has no gate")
    weight, bias = model.gate
    return {
        name: {
            form: round(float(sigmoid(one @ weight.numpy() + bias)), 3)
            for form, one in zip(FORMS, seen, strict=True)
        }
        for name, seen in photograph_vectors(model, folder).items()
    }


if __name__ == "__main__":
    main()
