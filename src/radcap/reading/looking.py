"""One look at an image, for its concepts and for its caption.

Invariant: a model with its own detector looks once; batches come in the order of the dataset, and what is not
in `ids` is in `refused`.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from radcap.captioning.chats.chat_scribe import ChatModel
from radcap.captioning.models.plain_models import TemplateModel
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.refining.refined_model import RefinedModel
from radcap.core import UsageError
from radcap.detection.models.answers import Answers
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.models.network_model import NetworkModel
from radcap.vision.pictures.streaming import stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from radcap.captioning.models import Captioner, Line
    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.models import Model

__all__ = ["Look", "Readable", "looks", "readable"]

Readable: TypeAlias = WriterModel | ChatModel | TemplateModel | NetworkModel | EnsembleModel

_BATCH = 8


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A batch: what was decided of each image, its caption, and the vector it is compared by."""

    answers: Answers
    lines: tuple[Line, ...] = ()  # a detector writes none
    vectors: NDArray[np.float32] | None = None
    refused: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def ids(self) -> tuple[str, ...]:
        return self.answers.ids

    def chances(self, row: int) -> dict[Cui, float | None]:
        """The concepts that were decided for, the most probable first, with their probabilities."""
        p, labels = self.answers.probabilities, self.answers.labels
        place = {cui: number for number, cui in enumerate(labels)}
        decided = self.answers.concepts()[row]
        return {cui: None if p is None else float(p[row, place[cui]]) for cui in decided}


def readable(model: Model | Captioner, name: str) -> Readable:
    """Refuse a model that names no concepts, or looks at no image."""
    if isinstance(model, NetworkModel | EnsembleModel):
        return model
    if isinstance(model, WriterModel | ChatModel | TemplateModel) and model.eyes.detector is not None:
        return model
    if isinstance(model, RefinedModel):
        raise UsageError(
            f"{name} lets a language model have the last word, and a reading shows what each word rests on in"
            " the image. Give the captioner without it, trained with --set refine.kind=none."
        )
    raise UsageError(
        f"{name} names no concepts, and a reading begins with them. Give a detector or a captioner that has"
        " one, like zoo:captions."
    )


def looks(model: Readable, dataset: Dataset) -> Iterator[Look]:
    """The images of a dataset, a batch at a time."""
    if isinstance(model, NetworkModel):
        return _network_looks(model, dataset)
    return _asked(model, dataset) if isinstance(model, EnsembleModel) else _written_looks(model, dataset)


def _written_looks(model: WriterModel | ChatModel | TemplateModel, dataset: Dataset) -> Iterator[Look]:
    for sight in model.eyes.look(dataset):
        assert sight.answers is not None  # noqa: S101 - a model without detector is refused
        vectors = None if sight.vectors is None else sight.vectors.cpu().numpy()
        lines = tuple(model.lines(sight)) if sight.ids else ()
        yield Look(sight.answers, _told(lines, sight.answers), vectors, sight.refused)


def _told(lines: tuple[Line, ...], answers: Answers) -> tuple[Line, ...]:
    """Lines that know every concept that was decided for, and not those alone that a caption may claim."""
    p = answers.decided if answers.probabilities is None else answers.probabilities
    place = {cui: number for number, cui in enumerate(answers.labels)}
    decided = answers.concepts()
    return tuple(
        replace(one, concepts={cui: float(p[row, place[cui]]) for cui in decided[row]} | dict(one.concepts))
        for row, one in enumerate(lines)
    )


def _network_looks(model: NetworkModel, dataset: Dataset) -> Iterator[Look]:
    for shot in stream(dataset, model.view, _BATCH, threads=0):
        if not shot.ids:
            yield Look(_nothing(model), refused=shot.refused)
            continue
        logits, vectors = model.look(shot)
        seen = Answers(shot.ids, model.labels, np.zeros((len(shot.ids), len(model.labels)), np.bool_))
        yield Look(model.decided(seen, logits, vectors), (), vectors, shot.refused)


def _nothing(model: Readable) -> Answers:
    return Answers((), model.labels, np.zeros((0, len(model.labels)), np.bool_))


def _asked(model: EnsembleModel, dataset: Dataset) -> Iterator[Look]:
    for start in range(0, len(dataset), _BATCH):
        answers = model.answers(dataset[start : start + _BATCH])
        yield Look(answers, refused=answers.refused)
