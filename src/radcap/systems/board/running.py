"""Train every system of the catalogue on one dataset, some at a time, and ask each about the test split.

Invariant: what is done is not done again; a kill or the end of the time costs no more than the last half
minute. A system that cannot be trained says why and does not stop the others. How many are trained at a time
changes no setting: where each then has fewer cores, sums are taken in another order, and networks that learn
as a whole come out a little different, as they do from one GPU to the next.
"""

# safetensors is typed in part
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import torch
from safetensors import safe_open

from radcap.core import RadcapError, UsageError
from radcap.core.processes import default_workers, in_processes
from radcap.datasets.refusal import ImageRefused
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.system import ConceptSystem, tables
from radcap.detection.system_reading import system_toml
from radcap.detection.talk import Talk
from radcap.detection.training import leave_networks, train_system
from radcap.detection.training.kept_networks import KeptNetworks
from radcap.detection.training.shelf import Shelf
from radcap.detection.training.spending import Spent
from radcap.formats import write_run
from radcap.systems.board.asking import ask
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.planning import planned
from radcap.systems.board.results import BoardFolder, Result, digest_of, flat
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.detection.system import Member
    from radcap.systems.board.fitting import Fitted
    from radcap.systems.board.scales import Scale

__all__ = ["Reproduction", "TimeUp"]

_SHELF_BYTES = 6 * 2**30
_TEST = "test"
_SAMPLE = 64  # images that are timed
_HELD = ("n", "f1", "f1_manual")
_NO_MEMORY = (MemoryError, torch.OutOfMemoryError)
_TOO_LARGE = "It needs more memory than there is. Try fewer jobs, or a smaller scale."
_HINDRANCES = (RadcapError, *_NO_MEMORY, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)
_SHOWN = 60  # letters of a name that is refused
_LONGEST = 200  # bytes of a name that is to be one of a file


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
    tell: Callable[[str], None] = _unheard  # with several jobs, one that can be pickled
    jobs: int = 1  # systems that are trained at a time

    def run(self, systems: Sequence[ConceptSystem]) -> bool:
        """Every system that has no result yet; whether all have one now."""
        if _TEST not in self.dataset.splits:
            raise UsageError(f"{self.dataset.name} has no split {_TEST!r}, and a board is scored on it.")
        _check_names(systems)
        pick_place(self.device)  # one that is not there would hinder each of them
        with self.folder.mine():
            return self._run(systems)

    def _run(self, systems: Sequence[ConceptSystem]) -> bool:
        data = _fingerprint(self.dataset)
        wanted = [_Work(fit_system(one, self.scale), data, number) for number, one in enumerate(systems, 1)]
        left = [one for one in wanted if not self._is_done(one)]
        tasks = left if self.jobs == 1 else _spread(left)
        worker = _Worker(self, len(systems), min(self.jobs, len(tasks)))
        chunks = [[one] for one in tasks]  # some take a hundred times as long as others
        done = list(in_processes(worker, chunks, self.jobs, self._lost, ahead=len(tasks)))
        if all(done):
            self.folder.forget_networks()
        return all(done)

    def _is_done(self, work: _Work) -> bool:
        known = self.folder.read(work.name)
        return known is not None and known.is_scored and known.fingerprint == work.mark

    def _lost(self, work: _Work) -> None:
        """The process of a system died: of a lack of memory, as a rule."""
        if work.member is not None:  # its ensemble tries again
            return
        why = "The process that trained it ended without a word. Is there memory enough? Try fewer jobs."
        self.folder.write(replace(work.result(self.scale), why_not=why))
        self.tell(f"Not trained: {work.name}. {why}")


@dataclass(frozen=True)
class _Work:
    """A system as it is trained, and its place in the list; or only one member of it."""

    fitted: Fitted
    data: str
    number: int
    member: Member | None = None

    @property
    def name(self) -> str:
        return self.fitted.system.name

    @cached_property
    def mark(self) -> str:
        """Of what is trained: neither new keys of radcap nor words about a system change an old result."""
        system = self.fitted.system
        trained = ConceptSystem(
            name=system.name,
            task=system.task,
            ensemble=system.ensemble,
            member=system.member,
            **tables(system),
        )
        text = f"{system_toml(trained)}\n{self.data}"
        return hashlib.sha256(text.encode()).hexdigest()

    def result(self, scale: Scale) -> Result:
        """What is known before it is trained."""
        return Result(self.name, self.mark, scale.name, self.fitted.changes, self.fitted.borrowed)


def _spread(works: Sequence[_Work]) -> list[_Work]:
    """In the order of the plan, with members that are trained ahead of their ensembles."""
    place = {one.name: one for one in works}
    order = planned([one.fitted.system for one in works])
    return [replace(place[system.name], member=member) for system, member in order]


