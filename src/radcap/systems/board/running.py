"""Train every system of the catalogue on one dataset, some at a time, and ask each about the test split.

Invariant: what is done is not done again; a kill or the end of the time costs no more than the last half
minute. A system that cannot be trained says why, before any is trained where that can be known, and does not
stop the others; a process that can use its GPU no more leaves them to a new one. How many are trained at a
time changes no setting: where each then has fewer cores, sums are taken in another order, and networks that
learn as a whole come out a little different, as they do from one GPU to the next.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

import torch

from radcap.core import RadcapError, UsageError
from radcap.core.processes import default_workers, in_processes
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.system import models
from radcap.detection.talk import Talk
from radcap.detection.training import leave_networks, train_system
from radcap.detection.training.kept_networks import KeptNetworks
from radcap.detection.training.shelf import Shelf
from radcap.detection.training.spending import Spent
from radcap.formats import write_run
from radcap.systems.board.asking import ask
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.hindrances import TimeUp, is_of_one, is_unforeseen, spoils_process, told
from radcap.systems.board.marks import data_mark, system_mark
from radcap.systems.board.parameters import numbers_in
from radcap.systems.board.planning import planned
from radcap.systems.board.results import BoardFolder, Result, digest_of, flat
from radcap.vision.backbones.weights import check_weights
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from radcap.captioning.system import CaptionSystem
    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptSystem, Member
    from radcap.systems.board.accounts import Account
    from radcap.systems.board.fitting import Fitted
    from radcap.systems.board.scales import Scale

    Trained: TypeAlias = ConceptSystem | CaptionSystem

__all__ = ["Reproduction", "TimeUp", "Worker"]

_SHELF_BYTES = 6 * 2**30
_TEST = "test"
_SAMPLE = 64  # images that are timed
_TIMES = 3
_HELD = ("n", "f1", "f1_manual")
_SPOILT = "This process cannot use the GPU any more. Give the same command again, and it goes on."
_SHOWN = 60  # letters of a name that is refused
_LONGEST = 200  # bytes of a name that is to be one of a file
_DIGITS = 32  # of a digest that names a folder


class _Outcome(Enum):
    """What became of a system that a worker was given."""

    DONE = "it has a result, or its networks lie there"
    LATE = "the time was over"
    ELSEWHERE = "the process cannot use its GPU any more"


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

    def run(self, systems: Sequence[Trained]) -> bool:
        """Every system that has no result yet; whether all have one now."""
        if _TEST not in self.dataset.splits:
            raise UsageError(f"{self.dataset.name} has no split {_TEST!r}, and a board is scored on it.")
        _check_names(systems)
        pick_place(self.device)  # one that is not there would hinder each of them
        with self.folder.mine():
            return self._run(systems)

    @cached_property
    def data_mark(self) -> str:
        """Made once, before processes get a copy: it reads every image."""
        return data_mark(self.dataset)

    def marks(self, systems: Sequence[Trained]) -> dict[str, str]:
        """By which the results of systems are known, by name."""
        return {one.name: one.mark for one in self._works(systems)}

    def fitted(self, system: Any) -> Fitted[Any]:  # noqa: ANN401 - of the task of this board
        """A system as it is trained here."""
        return fit_system(system, self.scale)

    def check(self, system: Any) -> None:  # noqa: ANN401
        """Refuse a fitted system that names what is not here; what goes by words has no weights."""
        for model in models(system).values():
            if model.text is None:
                check_weights(model.backbone)

    def ordered(self, systems: Sequence[Any]) -> list[tuple[Any, Member | None]]:
        """Fitted systems, and members that are trained ahead of them, as several jobs take them up."""
        return list(planned(systems))

    def worker(self, of: int, jobs: int) -> Worker:
        """What trains them; each job has a copy."""
        return Worker(self, of, jobs)

    def _works(self, systems: Sequence[Trained]) -> list[_Work]:
        return [
            _Work(self.fitted(one), self.scale, self.data_mark, number)
            for number, one in enumerate(systems, 1)
        ]

    def _run(self, systems: Sequence[Trained]) -> bool:
        left = self._startable(self._left(self._works(systems)))
        if left:
            self.folder.want_networks({one.name: one.mark for one in left})
        tasks, late = left if self.jobs == 1 else self._spread(left), False
        while tasks:
            outcomes = self._tried(tasks, len(systems))
            late = late or _Outcome.LATE in outcomes
            tasks = [one for one, came in zip(tasks, outcomes, strict=True) if came is _Outcome.ELSEWHERE]
            if tasks and self.jobs == 1:  # where there is no other process
                self.tell(_SPOILT)
                break
        self.folder.forget_networks()
        return not tasks and not late

    def _left(self, works: Sequence[_Work]) -> list[_Work]:
        """Those without a score; the ones that could not be trained before come last."""
        known = {one.name: self.folder.read(one.name, one.mark) for one in works}
        left = [one for one in works if (found := known[one.name]) is None or not found.is_scored]
        return sorted(left, key=lambda one: known[one.name] is not None)

    def _startable(self, works: Sequence[_Work]) -> list[_Work]:
        """Those whose networks and weights are here; the others are given up."""
        found: list[_Work] = []
        for work in works:
            try:
                self.check(work.fitted.system)
            except RadcapError as error:
                self._give_up(work, str(error))
            else:
                found.append(work)
        return found

    def _spread(self, works: Sequence[_Work]) -> list[_Work]:
        """In the order of the plan, with members that are trained ahead of their ensembles."""
        place = {one.name: one for one in works}
        order = self.ordered([one.fitted.system for one in works])
        return [replace(place[system.name], member=member) for system, member in order]

    def _give_up(self, work: _Work, why: str) -> None:
        self.folder.write(replace(work.result, why_not=why))
        self.tell(f"Not trained: {work.name}. {why}")

    def _tried(self, tasks: Sequence[_Work], of: int) -> list[_Outcome]:
        worker = self.worker(of, min(self.jobs, len(tasks)))
        chunks = [[one] for one in tasks]  # some take a hundred times as long as others
        return list(in_processes(worker, chunks, self.jobs, self._lost, ahead=len(tasks)))

    def _lost(self, work: _Work) -> None:
        """The process of a system died, and again while nothing else ran: of a lack of memory, as a rule."""
        if work.member is not None:  # its ensemble tries again
            return
        why = (
            "The process that trained it ended without a word, and again when nothing ran beside it."
            " Is there memory enough? Try a smaller scale."
        )
        self._give_up(work, why)


@dataclass(frozen=True)
class _Work:
    """A system as it is trained, and its place in the list; or only one member of it."""

    fitted: Fitted[Any]
    scale: Scale
    data: str  # its mark
    number: int
    member: Member | None = None

    @property
    def name(self) -> str:
        return self.fitted.system.name

    @cached_property
    def mark(self) -> str:
        return system_mark(self.fitted.system, self.scale, self.data)

    @property
    def result(self) -> Result:
        """What is known before it is trained."""
        return Result(self.name, self.mark, self.scale.name, self.fitted.changes, self.fitted.borrowed)


@dataclass
class Worker:
    """Trains one system after another; of several, each has a process of its own."""

    board: Reproduction
    of: int
    jobs: int
    is_spoilt: bool = field(default=False, init=False)

    def __call__(self, chunk: Sequence[_Work]) -> _Outcome:
        """What became of a system; where one that killed its process was left out, it is told already."""
        return self._one(chunk[0]) if chunk else _Outcome.DONE

    @cached_property
    def _shelf(self) -> Shelf:
        self._share_cores()
        return Shelf(_SHELF_BYTES // self.jobs, self._networks)

    def _share_cores(self) -> None:
        """Each of several processes has its part."""
        if self.jobs > 1:
            torch.set_num_threads(max(1, default_workers() // self.jobs))

    @cached_property
    def _networks(self) -> KeptNetworks:
        return KeptNetworks(self.board.folder.networks, self.board.data_mark)

    def _one(self, work: _Work) -> _Outcome:
        if self.is_spoilt:
            return _Outcome.ELSEWHERE
        try:
            self._check_time()
            if work.member is None:
                self._make(work)
            else:
                self._leave(work, work.member)
        except TimeUp:
            return _Outcome.LATE
        return _Outcome.DONE

    def _make(self, work: _Work) -> None:
        """A result, and no more than that where models are not kept."""
        board = self.board
        board.tell(f"{work.number} of {self.of}: {work.name}")
        result = self._result(work)
        board.folder.write(result)
        if result.is_scored and not board.keep_models:
            board.folder.forget(work.name)

    def _leave(self, work: _Work, member: Member) -> None:
        """Networks of an ensemble's member, for when its turn comes; what hinders them is told then."""
        self.board.tell(f"{work.number} of {self.of}: {work.name}, its member {member.name}")
        digest = hashlib.sha256(f"{work.mark} {member.name}".encode()).hexdigest()  # names may be long
        out = self.board.folder.networks / digest[:_DIGITS]  # unfinished ones go with the others
        placed = replace(member, train=replace(member.train, device=self.board.device))
        self._networks.spent = Spent()  # its ensemble pays
        talk = Talk(self._check_time, self._check_time)
        try:
            leave_networks(placed, self.board.dataset, out, talk, self._shelf)
        except Exception as error:  # noqa: BLE001 - its ensemble meets it again, and tells
            self._check_hindrance(error)

    def _result(self, work: _Work) -> Result:
        """How it went, or why it did not."""
        folder = self.board.folder
        try:
            return self._trained(work.fitted.system, work.result)
        except Exception as error:  # noqa: BLE001 - whatever one system ends of, the others go on
            self._check_hindrance(error)
            log = folder.log(work.name)
            why = told(error, self.jobs, f"{log.parent.name}/{log.name}")
            if is_unforeseen(error):
                folder.write_log(work.name, error)
        self.board.tell(f"Not trained: {work.name}. {why}")
        return replace(work.result, why_not=why)

    def _check_hindrance(self, error: Exception) -> None:
        """Raise again what hinders all systems; remember what hinders those that this process would train."""
        if not is_of_one(error):
            raise error
        self.is_spoilt = self.is_spoilt or spoils_process(error)

    def _trained(self, system: Any, result: Result) -> Result:  # noqa: ANN401
        """The model, its run of the test split, and what both cost."""
        board, folder, name = self.board, self.board.folder, system.name
        with folder.begun(name, result.fingerprint) as account:
            model = ModelFolder(folder.model(name))
            if not model.is_whole:  # it is where a kill came before the result was written
                self._train(system, model.path, account)
        test = board.dataset.split(_TEST)
        answers = ask(model, test, self._shelf, board.device)
        write_run(answers.run(test.ids, name), folder.run(name))
        return replace(
            result,
            train_s=round(account.spent.seconds, 1),
            images_per_s=self._speed(model, test),
            device=str(pick_place(board.device).device.type),
            run_sha256=digest_of(folder.run(name)),
            **_figures(model),
        )

    def _train(self, system: Any, out: Path, account: Account) -> None:  # noqa: ANN401
        """Networks that another system trained are counted as if this one had."""
        self._networks.spent = account.spent
        train_system(self._placed(system), self.board.dataset, out, self._talk(account), self._shelf)

    def _talk(self, account: Account) -> Talk:
        """Training speaks at each epoch, and hears then that the time is over."""

        def look_up(*_: object) -> None:
            account.keep()
            self._check_time()

        return Talk(look_up, look_up)

    def _speed(self, model: ModelFolder, test: Dataset) -> float:
        """Images a second, as `radcap predict` goes through a sample of the test split."""
        opened, sample = open_model(model.path, self.board.device), test[:_SAMPLE]
        opened.answers(sample)  # what starts with the first ones is not timed
        taken: list[float] = []
        for _ in range(_TIMES):
            began = time.monotonic()
            opened.answers(sample)
            taken.append(time.monotonic() - began)
        return round(len(sample) / median(taken), 1)

    def _placed(self, system: Any) -> Any:  # noqa: ANN401 - of the task of the board
        """On the device that was asked for, which is no part of a system."""
        device = self.board.device
        members = tuple(replace(one, train=replace(one.train, device=device)) for one in system.member)
        return replace(system, train=replace(system.train, device=device), member=members)

    def _check_time(self, *_: object) -> None:
        if time.monotonic() >= self.board.deadline:
            raise TimeUp


def _check_names(systems: Sequence[Trained]) -> None:
    """Refuse systems whose results would lie in one file."""
    places = [flat(one.name) for one in systems]
    twice = [one.name for one, place in zip(systems, places, strict=True) if places.count(place) > 1]
    long = [one for one in places if len(one.encode()) > _LONGEST]
    if long:
        raise UsageError(f"The name {long[0][:_SHOWN]}... is too long for a file. Give a shorter one.")
    if twice:
        raise UsageError(f"The systems {', '.join(twice)} would share a result. Give each a name of its own.")


def _figures(model: ModelFolder) -> dict[str, Any]:
    """What a finished model tells of itself."""
    members, held = model.system().member, model.card()["held_out"]
    folders = [model.member(one.name) for one in members] or [model]
    return {
        "members": len(folders),
        "parameters": sum(numbers_in(one.weights) for one in folders),
        "held_out": {key: held[key] for key in _HELD} if held else {},
    }
