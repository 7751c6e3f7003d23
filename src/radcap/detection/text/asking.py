"""The images of a dataset, told by a vision-language model that is asked about each.

Invariant: images are decoded, shown and forgotten, a batch at a time; one that will not decode is refused and
the others are asked about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.datasets.refusal import ImageRefused, missing_image
from radcap.detection.text.told import Told
from radcap.detection.text.vlm_opening import open_processor, open_vlm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

    from radcap.datasets import Dataset, ImageRef
    from radcap.detection.text.config import Text
    from radcap.detection.text.told import Progress
    from radcap.detection.text.vlm import VisionLanguageModel
    from radcap.vision.training.devices import Place

__all__ = ["QUESTION", "Asker", "check_asker", "open_asker"]

QUESTION = (
    "Which imaging modality, which anatomy and which findings does this radiology image show?"
    " Answer with a comma-separated list of short medical terms, and with nothing else."
)
_ON_CPU, _ON_GPU = 2, 16  # images a batch
_UNREAD = "IMG109"  # the file could not be read


@dataclass(frozen=True, eq=False)
class Asker:
    """A model, and what it is asked."""

    model: VisionLanguageModel
    question: str
    tokens: int

    def tell(self, dataset: Dataset, progress: Progress = None) -> Told:
        texts: dict[str, str] = {}
        refused: dict[str, str] = {}
        for batch in self._batches(dataset, refused):
            said = self.model.ask(list(batch.values()), self.question, self.tokens)
            texts |= zip(batch, said, strict=True)
            if progress is not None:
                progress("images", len(texts) + len(refused))
        return Told(tuple(texts), tuple(texts.values()), refused)

    def _batches(self, dataset: Dataset, refused: dict[str, str]) -> Iterator[dict[str, Image]]:
        """Pictures by their ids; what cannot be shown goes to `refused`."""
        size = _ON_GPU if self.model.place.device.type == "cuda" else _ON_CPU
        batch: dict[str, Image] = {}
        for place, image in enumerate(dataset.ids):
            try:
                batch[image] = _picture(dataset.image(place))
            except ImageRefused as error:
                refused[image] = error.code
            except OSError:
                refused[image] = _UNREAD
            if len(batch) == size:
                yield batch
                batch = {}
        if batch:
            yield batch


def _picture(ref: ImageRef) -> Image:
    if not ref.key:
        raise missing_image("")
    return ref.load().convert("RGB")


def open_asker(named: str, text: Text, place: Place) -> Asker:
    """The model of a folder, with the question of the settings."""
    return Asker(open_vlm(named, place), text.prompt or QUESTION, text.tokens)


def check_asker(named: str) -> None:
    """Refuse a folder that is no vision-language model; its weights are not read."""
    open_processor(named)
