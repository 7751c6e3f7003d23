"""A captioner that is told the concepts of its images, in the place of what its detector says of them.

Invariant: nothing but the detector's answers changes: eyes, writer and neighbours stay as they are. Of an
image that nobody names nothing is told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from radcap.captioning.models.eyes import Eyes
from radcap.core import Cui, ImageId

if TYPE_CHECKING:
    import torch

    from radcap.detection.models.answers import Answers

__all__ = ["ToldEyes", "with_told"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class ToldEyes(Eyes):
    """What is told of an image is certain; a concept that the detector does not know cannot be told."""

    told: Mapping[ImageId, Collection[Cui]] = field(default_factory=dict[ImageId, Collection[Cui]])

    def _answers(self, ids: tuple[str, ...], logits: torch.Tensor, vectors: torch.Tensor) -> Answers:
        seen = super()._answers(ids, logits, vectors)
        decided = np.array([[cui in self.told.get(one, ()) for cui in seen.labels] for one in ids], np.bool_)
        decided = decided.reshape(seen.decided.shape)  # also where there is no image
        return replace(seen, decided=decided, probabilities=decided.astype(np.float32))


def with_told(model: T, told: Mapping[ImageId, Collection[Cui]]) -> T:
    """The same captioner, all its members too, told the concepts of each image."""
    return cast("T", _told(model, told))


def _told(value: object, told: Mapping[ImageId, Collection[Cui]]) -> object:
    """The value with all eyes inside of it replaced; itself where there are none."""
    if isinstance(value, Eyes):
        return ToldEyes(**{one.name: getattr(value, one.name) for one in fields(Eyes)}, told=told)
    if isinstance(value, Mapping):
        held = cast("Mapping[object, object]", value)
        changes = _changes(held, told)
        return {**held, **changes} if changes else held
    if isinstance(value, tuple):
        parts = cast("tuple[object, ...]", value)
        changes = _changes(dict(enumerate(parts)), told)
        return tuple(changes.get(place, one) for place, one in enumerate(parts)) if changes else parts
    if is_dataclass(value) and not isinstance(value, type):
        changes = _changes({one.name: getattr(value, one.name) for one in fields(value) if one.init}, told)
        return replace(cast("Any", value), **changes) if changes else value
    return value


def _changes(parts: Mapping[Any, object], told: Mapping[ImageId, Collection[Cui]]) -> dict[Any, object]:
    """The parts that hold eyes, with those replaced."""
    made = {key: _told(one, told) for key, one in parts.items()}
    return {key: one for key, one in made.items() if one is not parts[key]}