@dataclass(frozen=True)
class _Worker:
    """Trains one system after another; of several, each has a process of its own."""

    board: Reproduction
    of: int
    jobs: int

    def __call__(self, chunk: Sequence[_Work]) -> bool:
        """Whether there was time for them."""
        return all(map(self._one, chunk))

    @cached_property
    def _shelf(self) -> Shelf:
        if self.jobs > 1:  # each has its share of the cores
            torch.set_num_threads(max(1, default_workers() // self.jobs))
        return Shelf(_SHELF_BYTES // self.jobs, self._networks)

    @cached_property
    def _networks(self) -> KeptNetworks:
        return KeptNetworks(self.board.folder.networks)

    def _one(self, work: _Work) -> bool:
        board = self.board
        try:
            self._check_time()
            if work.member is not None:
                self._leave(work, work.member)
                return True
            board.tell(f"{work.number} of {self.of}: {work.name}")
            board.folder.write(self._result(work))
        except TimeUp:
            return False
        return True

    def _leave(self, work: _Work, member: Member) -> None:
        """Networks of an ensemble's member, for when its turn comes; what hinders them is told then."""
        self.board.tell(f"{work.number} of {self.of}: {work.name}, its member {member.name}")
        networks = self.board.folder.networks  # unfinished ones go with them
        out = networks / flat(f"{work.name} {member.name} {work.mark[:8]}")
        placed = replace(member, train=replace(member.train, device=self.board.device))
        self._networks.spent = Spent()  # its ensemble pays
        with suppress(*_HINDRANCES):
            leave_networks(placed, self.board.dataset, out, self._talk(), self._shelf)

    def _result(self, work: _Work) -> Result:
        """How it went, or why it did not."""
        result = work.result(self.board.scale)
        try:
            return self._trained(work.fitted.system, result)
        except _HINDRANCES as error:
            why = _told(error)
        self.board.tell(f"Not trained: {work.name}. {why}")
        return replace(result, why_not=why)

    def _trained(self, system: ConceptSystem, result: Result) -> Result:
        board, folder, name = self.board, self.board.folder, system.name
        with folder.begun(name, result.fingerprint) as spent:
            model = ModelFolder(folder.model(name))
            if not model.is_whole:  # it is where a kill came before the result was written
                self._train(system, model.path, spent)
        test = board.dataset.split(_TEST)
        answers = ask(model, test, self._shelf, board.device)
        write_run(answers.run(test.ids, name), folder.run(name))
        result = replace(
            result,
            train_s=round(spent.seconds, 1),
            images_per_s=self._speed(model, test),
            device=str(pick_place(board.device).device.type),
            run_sha256=digest_of(folder.run(name)),
            **_figures(model),
        )
        if not board.keep_models:
            folder.forget(name)
        return result

    def _train(self, system: ConceptSystem, out: Path, spent: Spent) -> None:
        """Networks that another system trained are counted as if this one had."""
        self._networks.spent = spent
        train_system(self._placed(system), self.board.dataset, out, self._talk(), self._shelf)

    def _speed(self, model: ModelFolder, test: Dataset) -> float:
        """Images a second, as `radcap predict` goes through a sample of the test split."""
        opened, sample = open_model(model.path, self.board.device), test[:_SAMPLE]
        began = time.monotonic()
        opened.answers(sample)
        return round(len(sample) / (time.monotonic() - began), 1)

    def _placed(self, system: ConceptSystem) -> ConceptSystem:
        """On the device that was asked for, which is no part of a system."""
        device = self.board.device
        members = tuple(replace(one, train=replace(one.train, device=device)) for one in system.member)
        return replace(system, train=replace(system.train, device=device), member=members)

    def _talk(self) -> Talk:
        """Training speaks at each epoch, and hears then that the time is over."""
        return Talk(self._check_time, self._check_time)

    def _check_time(self, *_: object) -> None:
        if time.monotonic() >= self.board.deadline:
            raise TimeUp


def _told(error: Exception) -> str:
    """Why a system could not be trained."""
    if isinstance(error, RadcapError):
        return str(error)
    if isinstance(error, _NO_MEMORY):
        return _TOO_LARGE
    line = str(error).partition("\n")[0].rstrip(".")
    return f"It ended in a way that nobody foresaw: {type(error).__name__}: {line}. radcap train says where."


def _check_names(systems: Sequence[ConceptSystem]) -> None:
    """Refuse systems whose results would lie in one file."""
    places = [flat(one.name) for one in systems]
    twice = [one.name for one, place in zip(systems, places, strict=True) if places.count(place) > 1]
    long = [one for one in places if len(one.encode()) > _LONGEST]
    if long:
        raise UsageError(f"The name {long[0][:_SHOWN]}... is too long for a file. Give a shorter one.")
    if twice:
        raise UsageError(f"The systems {', '.join(twice)} would share a result. Give each a name of its own.")


def _fingerprint(dataset: Dataset) -> str:
    """Of splits, labels and images. A time of change would not do: results go on on other machines."""
    digest = hashlib.sha256(dataset.name.encode())
    for column in ("image_id", "split", "cui"):
        digest.update(repr(dataset.column(column).to_pylist()).encode())
    for key in dataset.column("image").to_pylist():
        held = b""
        with suppress(ImageRefused):  # training names it
            held = dataset.images.read(key) if key else b""
        digest.update(hashlib.sha256(held).digest())
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
