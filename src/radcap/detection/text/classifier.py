"""A classifier of texts: captions, read beside their concepts, say which words mean which (VCMI 2023).

Invariant: a text without a known word scores as the shares of the labels do. What is kept are numbers and
words, never code.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch

from radcap.detection.text.features import Features
from radcap.detection.text.logistic import Bags, fit_logistic
from radcap.vision.weight_files import read_weight_file, write_weight_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.detection.models.folder import ModelFolder

__all__ = ["TextClassifier", "fit_classifier", "load_classifier", "save_classifier"]

_WORDS = "words.json"
_BATCH = 1024  # texts whose scores are made together


@dataclass(frozen=True, eq=False)
class TextClassifier:
    """Terms, and what each says for each label."""

    features: Features
    weight: torch.Tensor  # labels x terms
    offset: torch.Tensor

    @cached_property
    def turned(self) -> torch.Tensor:
        """Terms x labels."""
        return self.weight.T.contiguous()

    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Logits, texts by labels."""
        parts = [self._logits(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
        return np.concatenate([np.zeros((0, len(self.offset)), np.float32), *parts])

    @torch.inference_mode()
    def _logits(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return (Bags.of(self.features.rows(texts)) @ self.turned + self.offset).numpy()


def fit_classifier(texts: Sequence[str], truth: NDArray[np.bool_]) -> TextClassifier:
    """Learnt from texts and the labels of each."""
    features = Features.of(texts)
    return TextClassifier(features, *fit_logistic(features.rows(texts), truth))


def save_classifier(classifier: TextClassifier, folder: ModelFolder) -> None:
    """Weights and terms, beside the labels they are of."""
    tensors = {
        "weight": classifier.weight,
        "offset": classifier.offset,
        "idf": torch.from_numpy(classifier.features.weight).float(),
    }
    write_weight_file(tensors, folder.weights)
    folder.write(_WORDS, json.dumps({"terms": classifier.features.terms}, ensure_ascii=False))


def load_classifier(folder: ModelFolder, labels: int) -> TextClassifier:
    """What was kept; parts that do not fit each other are refused."""
    known = _terms(folder)
    held = read_weight_file(folder.weights)
    shapes = {name: tuple(value.shape) for name, value in held.items()}
    if shapes != {"weight": (labels, len(known)), "offset": (labels,), "idf": (len(known),)}:
        why = f"it has not a number for each of {labels:,} labels and {len(known):,} terms of {_WORDS}"
        raise folder.broken(folder.weights.name, why)
    if not all(bool(value.isfinite().all()) for value in held.values()):
        raise folder.broken(folder.weights.name, "it holds what is no number")
    return TextClassifier(Features(known, held["idf"].double().numpy()), held["weight"], held["offset"])


def _terms(folder: ModelFolder) -> tuple[str, ...]:
    told: Any = folder.read_json(_WORDS).get("terms")
    listed = cast("list[object]", told) if isinstance(told, list) else []
    known = tuple(one for one in listed if isinstance(one, str))
    if not known or len(set(known)) < len(listed):
        raise folder.broken(_WORDS, "it holds no list of different words under 'terms'")
    return known
