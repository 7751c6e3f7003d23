"""What finds concepts in words, and how it is had again from a model folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from radcap.detection.text.classifier import load_classifier
from radcap.detection.text.extraction import ExtractorReader
from radcap.detection.text.parser import ListParser

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.detection.models.folder import ModelFolder
    from radcap.detection.text.config import Text

__all__ = ["Reader", "load_reader", "plain_reader"]


class Reader(Protocol):
    """From texts to labels: decisions, or logits where a rule is to decide."""

    def read(self, texts: Sequence[str]) -> NDArray[Any]: ...


def plain_reader(text: Text, names: Mapping[Cui, str]) -> Reader:
    """A reader that learns nothing."""
    if text.reader == "parser":
        return ListParser.of(names, text.cutoff)
    return ExtractorReader(text.extractor, text.options, tuple(names))


def load_reader(text: Text, folder: ModelFolder, names: Mapping[Cui, str]) -> Reader:
    """The reader of a model folder."""
    if text.reader == "classifier":
        return load_classifier(folder, len(names))
    return plain_reader(text, names)
