"""The learning rate at each step, as a function of where training stands.

Invariant: it depends on the step and on the history alone, so a resumed run has the rates of an unbroken one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.vision.settings import TrainSettings
    from radcap.vision.training.history import History

__all__ = ["rate_factor"]


def rate_factor(settings: TrainSettings, epochs_done: float, history: History) -> float:
    """What the learning rate is multiplied by, after so many epochs (with their parts)."""
    if epochs_done < settings.warmup:
        return max(epochs_done, 1e-3) / settings.warmup
    if settings.schedule == "cosine":
        span = max(settings.epochs - settings.warmup, 1e-9)
        return 0.5 * (1 + math.cos(math.pi * min((epochs_done - settings.warmup) / span, 1.0)))
    if settings.schedule == "plateau":
        return settings.factor ** history.drops(settings.patience)
    return 1.0
