"""The words of the card: what the detector is, what it saw, what it is for and where it fails.

Invariant: figures are not written here; they are measured.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import VERSION
from radcap.detection.examples import label_matrix, learnable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.datasets import Dataset
    from radcap.detection.models import ModelFolder
    from radcap.detection.system import ConceptSystem

__all__ = ["card_of"]

_ATTRIBUTION = (
    "Trained on radiology-open (attribution of each image in its file); starts from the"
    " ImageNet weights of EfficientNet-Lite (Apache-2.0)."
)
_USE = (
    "Research: a first look at the modality, region and frequent findings of a radiology image."
    " Not for diagnosis, and not a medical device."
)
_LIMITS = [
    (
        "It cannot name optical coherence tomography (no image in its data), PET/CT, and hardly PET and"
        " scintigraphy (4 and 17 images): such an image is given another modality."
    ),
    "Organ and disease labels of most training images are per case, so about one in ten is not visible.",
    "Source and modality are correlated in its data; see left_out_sources for unseen sources.",
    "Angiography is almost only coronary angiograms of one source.",
    "Groups of the dataset are a rule, so about 2 % of cases may stand in train and in test.",
]


def card_of(
    system: ConceptSystem,
    recipe: Mapping[str, Any],
    folder: ModelFolder,
    data: Dataset,
    labels: tuple[str, ...],
) -> dict[str, Any]:
    """The card but for what is measured."""
    return {
        "name": "zoo:concepts",
        "task": "concepts",
        "radcap": VERSION,
        "licence": "CC BY 4.0; gate.safetensors CC BY-NC-SA 4.0",
        "attribution": _ATTRIBUTION,
        "labels": len(labels),
        "size_bytes": {"model.safetensors": folder.weights.stat().st_size},
        "data": _seen([learnable(data.split(one), system.data) for one in ("train", "valid")], labels),
        **recipe,
        "intended_use": _USE,
        "limits": _LIMITS,
    }


def _seen(parts: list[Dataset], labels: tuple[str, ...]) -> dict[str, Any]:
    """How many images of which source were learnt from, and a fingerprint of ids and labels."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update("\n".join(part.ids).encode())
        digest.update(np.packbits(label_matrix(part, labels)).tobytes())
    return {
        "name": "radiology-open, rows without NC or SA terms",
        "train": len(parts[0]),
        "valid": len(parts[1]),
        "sources": dict(Counter(one for part in parts for one in part.column("source").to_pylist())),
        "fingerprint": digest.hexdigest(),
    }
