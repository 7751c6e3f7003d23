"""The concepts of a dataset as one HTML file: a list of all, and a section about each that was asked for.

Invariant: it holds no script and no address outside itself, has at most `LIMIT` bytes, and says what was left
out; the same dataset and vocabulary give the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from radcap.core import VERSION
from radcap.datasets.concepts.anchors import Anchors
from radcap.datasets.concepts.index import index_codes, index_style, index_table, kinds_of
from radcap.datasets.concepts.sections import concept_section
from radcap.datasets.page.charts import bars_figure, tail_figure
from radcap.datasets.page.facets import Facet
from radcap.datasets.statistics.counting import distribution
from radcap.report import page
from radcap.report.html import facts_list, section
from radcap.report.markup import Markup, element, joined
from radcap.report.names import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import Cui
    from radcap.datasets.concepts.figures import ReadConcepts

__all__ = ["LIMIT", "ConceptPage", "concept_page"]

LIMIT = 10_000_000  # bytes
_SLACK = 1_000  # bytes by which the words about what was left out may grow
_TESTS = (
    "Shares have Wilson's interval at 95 %. Chance is what two concepts would share if neither knew of the "
    "other. The test is the G-test with one degree of freedom, p below 0.05 after Holm's correction for all "
    "other concepts. Both take images as independent, which images of one article or patient are not."
)
_READING = (
    "Captions that authors wrote in English were read with the same vocabulary. A caption mentions a label "
    "also by a narrower concept or inside a longer name, as chest CT mentions CT. What it only denies it "
    "does not mention."
)


@dataclass(frozen=True, slots=True)
class ConceptPage:
    """The page, and what of the concepts it holds."""

    text: str
    sections: int
    wanted: int

    @property
    def told(self) -> str:
        """What is on the page, in words."""
        all_of_them = counted(self.wanted, "concept")
        if self.sections == self.wanted:
            return all_of_them
        return f"{self.sections:,} of {all_of_them}, as many as fit into {LIMIT // 10**6} MB"


def concept_page(read: ReadConcepts, limit: int = LIMIT) -> ConceptPage:
    """The page about the concepts that were read; the first of them as long as there is room."""
    frame = _Frame(read)
    wanted = [one.cui for one in read.figures.concepts]
    room = limit - len(frame.text(dict.fromkeys(wanted, Markup(""))).encode()) - _SLACK
    sections: dict[Cui, Markup] = {}
    for one in read.figures.concepts:
        made = concept_section(read, one, frame.anchors)
        room -= len(made.encode())
        if room < 0:
            break
        sections[one.cui] = made
    return ConceptPage(frame.text(sections), len(sections), len(wanted))


class _Frame:
    """All of the page but its sections."""

    def __init__(self, read: ReadConcepts) -> None:
        labelling = read.labelling
        self._read = read
        self._codes = index_codes(labelling, [labelling.code_of[one.cui] for one in read.figures.concepts])
        self._facet = Facet("Kind", kinds_of(labelling, self._codes))
        self.anchors = Anchors({labelling.labels.cuis[code]: code for code in self._codes})

    def text(self, sections: Mapping[Cui, Markup]) -> str:
        """The page with these sections."""
        read = self._read
        css = "".join(
            files(f"radcap.datasets.{part}").joinpath("page.css").read_text("utf-8")
            for part in ("page", "concepts")
        )
        header = joined([_summary(read), _tiles(read), _contents()])
        return page(
            f"Concepts of {read.labelling.dataset.card.title or read.figures.name}",
            header,
            section("concepts", "All concepts", self._overview(), self._index(sections)),
            element("div", *sections.values(), id="details"),
            section("method", "Method", _method(read, len(sections), len(self._codes))),
            more_style=css + index_style(self._facet),
        )

    def _overview(self) -> Markup:
        """The long tail, and how many labels there are of each kind."""
        labelling = self._read.labelling
        kinds: dict[str, int] = {}
        for code, kind in zip(labelling.order, kinds_of(labelling, labelling.order), strict=True):
            kinds[kind] = kinds.get(kind, 0) + int(labelling.frequencies[code])
        named = sorted(kinds.items(), key=lambda one: (-one[1], one[0]))
        drawn = [
            tail_figure(distribution(labelling.frequencies)),
            bars_figure(named, sum(kinds.values()), "Labels by kind of concept"),
        ]
        return element("div", *drawn, class_="pair")

    def _index(self, sections: Mapping[Cui, Markup]) -> Markup:
        return index_table(self._read.labelling, self._codes, self._facet, self.anchors, sections)


def _summary(read: ReadConcepts) -> Markup:
    found = read.figures
    told = f"{counted(found.unique, 'concept')} on {counted(found.images)}"
    captions = f" {found.captioned:,} have a caption that an author wrote." if found.captioned else ""
    return element("p", f"{told}.{captions}", class_="summary")


def _tiles(read: ReadConcepts) -> Markup:
    frequency = distribution(read.labelling.frequencies)
    facts = [
        ("concepts", f"{frequency.n:,}"),
        ("labels", f"{frequency.total:,}"),
        ("images per concept, median", f"{frequency.median:g}"),
        ("concepts on fewer than 10 images", f"{frequency.below(10):,}"),
        ("vocabulary of names and types", read.figures.vocabulary),
    ]
    return element("div", facts_list(facts), class_="tiles")


def _contents() -> Markup:
    parts = {"concepts": "All concepts", "details": "Concepts in detail", "method": "Method"}
    links = [element("li", element("a", name, href=f"#{key}")) for key, name in parts.items()]
    return element("nav", element("ul", *links), aria_label="Contents")


def _method(read: ReadConcepts, told: int, listed: int) -> Markup:
    found = read.figures
    wanted = len(found.concepts)
    cut = f" {wanted - told:,} more did not fit into {LIMIT // 10**6} MB." if told < wanted else ""
    rest = f" {found.unique - listed:,} rarer concepts are not in the list." if listed < found.unique else ""
    said = _READING if found.captioned else "There are no captions of authors to hold the labels against."
    paragraphs = [
        f"{told:,} of {counted(found.unique, 'concept')} are told of in detail.{cut}{rest}",
        _TESTS,
        said,
        f"Types, other names and relatives: vocabulary {found.vocabulary}. {_sources(read)}",
        f"radcap {VERSION}. The same data and vocabulary give the same bytes.",
    ]
    return joined(element("p", one) for one in paragraphs)


def _sources(read: ReadConcepts) -> str:
    """Where the words come from; some of the sources ask to be named."""
    sources = read.labelling.vocabulary.stamp.sources
    return " ".join(f"{one.title} ({one.licence}): {one.attribution}" for one in sources)
