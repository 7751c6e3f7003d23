"""The demo: the whole story on the data and the models that ship inside.

Invariant: nothing is fetched, nothing is written outside its folder, and the runs are the same every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.formats import write_lines
from radcap.reading.demo.chapters import (
    board_chapter,
    data_chapter,
    model_chapters,
    next_commands,
    runs_chapters,
)
from radcap.reading.demo.data_page import NAME, data_page
from radcap.reading.demo.scored_runs import scored_runs
from radcap.systems.board.leaders import leaders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from radcap.reading.demo.chapters import Chapter
    from radcap.reading.demo.data_page import DataPage
    from radcap.reading.demo.model_story import ModelStory, Sizes
    from radcap.reading.demo.scored_runs import ScoredRuns

__all__ = ["Story", "run_demo"]

_EXAMPLE = "example.webp"


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """What the demo did."""

    data: DataPage
    runs: ScoredRuns
    models: ModelStory | None
    report: Path
    commands: tuple[str, ...]


def run_demo(
    out: Path,
    *,
    models: bool = True,
    sizes: Sizes | None = None,
    tell: Callable[[Chapter], None] | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Story:
    """Do all of it; `tell` hears each chapter as soon as it is done."""
    data = data_page(out / "radiology-open.html", progress)
    _tell([data_chapter(data)], tell)
    told = _with_models(out, sizes, tell, progress) if models else None
    runs = scored_runs(out)
    _tell([*runs_chapters(runs), board_chapter(leaders())], tell)
    run, truth = (runs.example, runs.truth) if told is None else (told.judged.concepts.run, told.judged.truth)
    commands = next_commands(_example(out / _EXAMPLE), run, truth)
    report = out / "report.html"
    _write_report(report, data, runs, told, commands)
    return Story(data, runs, told, report, commands)


def _tell(chapters: Iterable[Chapter], tell: Callable[[Chapter], None] | None) -> None:
    if tell is not None:
        for one in chapters:
            tell(one)


def _with_models(
    out: Path,
    sizes: Sizes | None,
    tell: Callable[[Chapter], None] | None,
    progress: Callable[[str, int], None] | None,
) -> ModelStory:
    from radcap.reading.demo.model_story import model_story  # needs torch

    story = model_story(out, sizes, progress)
    _tell(model_chapters(story), tell)
    return story


def _example(path: Path) -> Path:
    """A test image as a file, for the commands that follow."""
    from radcap.datasets import load_dataset
    from radcap.formats import replacing

    with replacing(path) as part:
        part.write_bytes(load_dataset(NAME, split="test")[0].image.bytes)
    return path


def _write_report(
    path: Path, data: DataPage, runs: ScoredRuns, told: ModelStory | None, commands: tuple[str, ...]
) -> None:
    from radcap.reading.demo.report_page import report_page

    write_lines(report_page(path.parent, data, runs, told, commands).split("\n"), path)
