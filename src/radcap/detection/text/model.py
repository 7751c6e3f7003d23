"""A model that goes by words: something tells of an image, something reads the concepts in that.

Invariant: an image without words has no concept. A reader that only decides has no scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.models.answers import Answers, scored
from radcap.detection.text.readers import load_reader
from radcap.detection.text.tellers import open_teller

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.calibration import Calibrator
    from radcap.detection.decisions import Rule
    from radcap.detection.models.folder import ModelFolder
    from radcap.detection.text.readers import Reader
    from radcap.detection.text.told import Teller
    from radcap.vision.training.devices import Place

__all__ = ["TextModel", "open_text_model"]


@dataclass(frozen=True, eq=False)
class TextModel:
    """Who tells, who reads, and what is done to scores."""

    labels: tuple[Cui, ...]
    names: Mapping[Cui, str]
    teller: Teller
    reader: Reader
    calibrator: Calibrator | None = None
    rule: Rule | None = None

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> Answers:
        """What is read in the words for each image of a dataset."""
        told = self.teller.tell(dataset, progress)
        found, wordless = self.reader.read(told.texts), ~told.has_words
        if found.dtype == np.bool_:
            found[wordless] = False
            return Answers(told.ids, self.labels, found, refused=told.refused)
        empty = Answers(told.ids, self.labels, np.zeros(found.shape, np.bool_), refused=told.refused)
        answers = scored(empty, found, self.calibrator, self.rule)
        return replace(answers, decided=answers.decided & ~wordless[:, None])


def open_text_model(folder: ModelFolder, place: Place) -> TextModel:
    """A model folder whose system has `[text]`, ready to answer."""
    folder.check()
    system, names = folder.system(), folder.names()
    if system.text is None:
        raise folder.broken("system.toml", "it has no table [text]")
    reader = load_reader(system.text, folder, names)  # a damaged folder is told before a large model is read
    return TextModel(tuple(names), names, open_teller(system.text, place), reader, *folder.decision())
