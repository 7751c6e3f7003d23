"""One concept on the page: what it is, where it stands, with what, and examples.

Invariant: a part that has nothing to say is left out or says why; every picture names licence and author.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.concepts import words
from radcap.datasets.concepts.examples import caption_examples, image_examples
from radcap.datasets.concepts.excerpts import excerpt
from radcap.datasets.concepts.mentions import Verdict
from radcap.datasets.page.charts import figure
from radcap.datasets.page.pictures import picture
from radcap.datasets.statistics.count_tables import percent
from radcap.datasets.statistics.counting import UNKNOWN
from radcap.datasets.statistics.modalities import modality_title
from radcap.report.bar_chart import Bar, bar_chart
from radcap.report.html import facts_list, section
from radcap.report.markup import Markup, element, joined
from radcap.report.names import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.datasets.concepts.anchors import Anchors
    from radcap.datasets.concepts.companions import Companion
    from radcap.datasets.concepts.examples import CaptionExample
    from radcap.datasets.concepts.figures import ConceptFigures, Named, Part, ReadConcepts
    from radcap.datasets.records import Record

__all__ = ["concept_section"]

_RELATIVES = 8
_SYNONYMS = 8
_BARS = 8
_SMALL = 112  # pixels of the picture beside a caption
_SIDE = 144


def concept_section(read: ReadConcepts, one: ConceptFigures, anchors: Anchors) -> Markup:
    """Everything about one concept."""
    parts = [
        _definition(one, anchors),
        _tiles(one, read),
        _pair(
            _parts_figure(one.splits, "Share of each split"),
            _parts_figure(_by_share(one.modalities), "Share of each modality")
            if _known(one.modalities)
            else "",
        ),
        _beside(one, anchors),
        _images(one, read),
        _captions(one, read),
        element("p", element("a", "To the list of all concepts", href="#concepts"), class_="back"),
    ]
    name = shortened(one.name, words.ROOM) or "A concept without a name"
    heading = joined([name, " ", element("code", shortened(one.cui, words.ROOM))])
    return element("div", section(anchors.key(one.cui), heading, *parts), class_="concept")


def _definition(one: ConceptFigures, anchors: Anchors) -> Markup:
    """Types, other names, and what stands above and below."""
    facts = [
        ("Type", words.types(one.types)),
        ("Also called", words.listed(one.synonyms, _SYNONYMS)),
        ("Above", _relatives(one.parents, anchors)),
        ("Below", _relatives(one.children, anchors)),
    ]
    return element(
        "div",
        facts_list([fact for fact in facts if fact[1] != words.NOTHING or fact[0] == "Type"]),
        class_="definition",
    )


def _relatives(relatives: Sequence[Named], anchors: Anchors) -> str:
    """Those that have a place on the page first."""
    order = sorted(relatives, key=lambda one: one.cui not in anchors.codes)
    more = [f"{len(order) - _RELATIVES:,} more"] if len(order) > _RELATIVES else []
    told = [anchors.link(one) for one in order[:_RELATIVES]]
    return joined([*told, *more], "; ") if told else words.NOTHING


def _tiles(one: ConceptFigures, read: ReadConcepts) -> Markup:
    found = read.figures
    facts = [
        ("images", f"{one.images:,}"),
        (f"of all images (95 %: {words.interval(one)})", percent(one.images, found.images)),
        (f"rank of {found.unique:,}", f"{one.rank:,}"),
        ("other concepts beside it", f"{one.beside.different:,}"),
    ]
    return element("div", facts_list(facts), class_="tiles")


def _known(modalities: Sequence[Part]) -> bool:
    """Whether the dataset has modalities at all."""
    return any(part.name != UNKNOWN for part in modalities)


def _by_share(parts: Sequence[Part]) -> list[Part]:
    """The parts that have the concept, the largest share first."""
    return sorted((part for part in parts if part.images), key=lambda part: -part.images / part.of)


def _parts_figure(parts: Sequence[Part], title: str) -> Markup:
    """Shares side by side: parts differ in size, so counts alone would mislead."""
    bars = [
        Bar(
            modality_title(part.name),
            part.images / max(1, part.of),
            f"{part.images:,} \u00b7 {percent(part.images, part.of)}",
        )
        for part in parts
    ]
    return _bars(bars, title)


def _beside(one: ConceptFigures, anchors: Anchors) -> Markup:
    found = one.beside
    if not found.frequent:
        return element("p", "No other concept stands on its images.", class_="legend")
    frequent = _companions(found.frequent, "Most often beside it", by_lift=False)
    associated = _companions(found.associated, "More often than chance, surest first", by_lift=True)
    links = [
        anchors.link(other) for other in dict.fromkeys((*found.frequent[:_BARS], *found.associated[:_BARS]))
    ]
    told = element("p", "Go to: ", joined(links, " \u00b7 "), class_="legend goto")
    return joined([_pair(frequent, associated), told])


def _companions(companions: Sequence[Companion], title: str, *, by_lift: bool) -> Markup:
    if not companions:
        return element(
            "figure",
            element("h3", title),
            element("p", "None stands there more often than chance has it.", class_="legend"),
        )
    bars = [
        Bar(
            words.title(one),
            one.images,
            f"{one.images:,} \u00b7 {words.lift(one)}"
            if by_lift
            else f"{one.images:,} \u00b7 {percent(one.share, 1)}",
        )
        for one in companions[:_BARS]
    ]
    unit = (
        "Images with both, and how many times as many as chance has it."
        if by_lift
        else "Images with both, and their share of its images."
    )
    return _bars(bars, title, unit)


def _bars(bars: Sequence[Bar], title: str, words: str = "") -> Markup:
    about = "; ".join(f"{bar.name} {bar.label}" for bar in bars)
    return figure(title, lambda width: bar_chart(bars, title, about, width), words)


def _pair(*figures: str) -> Markup:
    return element("div", *figures, class_="pair")


def _images(one: ConceptFigures, read: ReadConcepts) -> Markup:
    labelling = read.labelling
    rows = image_examples(labelling, labelling.code_of[one.cui])
    if not rows:
        return element("p", "No image of it is at hand.", class_="legend")
    items = [
        element("li", *_shown(labelling.dataset[row], modality_title(labelling.modalities.name_of(row))))
        for row in rows
    ]
    return joined([element("h3", "Images"), element("ul", *items, class_="strip")])


def _shown(record: Record, modality: str) -> list[Markup]:
    return [
        picture(record, modality, _SIDE),
        element("b", modality),
        element("span", record.split),
        element("code", record.id),
        _credit(record),
    ]


def _credit(record: Record) -> Markup:
    told = f"{record.licence or 'licence not stated'}. {record.attribution}"
    return element("small", told, class_="credit")


def _captions(one: ConceptFigures, read: ReadConcepts) -> Markup:
    """How label and caption agree, and captions of each kind."""
    if one.captions is None:
        return Markup("")
    counts = [
        f"{one.captions.of(verdict):,} {verdict.value}" for verdict in Verdict if one.captions.of(verdict)
    ]
    if not counts:
        return element("p", "No caption mentions it, and no image of it has a caption.", class_="legend")
    examples = caption_examples(read, read.labelling.code_of[one.cui])
    items = [_caption(example, read) for example in examples]
    told = f"Of {counted(read.figures.captioned)} with a caption: {'; '.join(counts)}."
    return joined([element("h3", "Captions"), element("p", told), element("ul", *items, class_="quotes")])


def _caption(example: CaptionExample, read: ReadConcepts) -> Markup:
    record = example.record
    modality = modality_title(read.labelling.modalities.name_of(example.row))
    body = element(
        "div",
        element("p", element("b", example.verdict.value), " ", element("code", record.id), class_="verdict"),
        element("blockquote", excerpt(example.text, example.places)),
        _credit(record),
    )
    return element("li", picture(record, modality, _SMALL), body)
