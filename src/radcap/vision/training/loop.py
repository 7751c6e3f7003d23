"""The training loop.

Invariant: an epoch depends on the state before it and on (seed, epoch) alone; so training that was killed and
goes on from its last checkpoint ends with the weights it would have had. A loss that is no number ends it with
the last good epoch.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from radcap.core import UsageError
from radcap.vision.pictures import Chance
from radcap.vision.training.averaging import Average
from radcap.vision.training.checkpoint import Checkpoint
from radcap.vision.training.history import EpochRow, History
from radcap.vision.training.optimisers import make_optimiser, set_rate
from radcap.vision.training.predicting import best_sample_f1, held_loss, predicted
from radcap.vision.training.sampling import epoch_batches
from radcap.vision.training.schedule import rate_factor

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.vision.losses import Loss
    from radcap.vision.settings import TrainSettings
    from radcap.vision.training.checkpoint import CheckpointFolder
    from radcap.vision.training.devices import Place
    from radcap.vision.training.feeds import Feed
    from radcap.vision.training.teaching import Teacher

__all__ = ["Trained", "fit"]

_LOOK = 50  # steps between looks at the loss: each look waits for the device
_SAVE_S = 30.0  # a kill costs no more than this, or an epoch
Weights = dict[str, torch.Tensor]


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
    folder: CheckpointFolder | None = None,
    observe: Callable[[EpochRow], None] | None = None,
    save_s: float = _SAVE_S,
) -> Trained:
    """Train the network in place; it ends in evaluation mode with the weights that were chosen."""
    run = _Run(network, feed, loss, settings, place, held, teacher)
    if folder is not None and (state := folder.load()) is not None:
        run.resume(state)
    saved = time.monotonic()
    stopped = run.ended()
    while not stopped:
        row = run.epoch()
        if row is None:
            stopped = "no number"
            break
        if observe is not None and place.is_first:
            observe(row)
        stopped = run.ended()
        due = bool(stopped) or time.monotonic() - saved >= save_s
        if folder is not None and place.is_first and due:
            folder.save(run.state())
            saved = time.monotonic()
    return Trained(run.history, run.finish(), stopped)


class _Run:
    """A network on its way."""

    def __init__(
        self,
        network: nn.Module,
        feed: Feed,
        loss: Loss,
        settings: TrainSettings,
        place: Place,
        held: Feed | None,
        teacher: Teacher | None,
    ) -> None:
        self.network, self.feed, self.loss, self.settings, self.place = network, feed, loss, settings, place
        self.held, self.teacher = held, teacher
        network.to(place.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.history = History(watch=settings.watch)
        self.optimiser = make_optimiser(network, settings, place.device)
        self.average = Average(network, settings.ema) if settings.ema else None
        self.best: Weights | None = None
        self.module = _wrapped(network, settings, place)

    def epoch(self) -> EpochRow | None:
        """One epoch, or None where the loss became no number; then the state before it is back."""
        number = len(self.history.rows)
        before = self._weights(self.network)
        torch.manual_seed(self.settings.seed * 1_000_003 + number * 1_009 + self.place.rank)
        chance = Chance.of(self.settings.seed + 7_919 * self.place.rank, number, self.place.device)
        self.network.train()
        started = time.monotonic()
        batches = epoch_batches(self.feed.labels, self.settings, number, self.place)
        total = torch.zeros((), device=self.place.device)
        rate = 0.0
        for step, places in enumerate(batches):
            rate = self.settings.lr * rate_factor(
                self.settings, number + step / len(batches), self.history
            )
            set_rate(self.optimiser, rate)
            total += self._step(places, chance)
            if (step % _LOOK == _LOOK - 1 or step == len(batches) - 1) and not torch.isfinite(total):
                self.network.load_state_dict(before)
                return None
        seconds = time.monotonic() - started
        seen = sum(len(places) for places in batches) * self.place.world
        row = EpochRow(
            number, float(total) / len(batches), rate, round(seconds, 3), round(seen / seconds, 1), *self._judged()
        )
        self.history += row
        if self.history.best is row:
            self.best = self._weights_to_keep()
        return row

    def _step(self, places: torch.Tensor, chance: Chance) -> torch.Tensor:
        images, labels = self.feed.batch(places, chance)
        with self.place.autocast():
            logits = self.module(images).float()
            if self.teacher is not None:
                value = self.teacher.loss(logits, images, self.loss(logits, labels))
            else:
                value = self.loss(logits, labels)
        value.backward()
        if self.settings.clip_grad:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip_grad)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        if self.average is not None:
            self.average.follow()
        return value.detach()

    def _judged(self) -> tuple[float | None, float | None]:
        """Loss and F1 on the held-out split, the same in every process."""
        if self.held is None:
            return None, None
        mine = self._weights(self.network)
        self.network.load_state_dict(self._weights_to_keep())
        self.network.eval()
        logits = predicted(self.network, self.held, self.place)
        self.network.load_state_dict(mine)
        labels = self.held.labels
        return tuple(self.place.agreed(f(logits, labels)) for f in (held_loss, best_sample_f1))  # type: ignore[return-value]

    def ended(self) -> str:
        """Why training is over, or nothing."""
        settings = self.settings
        if settings.early_stop and self.history.rows and self.history.stale >= settings.early_stop:
            return "early"
        return "epochs" if len(self.history.rows) >= settings.epochs else ""

    def finish(self) -> int:
        """Put the chosen weights into the network; the number of their epoch."""
        rows = self.history.rows
        best = self.history.best
        if not rows:
            if self.settings.epochs:
                raise UsageError(
                    "The loss became no number in the first epoch, so there is nothing to keep."
                    " Lower [train] lr, set clip_grad, or add warmup."
                )
            self.network.eval()
            return -1
        if self.settings.keep == "best" and best is not None and self.best is not None:
            self.network.load_state_dict(self.best)
            self.network.eval()
            return best.epoch
        self.network.load_state_dict(self._weights_to_keep())
        self.network.eval()
        return rows[-1].epoch

    def _weights_to_keep(self) -> Weights:
        if self.average is not None:
            return {name: value.clone() for name, value in self.average.weights.items()}
        return self._weights(self.network)

    @staticmethod
    def _weights(network: nn.Module) -> Weights:
        return {name: value.detach().clone() for name, value in network.state_dict().items()}

    def state(self) -> Checkpoint:
        tensors: Weights = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        if self.average is not None:
            tensors |= {f"average.{name}": value for name, value in self.average.weights.items()}
        if self.best is not None:
            tensors |= {f"best.{name}": value for name, value in self.best.items()}
        held: dict[int, dict[str, Any]] = self.optimiser.state_dict()["state"]
        numbers: dict[str, Any] = {"average": self.average.steps if self.average is not None else 0}
        for place, values in held.items():
            for name, value in values.items():
                if isinstance(value, torch.Tensor):
                    tensors[f"optimiser.{place}.{name}"] = value
                else:
                    numbers[f"optimiser.{place}.{name}"] = value
        return Checkpoint(self.history, {name: value.clone() for name, value in tensors.items()}, numbers)

    def resume(self, state: Checkpoint) -> None:
        parts: dict[str, Weights] = {}
        for name, value in state.tensors.items():
            part, _, rest = name.partition(".")
            parts.setdefault(part, {})[rest] = value.to(self.place.device)
        self.history = state.history
        self.network.load_state_dict(parts["network"])
        if self.average is not None:
            self.average.go_on_from(parts["average"], int(state.numbers["average"]))
        self.best = parts.get("best")
        held: dict[int, dict[str, Any]] = {}
        rest = {n.removeprefix("optimiser."): v for n, v in state.numbers.items() if n.startswith("optimiser.")}
        for name, value in {**parts.get("optimiser", {}), **rest}.items():
            number, _, key = name.partition(".")
            held.setdefault(int(number), {})[key] = value
        whole = self.optimiser.state_dict()
        self.optimiser.load_state_dict({"state": held, "param_groups": whole["param_groups"]})


def _wrapped(network: nn.Module, settings: TrainSettings, place: Place) -> Callable[[torch.Tensor], torch.Tensor]:
    """The network as it is stepped: over several processes, compiled, or as it is."""
    module: nn.Module = network
    if place.world > 1:
        ids = [place.device.index] if place.device.type == "cuda" else None
        module = nn.parallel.DistributedDataParallel(network, device_ids=ids)
    return torch.compile(module) if settings.compile else module
