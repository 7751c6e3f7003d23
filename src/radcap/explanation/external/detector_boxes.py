"""Boxes of a detector on this machine, in transformers.

Invariant: one that takes words (OWL-ViT, OWLv2) is asked for the phrases themselves; any other (YOLOS, DETR)
has labels of its own, and a label stands for a phrase where all of its words are in the phrase.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from radcap.explanation.external.local_models import check_folder, opened, transformers_module
from radcap.explanation.external.provider import FoundBox
from radcap.explanation.external.regions import clipped
from radcap.explanation.external.strongest import strongest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.explanation.external.settings import ProviderSettings
    from radcap.explanation.system import ExplainSystem

__all__ = ["LabelDetector", "WordDetector", "make_detector"]

_TAKES_WORDS = ("owlvit", "owlv2")
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True, eq=False)
class WordDetector:
    """A detector that takes words."""

    processor: Any
    model: Any
    settings: ProviderSettings

    def boxes(self, picture: NDArray[np.uint8], phrases: Sequence[str]) -> list[FoundBox]:
        size = picture.shape[:2]
        given = self.processor(text=[list(phrases)], images=picture, return_tensors="pt", truncation=True)
        with torch.inference_mode():
            out = self.model(**given)
        (done,) = self.processor.post_process_grounded_object_detection(
            out, threshold=self.settings.threshold, target_sizes=[size]
        )
        named = [(phrases[int(one)],) for one in done["labels"]]
        return strongest(_found(done, named, size), self.settings.threshold, self.settings.most)


@dataclass(frozen=True, slots=True, eq=False)
class LabelDetector:
    """A detector with labels of its own."""

    processor: Any
    model: Any
    settings: ProviderSettings

    def boxes(self, picture: NDArray[np.uint8], phrases: Sequence[str]) -> list[FoundBox]:
        size = picture.shape[:2]
        with torch.inference_mode():
            out = self.model(**self.processor(images=picture, return_tensors="pt"))
        (done,) = self.processor.post_process_object_detection(
            out, threshold=self.settings.threshold, target_sizes=[size]
        )
        labels = self.model.config.id2label
        meant = {n: tuple(one for one in phrases if _names(one, label)) for n, label in labels.items()}
        named = [meant.get(int(one), ()) for one in done["labels"]]
        return strongest(_found(done, named, size), self.settings.threshold, self.settings.most)


def make_detector(system: ExplainSystem) -> WordDetector | LabelDetector:
    """The detector of the folder that the system names."""
    folder, kind = check_folder(system.provider.model, "provider")
    package = transformers_module()
    takes_words = kind in _TAKES_WORDS
    models = (
        package.AutoModelForZeroShotObjectDetection if takes_words else package.AutoModelForObjectDetection
    )
    processors = package.AutoProcessor if takes_words else package.AutoImageProcessor
    processor, model = opened(folder, processors, models)
    return (WordDetector if takes_words else LabelDetector)(processor, model, system.provider)


def _found(
    done: dict[str, Any], named: Sequence[tuple[str, ...]], size: tuple[int, ...]
) -> Iterator[FoundBox]:
    """Boxes in pixels as boxes in shares, for each phrase that one is of."""
    height, width = size
    for score, sides, phrases in zip(done["scores"].tolist(), done["boxes"].tolist(), named, strict=True):
        left, top, right, bottom = sides
        box = clipped(left / width, top / height, right / width, bottom / height)
        if box is not None:
            yield from (FoundBox(one, box, min(score, 1.0)) for one in phrases)


def _names(phrase: str, label: str) -> bool:
    """Whether all words of a label are in a phrase.

    >>> _names("effusion of the left lung", "Lung"), _names("lungs", "lung opacity")
    (True, False)
    """
    words = set(_WORD.findall(label.casefold()))
    return bool(words) and words <= set(_WORD.findall(phrase.casefold()))
