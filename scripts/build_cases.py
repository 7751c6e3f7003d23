"""Build the index of training cases that ships beside the detector.

    python scripts/build_cases.py --model zoo:concepts --out src/radcap/zoo/concepts/cases

Only rows that the detector learnt from are cases: of the train split, and of a licence that its system file
allows. Vectors are kept as 64 axes of 8 bits. Invariant: the same model and data give the same files. At the
end the index is measured on the test split: the share of images whose nearest case has their modality, and
the share of the five nearest by full vectors that the index finds too.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.datasets import load_dataset
from radcap.detection.examples import learnable
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.retrieval import load_index, save_index
from radcap.explanation.rationale.case_index import case_index
from radcap.zoo.finding import find

if TYPE_CHECKING:
    from radcap.datasets import Dataset
    from radcap.detection.retrieval import NeighbourIndex, Neighbours

__all__ = ["main"]

_AXES = 64
_NEAREST = 5


def main() -> None:
    asked = arguments()
    data, model = load_dataset("radiology-open"), open_model(asked.model, "cpu")
    if not isinstance(model, NetworkModel):
        raise TypeError(f"{asked.model} is no model of one network")
    settings = ModelFolder(find(asked.model)).system().data
    full = case_index(model, learnable(data.split("train"), settings))
    save_index(full, asked.out, "int8", _AXES)
    for file in asked.out.iterdir():
        file.chmod(0o644)  # whoever installs the package reads it
    kept, test = load_index(asked.out), case_index(model, data.split("test"))
    print(json.dumps(measured(kept, full, test, data), indent=1))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="zoo:concepts")
    parser.add_argument("--out", type=Path, default=Path("src/radcap/zoo/concepts/cases"))
    return parser.parse_args()


def measured(
    kept: NeighbourIndex, full: NeighbourIndex, test: NeighbourIndex, data: Dataset
) -> dict[str, float | int]:
    """What the index that ships finds for the test images, and what is lost by rounding."""
    found, wanted = (one.search(test.vectors, _NEAREST) for one in (kept, full))
    return {
        "cases": len(kept),
        "test": len(test),
        "same_modality": same_modality(found, kept, test, data),
        "same_modality_full": same_modality(wanted, full, test, data),
        "recall_at_5": recall(found, wanted),
    }


def same_modality(found: Neighbours, index: NeighbourIndex, test: NeighbourIndex, data: Dataset) -> float:
    kinds = dict(zip(data.ids, data.column("modality").to_pylist(), strict=True))
    pairs = zip(test.ids, found.places[:, 0].tolist(), strict=True)
    return sum(kinds[image] == kinds[index.ids[place]] for image, place in pairs) / len(test)


def recall(found: Neighbours, wanted: Neighbours) -> float:
    """The share of the wanted neighbours that were found; a place of -1 is none."""
    rows = zip(found.places.tolist(), wanted.places.tolist(), strict=True)
    return sum(len((set(one) & set(other)) - {-1}) for one, other in rows) / int(wanted.there.sum())


if __name__ == "__main__":
    main()
