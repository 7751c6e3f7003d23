"""Put the shipped detector together, measure it, and write its card.

    python scripts/build_detector.py --weights F.safetensors --held S.npz --recipe recipe.json
        --others FOLDER --left-out FOLDER --out src/radcap/zoo/concepts

`--weights` is the network trained on train and valid; `--held` the logits (`valid`) of the same recipe on
train alone, on which the calibration is fitted; `--others` a folder with images.tar of figures that are no
radiology images; `--left-out` the logits of networks that were trained without one source.
`--recipe` tells in JSON how all of these networks were made, and what else was tried; it goes into the card.
Invariant: test images decide nothing here; they are scored once, after everything else is fixed.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from detector.abstaining import abstention
from detector.card import card_of
from detector.gate import build_gate
from detector.measuring import left_out, measured

from radcap.datasets import load_dataset
from radcap.detection.calibration import fit_calibration
from radcap.detection.decisions import fit_rule
from radcap.detection.examples import label_matrix, label_set, learnable
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.models.network_model import NetworkModel
from radcap.systems import read_concepts
from radcap.vision.folding import fold
from radcap.vision.network import make_network
from radcap.vision.weight_files import read_weight_file, write_weight_file

if TYPE_CHECKING:
    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptSystem

__all__ = ["main"]

_SYSTEM = "radcap/detector-concepts"


def main() -> None:
    asked = arguments()
    system, data, folder = read_concepts(_SYSTEM), load_dataset("radiology-open"), ModelFolder(asked.out)
    labels = write_parts(folder, system, data, asked.weights, asked.held)
    test = data.split("test")
    exact = open_exact(asked.weights, folder).answers(test).logits
    if exact is None:
        raise ValueError("the network has no logits")
    gate = build_gate(opened(folder), data, system.data, asked.others, folder)
    card = card_of(system, json.loads(asked.recipe.read_text()), folder, data, labels)
    card["test"] = measured(opened(folder), test, labels, exact)
    card["abstention"] = abstention(opened(folder), data)
    card["not_radiology"] = gate
    card["left_out_sources"] = left_out(asked.left_out, data, labels)
    folder.write_card(card)
    print(json.dumps({key: card[key] for key in ("test", "not_radiology", "left_out_sources")}, indent=1))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("weights", "held", "recipe", "others", "left-out", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


def write_parts(
    folder: ModelFolder, system: ConceptSystem, data: Dataset, weights: Path, held: Path
) -> tuple[str, ...]:
    """Everything but the gate and the card; a placeholder card makes the folder one that opens."""
    train, valid = learnable(data.split("train"), system.data), data.split("valid")
    labels = label_set(train, system.data)
    truth = label_matrix(valid, labels)
    logits = np.load(held)["valid"].astype(np.float32)
    calibrator = fit_calibration(system.calibration, logits, truth, labels)
    rule = fit_rule(
        system.decision, calibrator(logits), truth, labels, train_truth=label_matrix(train, labels)
    )
    folder.write_system(system)
    folder.write_labels(labels, data.names)
    folder.write_decision(calibrator, rule)
    write_weight_file(read_weight_file(weights), folder.weights, "int8")
    folder.gate.unlink(missing_ok=True)
    folder.write_card({})
    return labels


def opened(folder: ModelFolder) -> NetworkModel:
    model = open_model(folder.path, "cpu")
    if not isinstance(model, NetworkModel):
        raise TypeError(f"{folder.path} is no model of one network")
    return model


def open_exact(weights: Path, folder: ModelFolder) -> NetworkModel:
    """The network before its weights were rounded to eight bits."""
    model, system = opened(folder), folder.system()
    network = make_network(
        system.backbone, system.head, len(model.labels), size=system.image.size, weights=False
    )
    network.load_state_dict(read_weight_file(weights))
    return replace(model, network=fold(network.eval()))


if __name__ == "__main__":
    main()
