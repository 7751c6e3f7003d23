"""Train every system of the catalogue on one dataset, one after another, and ask each about the test split.

Invariant: what is done is not done again; a kill or the end of the time costs no more than the last half
minute. A system that cannot be trained says why and does not stop the others.
"""

# safetensors is typed in part
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

from safetensors import safe_open

from radcap.core import RadcapError, UsageError
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.system_reading import system_toml
from radcap.detection.talk import Talk
from radcap.detection.training import train_system
from radcap.detection.training.shelf import Shelf
from radcap.formats import write_run
from radcap.systems.board.asking import ask
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.results import BoardFolder, Result, flat
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptSystem
    from radcap.systems.board.fitting import Fitted
    from radcap.systems.board.scales import Scale

__all__ = ["Reproduction", "TimeUp"]

_SHELF_BYTES = 6 * 2**30
_TEST = "test"
_SAMPLE = 64  # images that are timed
_HELD = ("n", "f1", "f1_manual")


class TimeUp(Exception):
    """The time that was given is over; the next call goes on."""


def _unheard(text: str) -> None:
    """Words that nobody asked for."""


@dataclass(frozen=True)
class Reproduction:
    """What is trained on what, where results go, and until when."""

    dataset: Dataset
    scale: Scale
    folder: BoardFolder
    device: str = "auto"
    deadline: float = float("inf")  # of time.monotonic
    keep_models: bool = False
    tell: Callable[[str], None] = _unheard

    def run(self, systems: Sequence[ConceptSystem]) -> bool:
        """Every system that has no result yet; whether all have one now."""
        if _TEST not in self.dataset.splits:
            raise UsageError(f"{self.dataset.name} has no split {_TEST!r}, and a board is scored on it.")
        _check_names(systems)
        shelf, data = Shelf(_SHELF_BYTES), _fingerprint(self.dataset)
        for number, system in enumerate(systems, 1):
            fitted = fit_system(system, self.scale)
            mark = self._mark(fitted, data)
            known = self.folder.read(system.name)
            if known is not None and known.is_scored and known.fingerprint == mark:
                continue
            self.tell(f"{number} of {len(systems)}: {system.name}")
            try:
                self._check_time()
                self.folder.write(self._result(fitted, mark, shelf))
            except TimeUp:
                return False
        return True

    def _mark(self, fitted: Fitted, data: str) -> str:
        text = f"{system_toml(fitted.system)}\n{data}"  # new keys of radcap change no old result
        return hashlib.sha256(text.encode()).hexdigest()

    def _result(self, fitted: Fitted, mark: str, shelf: Shelf) -> Result:
        """How it went, or why it did not."""
        result = Result(fitted.system.name, mark, self.scale.name, fitted.changes, fitted.borrowed)
        try:
            return self._trained(fitted.system, result, shelf)
        except RadcapError as error:
            self.tell(f"Not trained: {error}")
            return replace(result, why_not=str(error))

    def _trained(self, system: ConceptSystem, result: Result, shelf: Shelf) -> Result:
        name, placed = system.name, self._placed(system)
        with self.folder.begun(name, result.fingerprint) as spent:
            model = ModelFolder(self.folder.model(name))
            if not model.is_whole:  # it is where a kill came before the result was written
                train_system(placed, self.dataset, model.path, self._talk(), shelf)
        test = self.dataset.split(_TEST)
        answers = ask(model, test, shelf, self.device)
        write_run(answers.run(test.ids, name), self.folder.run(name))
        result = replace(
            result,
            train_s=round(spent.seconds, 1),
            images_per_s=self._speed(model, test),
            device=str(pick_place(self.device).device.type),
            **_figures(model),
        )
        if not self.keep_models:
            self.folder.forget(name)
        return result

    def _speed(self, model: ModelFolder, test: Dataset) -> float:
        """Images a second, as `radcap predict` goes through a sample of the test split."""
        opened, sample = open_model(model.path, self.device), test[:_SAMPLE]
        began = time.monotonic()
        opened.answers(sample)
        return round(len(sample) / (time.monotonic() - began), 1)

    def _placed(self, system: ConceptSystem) -> ConceptSystem:
        """On the device that was asked for, which is no part of a system."""
        members = tuple(replace(one, train=replace(one.train, device=self.device)) for one in system.member)
        return replace(system, train=replace(system.train, device=self.device), member=members)

    def _talk(self) -> Talk:
        """Training speaks at each epoch, and hears then that the time is over."""

        return Talk(self._check_time, self._check_time)

    def _check_time(self, *_: object) -> None:
        if time.monotonic() >= self.deadline:
            raise TimeUp


def _check_names(systems: Sequence[ConceptSystem]) -> None:
    """Refuse systems whose results would lie in one file."""
    places = [flat(one.name) for one in systems]
    twice = [one.name for one, place in zip(systems, places, strict=True) if places.count(place) > 1]
    if twice:
        raise UsageError(f"The systems {', '.join(twice)} would share a result. Give each a name of its own.")


def _fingerprint(dataset: Dataset) -> str:
    """Of images, splits and labels, by their names."""
    digest = hashlib.sha256(dataset.name.encode())
    for column in ("image_id", "split", "cui"):
        digest.update(repr(dataset.column(column).to_pylist()).encode())
    return digest.hexdigest()


def _figures(model: ModelFolder) -> dict[str, Any]:
    """What a finished model tells of itself."""
    members, held = model.system().member, model.card()["held_out"]
    folders = [model.member(one.name) for one in members] or [model]
    return {
        "members": len(folders),
        "parameters": sum(_parameters(one) for one in folders),
        "held_out": {key: held[key] for key in _HELD} if held else {},
    }


def _parameters(model: ModelFolder) -> int:
    """The numbers in its weights; one that goes by words may have none."""
    if not model.weights.exists():
        return 0
    held: Any
    with safe_open(model.weights, "numpy") as held:
        return sum(prod(held.get_slice(name).get_shape()) for name in held.keys())  # noqa: SIM118
