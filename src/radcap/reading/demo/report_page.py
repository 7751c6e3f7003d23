"""The report of the demo: one file that a browser opens, with all that was done.

Invariant: it fetches nothing; other pages of the demo are linked by their names beside it.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from radcap.core import counted
from radcap.reading.demo.chapters import validated_line
from radcap.reading.page import CARD_SCRIPT, CARD_STYLE, card
from radcap.reading.values import RESEARCH_ONLY
from radcap.report import Markup, element
from radcap.report.comparison_figures import interval_figure
from radcap.report.html import page, section, table_box
from radcap.report.markup import joined
from radcap.systems.board.leaders import leaders, leaders_figure, leaders_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.reading.demo.data_page import DataPage
    from radcap.reading.demo.judged_systems import JudgedTask
    from radcap.reading.demo.model_story import ModelStory
    from radcap.reading.demo.scored_runs import ScoredRuns

__all__ = ["report_page"]

_Part = tuple[str, str, Markup]


def report_page(
    out: Path,
    data: DataPage,
    runs: ScoredRuns,
    story: ModelStory | None,
    commands: Sequence[str],
) -> str:
    """The whole story. Without models the parts about them are left out."""
    parts = [
        *_model_parts(out, story),
        *_run_parts(out, runs),
        _board_part(),
        _data_part(out, data),
        _next_part(commands),
    ]
    header = joined(
        [element("p", _summary(story)), element("p", RESEARCH_ONLY, class_="caution"), _links(parts)]
    )
    style = f"{CARD_STYLE}{files('radcap.reading.demo').joinpath('report.css').read_text('utf-8')}"
    sections = (section(*part) for part in parts)
    return page("What radcap does", header, *sections, more_style=style, script=CARD_SCRIPT)


def _summary(story: ModelStory | None) -> str:
    if story is None:
        return "Runs checked, repaired, scored and compared on the data that ships inside, without a model."
    judged = story.judged
    f1, rouge = judged.concepts.report["f1"].value, judged.captions.report["rouge1"].value
    return (
        f"{counted(judged.images, 'test image')} read on this computer by the models that ship inside:"
        f" concepts with F1 {f1:.4f}, captions with ROUGE-1 {rouge:.4f} by the rules of edition"
        f" {judged.concepts.report.edition}. The models learnt from none of these images."
    )


def _links(parts: Sequence[_Part]) -> Markup:
    links = [element("li", element("a", heading, href=f"#{key}")) for key, heading, _ in parts]
    return element("nav", element("ul", *links), aria_label="Contents")


def _model_parts(out: Path, story: ModelStory | None) -> list[_Part]:
    if story is None:
        return []
    cards = joined(card(one, number) for number, one in enumerate(story.readings, 1))
    judged = story.judged
    lines = (element("li", validated_line(one)) for one in (judged.concepts, judged.captions))
    checked = joined([element("p", "Both runs were written and checked:"), element("ul", *lines)])
    tasks = (judged.concepts, judged.captions)
    return [
        ("read", "Read", joined([element("p", _HOW), element("div", cards, class_="cards")])),
        ("score", "Score", joined([checked, *map(_scores, tasks)])),
        ("compare", "Compare", joined(_compared(out, one) for one in tasks)),
        ("explain", "Explain", _explained(out, story)),
    ]


_HOW = (
    "Concepts with calibrated probabilities, and a caption. Choose a word or a concept: the map shows where"
    " in the image the model saw it. Below stand the nearest training cases."
)


def _scores(judged: JudgedTask) -> Markup:
    left = [element("p", line, class_="quiet") for line in judged.missing]
    return joined([element("h3", f"The task {judged.task.value}"), table_box(judged.scores), *left])


def _compared(out: Path, judged: JudgedTask) -> Markup:
    comparison = judged.compared.comparison
    link = element("a", "Pair by pair, and image by image", href=judged.page.relative_to(out).as_posix())
    return joined(
        [
            element("h3", f"Systems for {judged.task.value}"),
            element("p", judged.verdict),
            interval_figure(comparison.primary, comparison.procedure),
            table_box(judged.board),
            element("p", link),
        ]
    )


def _explained(out: Path, story: ModelStory) -> Markup:
    folder = story.explained.folder.relative_to(out).as_posix()
    link = element("a", "the page of explanations", href=f"{folder}/viewer.html")
    told = f"{counted(len(story.explained.images))} were explained, each map held against noise and edges: "
    figures = element("p", "Figures, maps and reasons lie in ", element("code", folder), ".")
    return joined([element("p", told, link, "."), figures])


def _run_parts(out: Path, runs: ScoredRuns) -> list[_Part]:
    link = element("a", "The comparison of these runs", href=runs.page.relative_to(out).as_posix())
    found = joined(
        [
            element("p", "A run with the slips people make, before and after its repair:"),
            table_box(runs.found),
            table_box(runs.left),
        ]
    )
    hidden = joined(
        [
            element("p", "Runs made without a model show what scores reward."),
            table_box(runs.scores),
            table_box(runs.captions),
            element("p", link),
        ]
    )
    return [("check", "Check and repair", found), ("reward", "What scores reward", hidden)]


def _board_part() -> _Part:
    best = leaders()
    words = element("p", _YEARS, element("code", "radcap systems list --task concepts"), ".")
    inner = joined([words, leaders_figure(best), table_box(leaders_table(best))])
    return "board", "Ten years on one board", inner


_YEARS = (
    "Each edition had other images and labels, so published scores of two years do not compare. Here all"
    " systems that are known were trained on the images inside. The whole list: "
)


def _data_part(out: Path, data: DataPage) -> _Part:
    link = element("a", "The page about every image", href=data.page.relative_to(out).as_posix())
    return "data", "The data inside", joined([table_box(data.splits), element("p", link)])


def _next_part(commands: Sequence[str]) -> _Part:
    return "next", "Next", element("ol", *(element("li", element("code", one)) for one in commands))
