"""Where words come from: the dataset's own captions, a captioner, or a vision-language model.

Invariant: a source that is not there is refused before anything is trained. Captioning lies above detection,
so a captioner is reached by its dotted name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.core import Missing, UsageError
from radcap.core.counts import counted
from radcap.core.dotted import load_dotted
from radcap.datasets.caption_parts import source_named
from radcap.detection.text.told import Told
from radcap.zoo import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.datasets import Dataset
    from radcap.detection.text.config import Text
    from radcap.detection.text.told import Progress, Teller
    from radcap.vision.training.devices import Place

__all__ = ["DATASET", "VLM", "CaptionTeller", "Captions", "check_teller", "open_teller", "settled"]

DATASET, VLM = "dataset", "vlm:"
_ANY = "any"
_OPENER = "radcap.captioning.models:open_captioner"


@dataclass(frozen=True, slots=True)
class Captions:
    """The captions that a dataset has: the first of each image, or the first of one source."""

    source: str = _ANY

    def __post_init__(self) -> None:
        if self.source != _ANY:
            source_named(self.source)  # refuses one that is none

    def tell(self, dataset: Dataset, progress: Progress = None) -> Told:
        cells: list[Sequence[Mapping[str, str]]] = dataset.column("captions").to_pylist()
        if progress is not None:
            progress("images", len(cells))
        return Told(tuple(dataset.ids), tuple(map(self._chosen, cells)))

    def _chosen(self, cell: Sequence[Mapping[str, str]]) -> str:
        return next((one["text"] for one in cell if self.source in {_ANY, one["source"]}), "")

    def check(self, dataset: Dataset, split: str) -> None:
        """Refuse images of which none has a caption to read."""
        if not self.tell(dataset).has_words.any():
            whose = "" if self.source == _ANY else f" of the source {self.source!r}"
            raise UsageError(
                f"None of {counted(len(dataset))} of the split {split!r} of {dataset.name} has a"
                f" caption{whose}. Give a dataset with captions, or write other [text] words and captions."
            )


@dataclass(frozen=True, slots=True, eq=False)
class CaptionTeller:
    """A captioner of ours, whose captions are the words."""

    captioner: Any

    def tell(self, dataset: Dataset, progress: Progress = None) -> Told:
        told = self.captioner.answers(dataset, progress)
        return Told(told.ids, tuple(one.caption for one in told.lines), told.refused)


def open_teller(text: Text, place: Place) -> Teller:
    """What tells, ready to be asked."""
    if text.words == DATASET:
        return Captions(text.captions)
    if text.words.startswith(VLM):
        from radcap.detection.text.asking import open_asker

        return open_asker(text.words.removeprefix(VLM), text, place)
    try:
        return CaptionTeller(load_dotted(_OPENER)(text.words, str(place.device)))
    except ModuleNotFoundError as error:
        raise Missing(str(error.name), "A captioner needs it.", "Run: pip install 'radcap[read]'") from error


def check_teller(text: Text, place: Place) -> None:
    """Refuse words that cannot be had; the weights of a large model are not read for that."""
    if text.words.startswith(VLM):
        from radcap.detection.text.asking import check_asker

        check_asker(text.words.removeprefix(VLM))
    else:
        open_teller(text, place)


def settled(words: str) -> str:
    """The same source from wherever a model is opened: a path from the root.

    >>> settled("dataset"), settled("zoo:captions"), settled("vlm:/models/one")
    ('dataset', 'zoo:captions', 'vlm:/models/one')
    """
    if words in {DATASET, VLM} or words.startswith(PREFIX):
        return words
    kind = VLM if words.startswith(VLM) else ""
    return f"{kind}{Path(words.removeprefix(VLM)).absolute()}"
