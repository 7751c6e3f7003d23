"""What `radcap systems reproduce` does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from radcap.cli.console import print_json, print_lines, print_table, say
from radcap.core import Missing, UsageError, counted

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.detection.system import ConceptSystem
    from radcap.systems.board.board import Board
    from radcap.systems.board.results import BoardFolder
    from radcap.systems.board.running import Reproduction

__all__ = ["Asked", "run_reproduce"]


@dataclass(frozen=True, slots=True)
class Asked:
    """The command as it was given."""

    out: Path
    task: str
    data: str
    scale: str | None
    only: tuple[str, ...]
    add: tuple[str, ...]
    minutes: float | None
    jobs: int
    device: str
    keep: bool
    json: bool


def run_reproduce(asked: Asked) -> int:
    """Train what has no result yet, then write the board of what has; the exit code."""
    if asked.minutes is not None and isnan(asked.minutes):
        raise UsageError("--minutes is no number. Give how many the training may take.")
    wanted = _wanted(asked)
    try:
        from radcap.systems.board.running import Reproduction
    except ModuleNotFoundError as error:
        raise Missing(str(error.name), "Training needs it.", "Run: pip install 'radcap[train]'") from error
    from radcap.datasets import load_dataset
    from radcap.systems.board.results import BoardFolder
    from radcap.systems.board.scales import scale_of

    folder, systems = BoardFolder(asked.out), list(wanted.values())
    scale, dataset = scale_of(asked.scale or _usual(asked.device, folder)), load_dataset(asked.data)
    deadline = float("inf") if asked.minutes is None else time.monotonic() + 60 * asked.minutes
    board = Reproduction(dataset, scale, folder, asked.device, deadline, asked.keep, say, asked.jobs)
    done = board.run(systems)
    scored = _show(asked, systems, board)
    if not done:
        say("Some systems are left: give the same command again, and it goes on.")
    named = {wanted[one].name for one in (*asked.only, *asked.add)}
    return 0 if done and scored and named <= scored else 1


def _show(asked: Asked, systems: list[ConceptSystem], made: Reproduction) -> set[str]:
    """Write and print the board; the names of what is on it."""
    from radcap.systems.board.board import make_board
    from radcap.systems.board.limits import limits
    from radcap.systems.board.shifts import shifts
    from radcap.systems.board.writing import write_board

    folder, dataset, marks = made.folder, made.dataset, made.marks(systems)
    found = list(folder.results(marks))
    scored = {one.name for one in found if one.is_scored}
    if not scored:
        say("No system has a score yet.")
        if asked.json:
            print_json({"data": dataset.name, "rows": [], "not_trained": [one.to_json() for one in found]})
        return scored
    board = make_board(systems, folder, dataset, marks)
    page = write_board(board, shifts(board, dataset), limits(board, folder, dataset), asked.out)
    if asked.json:
        print_json(board.to_json())
    else:
        _print(board, page)
    return scored


def _print(board: Board, page: Path) -> None:
    from radcap.systems.board.tables import ranking_table, untrained_table

    print_table(ranking_table(board))
    if board.not_trained:
        print_table(untrained_table(board))
    print_lines(f"{page}: {counted(len(board.rows), 'system')} scored, {len(board.not_trained)} not trained")


def _wanted(asked: Asked) -> dict[str, ConceptSystem]:
    """By the names that were given: the catalogue, or what is named of it, and what is added."""
    from radcap.cli.systems import findings_told
    from radcap.systems import read_concepts, systems_of

    if asked.task != "concepts":
        raise UsageError(f"There is no board of the task {asked.task!r}. Write --task concepts.")
    names = asked.only or [one.name for one in systems_of(asked.task)]
    with findings_told(json=asked.json):
        return {name: read_concepts(name) for name in (*names, *asked.add)}


def _usual(device: str, folder: BoardFolder) -> str:
    """The scale of what lies in the folder, or else the one that a device is quick enough for."""
    from radcap.vision.training import pick_place

    usual = "large" if pick_place(device).device.type == "cuda" else "small"
    scales = folder.scales()
    if len(scales) != 1 or scales == [usual]:
        return usual
    say(f"{folder.path} holds scores of the scale {scales[0]}, so that is taken. --scale takes another.")
    return scales[0]
