"""A training is known again by its settings and its data.

Invariant: where it runs says nothing of what is learnt, so another device may go on with it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from radcap.core.tables import to_plain

if TYPE_CHECKING:
    from radcap.vision.settings import TrainSettings

__all__ = ["Trainable", "training_fingerprint"]


class Trainable(Protocol):
    """A frozen value of settings, those of its training among them."""

    @property
    def train(self) -> TrainSettings: ...


def training_fingerprint(model: Trainable, data: str) -> str:
    """Of settings, and of data by their own fingerprint."""
    settings: Any = model
    here = replace(settings, train=replace(model.train, device="auto", pixels="auto"))
    return hashlib.sha256(f"{json.dumps(to_plain(here), sort_keys=True)}\n{data}".encode()).hexdigest()
