"""The training loop.

Invariant: an epoch depends on the state before it and on (seed, epoch) alone; so training that was killed and
goes on from its last checkpoint ends with the weights it would have had. A loss or a weight that is no
number ends it with the last good epoch.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from radcap.core import UsageError, counted
from radcap.vision.losses import InnerLoss
from radcap.vision.training.history import EpochRow, History
from radcap.vision.training.learner import Learner, put_weights, weights_of
from radcap.vision.training.lessons import LabelExam, LabelLesson
from radcap.vision.training.state import pack, unpack
from radcap.vision.training.steps import take_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import nn

    from radcap.vision.losses import Loss
    from radcap.vision.settings import TrainSettings
    from radcap.vision.training.checkpoint import CheckpointFolder
    from radcap.vision.training.devices import Place
    from radcap.vision.training.feeds import Feed
    from radcap.vision.training.lessons import Exam, Lesson
    from radcap.vision.training.teaching import Teacher

__all__ = ["Trained", "fit", "learn"]

_SAVE_S = 30.0  # a kill costs no more than this, or an epoch


@dataclass(frozen=True)
class Trained:
    """How training ended: with the weights in the network, and why it stopped."""

    history: History
    epoch: int  # whose weights were kept
    stopped: str  # "epochs", "early" or "no number"


def fit(  # noqa: PLR0913 - what a run is made of
    network: nn.Module,
    feed: Feed,
    loss: Loss,
    settings: TrainSettings,
    place: Place,
    *,
    held: Feed | None = None,
    teacher: Teacher | None = None,
    inside: bool = False,
    folder: CheckpointFolder | None = None,
    observe: Callable[[EpochRow], None] | None = None,
    save_s: float = _SAVE_S,
) -> Trained:
    """Train the network to give the labels of images, in place; `inside` where its head teaches too."""
    lesson = LabelLesson(feed, loss, place, teacher, inside or isinstance(loss, InnerLoss))
    exam = LabelExam(held, place) if held is not None and len(held) else None
    return learn(network, lesson, settings, place, exam=exam, folder=folder, observe=observe, save_s=save_s)


def learn(
    network: nn.Module,
    lesson: Lesson,
    settings: TrainSettings,
    place: Place,
    *,
    exam: Exam | None = None,
    folder: CheckpointFolder | None = None,
    observe: Callable[[EpochRow], None] | None = None,
    save_s: float = _SAVE_S,
) -> Trained:
    """Train the network in place; it ends in evaluation mode with the weights that were chosen."""
    if len(lesson) < place.world:
        processes = counted(place.world, "process", "processes")
        raise UsageError(f"{counted(len(lesson))} to learn from, for {processes}.")
    learner = Learner(network, settings, place)
    if folder is not None and (state := folder.load()) is not None:
        unpack(learner, state)
    saved = time.monotonic()
    while not (stopped := _ended(learner.history, settings)):
        row = _epoch(learner, lesson, exam, settings, place)
        if row is None:
            stopped = "no number"
            break
        is_due = bool(_ended(learner.history, settings)) or time.monotonic() - saved >= save_s
        if folder is not None and place.is_first and is_due:
            folder.save(pack(learner))
            saved = time.monotonic()
        if observe is not None and place.is_first:
            observe(row)  # it may break training off: what is saved then has this epoch
    return Trained(learner.history, _finish(learner, settings, place), stopped)


def _epoch(
    learner: Learner, lesson: Lesson, exam: Exam | None, settings: TrainSettings, place: Place
) -> EpochRow | None:
    """One epoch, judged and noted; None where the loss or a weight became no number."""
    steps = take_steps(learner, lesson, settings, place)
    if steps is None:
        return None
    before = learner.kept
    learner.settle()
    judged = (None, None) if exam is None else _judged(learner, exam, place)
    # the last step may have spoilt the weights after the last loss was taken
    if not place.agreed(learner.is_sound and isfinite(judged[0] or 0)):
        learner.kept = before
        return None
    number, speed = len(learner.history.rows), round(steps.images / steps.seconds, 1)
    row = EpochRow(number, steps.loss, steps.lr, round(steps.seconds, 3), speed, *judged)
    learner.note(row)
    return row


def _judged(learner: Learner, exam: Exam, place: Place) -> tuple[float, float | None]:
    """What is kept, on the held-out split; the same in every process."""
    network = learner.network
    mine = weights_of(network)
    put_weights(network, learner.kept)
    network.eval()
    loss, score = exam(network)
    put_weights(network, mine)
    return place.agreed(loss), None if score is None else place.agreed(score)


def _ended(history: History, settings: TrainSettings) -> str:
    """Why training is over, or nothing."""
    if settings.early_stop and history.rows and history.stale >= settings.early_stop:
        return "early"
    return "epochs" if len(history.rows) >= settings.epochs else ""


def _finish(learner: Learner, settings: TrainSettings, place: Place) -> int:
    """Put the chosen weights into the network, in every process; the number of their epoch."""
    rows, best = learner.history.rows, learner.history.best
    if not rows and settings.epochs:
        raise UsageError(
            "The loss became no number in the first epoch, so there is nothing to keep."
            " Lower [train] lr, set clip_grad, or add warmup."
        )
    chosen = best if settings.keep == "best" and best is not None else rows[-1] if rows else None
    if chosen is not None:
        put_weights(learner.network, learner.best if chosen is best else learner.kept)
    place.share(learner.network)
    learner.network.eval()
    return -1 if chosen is None else chosen.epoch
