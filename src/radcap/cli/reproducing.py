"""What `radcap systems reproduce` does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, cast

from radcap.cli.console import print_json, print_lines, print_table, say
from radcap.core import Missing, UsageError, counted
from radcap.core.dotted import load_dotted

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.report import Table
    from radcap.systems.board.captions.running import CaptionReproduction
    from radcap.systems.board.results import BoardFolder
    from radcap.systems.board.running import Reproduction

__all__ = ["Asked", "run_reproduce"]

_REPRODUCTIONS = {  # by task
    "concepts": "radcap.systems.board.running:Reproduction",
    "captions": "radcap.systems.board.captions.running:CaptionReproduction",
}


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
        reproduction = load_dotted(_REPRODUCTIONS[asked.task])
    except ModuleNotFoundError as error:
        raise Missing(str(error.name), "Training needs it.", "Run: pip install 'radcap[train]'") from error
    from radcap.datasets import load_dataset
    from radcap.systems.board.results import BoardFolder
    from radcap.systems.board.scales import scale_of

    folder, systems = BoardFolder(asked.out), list(wanted.values())
    scale, dataset = scale_of(asked.scale or _usual(asked.device, folder)), load_dataset(asked.data)
    deadline = float("inf") if asked.minutes is None else time.monotonic() + 60 * asked.minutes
    board = reproduction(dataset, scale, folder, asked.device, deadline, asked.keep, say, asked.jobs)
    done = board.run(systems)
    scored = _show(asked, systems, board)
    if not done:
        say("Some systems are left: give the same command again, and it goes on.")
    named = {wanted[one].name for one in (*asked.only, *asked.add)}
    return 0 if done and scored and named <= scored else 1


def _show(asked: Asked, systems: list[Any], made: Reproduction) -> set[str]:
    """Write and print the board; the names of what is on it."""
    marks = made.marks(systems)
    found = list(made.folder.results(marks))
    scored = {one.name for one in found if one.is_scored}
    if not scored:
        say("No system has a score yet.")
        if asked.json:
            nothing = {"data": made.dataset.name, "rows": [], "not_trained": [one.to_json() for one in found]}
            print_json(nothing)
        return scored
    shown = (_concepts if asked.task == "concepts" else _captions)(asked, systems, made, marks)
    if asked.json:
        print_json(shown.told)
        return scored
    print_table(shown.ranking)
    if shown.untrained.rows:
        print_table(shown.untrained)
    counts = f"{counted(len(shown.ranking.rows), 'system')} scored, {len(shown.untrained.rows)} not trained"
    print_lines(f"{shown.page}: {counts}")
    return scored


@dataclass(frozen=True, slots=True)
class _Shown:
    """What of a board is printed, and where its page lies."""

    page: Path
    ranking: Table
    untrained: Table
    told: dict[str, Any]


def _concepts(asked: Asked, systems: list[Any], made: Reproduction, marks: dict[str, str]) -> _Shown:
    from radcap.systems.board.board import make_board
    from radcap.systems.board.limits import limits
    from radcap.systems.board.shifts import shifts
    from radcap.systems.board.tables import ranking_table, untrained_table
    from radcap.systems.board.writing import write_board

    folder, dataset = made.folder, made.dataset
    board = make_board(systems, folder, dataset, marks)
    page = write_board(board, shifts(board, dataset), limits(board, folder, dataset), asked.out)
    return _Shown(page, ranking_table(board), untrained_table(board), board.to_json())


def _captions(asked: Asked, systems: list[Any], made: Reproduction, marks: dict[str, str]) -> _Shown:
    from radcap.systems.board.captions.board import make_caption_board
    from radcap.systems.board.captions.samples import samples
    from radcap.systems.board.captions.tables import ranking_table, untrained_table
    from radcap.systems.board.captions.writing import write_caption_board

    folder, dataset = made.folder, made.dataset
    source = cast("CaptionReproduction", made).source
    board = make_caption_board(systems, folder, dataset, marks, source)
    page = write_caption_board(board, samples(board, folder, dataset), asked.out)
    return _Shown(page, ranking_table(board), untrained_table(board), board.to_json())


def _wanted(asked: Asked) -> dict[str, Any]:
    """By the names that were given: the catalogue, or what is named of it, and what is added."""
    from radcap.cli.systems import findings_told
    from radcap.systems import read_captions, read_concepts, systems_of

    if asked.task not in _REPRODUCTIONS:
        known = " or ".join(_REPRODUCTIONS)
        raise UsageError(f"There is no board of the task {asked.task!r}. Write --task {known}.")
    read = read_concepts if asked.task == "concepts" else read_captions
    names = asked.only or [one.name for one in systems_of(asked.task)]
    with findings_told(json=asked.json):
        return {name: read(name) for name in (*names, *asked.add)}


def _usual(device: str, folder: BoardFolder) -> str:
    """The scale of what lies in the folder, or else the one that a device is quick enough for."""
    from radcap.vision.training import pick_place

    usual = "large" if pick_place(device).device.type == "cuda" else "small"
    scales = folder.scales()
    if len(scales) != 1 or scales == [usual]:
        return usual
    say(f"{folder.path} holds scores of the scale {scales[0]}, so that is taken. --scale takes another.")
    return scales[0]
