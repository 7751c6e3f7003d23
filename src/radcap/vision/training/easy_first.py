"""Training in two parts: warm epochs with every label, then labels from easy to hard.

Invariant: each part is a training of its own, with its own rates and its own checkpoints; what stands between
them is told from the weights of the first alone. So a kill in either costs what it costs any training.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from radcap.vision.losses.curriculum import label_difficulty
from radcap.vision.training.loop import Trained
from radcap.vision.training.predicting import predicted

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from radcap.vision.losses import Loss
    from radcap.vision.losses.curriculum import CurriculumLoss
    from radcap.vision.settings import TrainSettings
    from radcap.vision.training.devices import Place
    from radcap.vision.training.feeds import Feed

__all__ = ["Phase", "difficulty_of", "fit_easy_first"]

_SEEDS = 2**32
_OTHER_LOTS = 104_729  # the second part shall not repeat the order and the views of the first


class Phase(Protocol):
    """A training of the same network with a loss and settings, under a name, after so many epochs."""

    def __call__(self, loss: Loss, settings: TrainSettings, name: str, before: int) -> Trained: ...


def fit_easy_first(
    phase: Phase, loss: CurriculumLoss, settings: TrainSettings, difficulty: Callable[[], torch.Tensor]
) -> Trained:
    """Both parts, as one history; all epochs are warm where there are no more than those."""
    warm = loss.settings.warm
    if settings.epochs <= warm:
        return phase(loss, settings, "", 0)
    first = phase(loss, replace(settings, epochs=warm, keep="last", early_stop=0), "-warm", 0)
    if first.stopped == "no number":
        return first
    rest = settings.epochs - warm
    after = replace(settings, epochs=rest, seed=(settings.seed + _OTHER_LOTS) % _SEEDS)
    return _joined(first, phase(loss.knowing(difficulty(), rest), after, "", warm))


def difficulty_of(
    answer: Callable[[torch.Tensor], torch.Tensor], learnt: Feed, held: Feed | None, place: Place
) -> torch.Tensor:
    """How hard labels are on what is held out, or on what was learnt; the same in every process."""
    judged = learnt if held is None else held
    logits = predicted(answer, judged, place)
    return place.mean(label_difficulty(logits, judged.labels, learnt.labels))


def _joined(first: Trained, then: Trained) -> Trained:
    before = len(first.history.rows)
    rows = tuple(replace(row, epoch=row.epoch + before) for row in then.history.rows)
    history = replace(then.history, rows=(*first.history.rows, *rows))
    return Trained(history, then.epoch + before, then.stopped)
