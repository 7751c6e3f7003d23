"""The demo in words, chapter by chapter, as the command line prints it.

Invariant: a chapter says which command does the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.core import Task, counted
from radcap.report import Table
from radcap.systems.board.leaders import leaders_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.reading.demo.data_page import DataPage
    from radcap.reading.demo.judged_systems import JudgedSystems, JudgedTask
    from radcap.reading.demo.model_story import ModelStory
    from radcap.reading.demo.scored_runs import ScoredRuns
    from radcap.systems.board.leaders import Leader

__all__ = [
    "Chapter",
    "board_chapter",
    "data_chapter",
    "model_chapters",
    "next_commands",
    "runs_chapters",
]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading, and below it lines and tables."""

    heading: str
    parts: tuple[str | Table, ...]


def data_chapter(data: DataPage) -> Chapter:
    """The images inside, by split."""
    return Chapter("radcap dataset report radiology-open: the images that ship inside", (data.splits,))


def runs_chapters(runs: ScoredRuns) -> list[Chapter]:
    """A caption linked; a run with slips found, repaired and scored; what scores reward."""
    repaired = ", ".join(f"{code} x{n:,}" for code, n in runs.repair.repaired.items())
    return [
        Chapter("radcap vocab link: the concepts of a caption", (f"   {runs.caption}", runs.mentions)),
        Chapter(f"radcap validate {runs.broken.path}: every slip in one pass", (runs.found,)),
        Chapter(
            f"radcap validate --fix {runs.repair.after.path}: repaired {repaired}. What is left:",
            (runs.left,),
        ),
        Chapter(
            "radcap score concepts: four runs made without a model, as edition 2025 scores them",
            (runs.scores,),
        ),
        Chapter(
            "radcap compare: the same runs with intervals, letters and ranks", (runs.board, runs.verdict)
        ),
        Chapter(
            "radcap score captions: one word list for every image wins BLEU under the rule of an old NLTK",
            (runs.captions,),
        ),
    ]


def board_chapter(best: Sequence[Leader]) -> Chapter:
    """What the board that ships has of each edition."""
    heading = "radcap systems list: the best of each edition, all trained on the images inside"
    return Chapter(heading, (leaders_table(best),))


def model_chapters(story: ModelStory) -> list[Chapter]:
    """What the shipped models do."""
    judged = story.judged
    return [
        Chapter(
            f"radcap read: {counted(len(story.readings))} of the test images, as the models inside see them",
            (readings_table(story),),
        ),
        Chapter(f"radcap validate: the runs of both tasks on {counted(judged.images)}", _validated(judged)),
        *(_scored(one) for one in (judged.concepts, judged.captions)),
        *(_compared(one) for one in (judged.concepts, judged.captions)),
        Chapter(
            f"radcap explain: {counted(len(story.explained.images))}, with maps, boxes and reasons",
            (f"   {story.explained.folder / 'viewer.html'}",),
        ),
    ]


def readings_table(story: ModelStory) -> Table:
    rows = tuple(
        (
            one.image,
            "" if one.modality is None else one.modality.name,
            ", ".join(seen.name for seen in one.findings) or "none",
            one.caption,
        )
        for one in story.readings
    )
    return Table(("image", "modality", "findings", "caption"), rows)


def _validated(judged: JudgedSystems) -> tuple[str, ...]:
    return tuple(f"   {validated_line(one)}" for one in (judged.concepts, judged.captions))


def validated_line(judged: JudgedTask) -> str:
    found = judged.validation
    verdict = "passes" if found.ok else "does not pass"
    return f"{judged.run}: {counted(found.rows, 'row')}, {verdict} edition {found.edition}"


def _scored(judged: JudgedTask) -> Chapter:
    of = "zoo:concepts" if judged.task is Task.CONCEPTS else "zoo:captions"
    heading = f"radcap score {judged.task.value}: {of} as edition {judged.report.edition} scores it"
    return Chapter(heading, (judged.scores, *judged.missing))


def _compared(judged: JudgedTask) -> Chapter:
    heading = f"radcap compare: the systems for {judged.task.value} that are inside"
    return Chapter(heading, (judged.board, judged.verdict))


def next_commands(example: Path, run: Path, truth: Path) -> tuple[str, ...]:
    """Six to go on with: an image, and a run with its truth, are those of the demo."""
    return (
        f"radcap read {example}",
        "radcap read --serve",
        f"radcap score concepts {run} {truth}",
        "radcap systems list --task concepts",
        "radcap train radcap/quick-concepts --data radiology-open --out mine",
        "radcap doctor",
    )
