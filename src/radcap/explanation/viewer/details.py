"""What is known of one statement beside its map: notes, whence it comes, how faithful the map is.

Invariant: a figure stands beside what noise and edges reach, and with the words that say which is better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.pictures.sentences import (
    UNPLACED,
    faithfulness_verdict,
    kind_words,
    percent,
    place_note,
)
from radcap.explanation.viewer.caption import badge
from radcap.report.html import table_box
from radcap.report.markup import Markup, element, joined
from radcap.report.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.explanation.faithfulness.values import Faithfulness
    from radcap.explanation.values import Evidence
    from radcap.explanation.viewer.statements import Statement

__all__ = ["details", "faithfulness_table"]


def details(one: Statement, *, shown: bool) -> Markup:
    """The part of the page that belongs to one statement."""
    found = one.evidence
    name = element("h3", badge(one), " ", element("span", found.label or found.key, class_="label"))
    return element(
        "section",
        name,
        element("p", _summary(found), class_="legend"),
        *_notes(found),
        *_paths(found),
        *_boxes(found),
        *([_faithfulness(found.faithfulness)] if found.faithfulness else []),
        class_="details",
        data_details=one.mark,
        hidden=None if shown else "hidden",
    )


def _summary(found: Evidence) -> str:
    chance = "" if found.probability is None else f"probability {found.probability:.2f}"
    return ", ".join(filter(None, [kind_words(found.kind), found.cui, chance]))


def _notes(found: Evidence) -> Iterator[Markup]:
    if found.map is None:
        yield element("p", f"No map: {(found.note or UNPLACED).rstrip('.')}.", class_="note")
    elif note := place_note(found):
        yield element("p", note, class_="note" if found.localisable else "note warning")


def _paths(found: Evidence) -> Iterator[Markup]:
    """Whence the statement comes, as a sentence."""
    if found.paths:
        told = ", ".join(f"from {name} {percent(share)}" for name, share in found.paths)
        yield element("p", element("b", "Whence: "), f"{told}.")


def _boxes(found: Evidence) -> Iterator[Markup]:
    if found.boxes and found.localisable:
        told = ", ".join(percent(box.share) for box in found.boxes)
        yield element("p", element("b", "Boxes: "), f"{told} of what speaks for it lies inside.")


def _faithfulness(measured: Faithfulness) -> Markup:
    verdict = "good" if measured.gain > 0 else "warning"
    return joined(
        [
            element("p", element("b", "Faithfulness: "), faithfulness_verdict(measured), class_=verdict),
            table_box(faithfulness_table(measured)),
        ]
    )


def faithfulness_table(measured: Faithfulness) -> Table:
    """Each figure with those of noise and edges, and what it means; those not measured are left out."""
    rows = [
        (
            "deletion",
            f"{measured.deletion.area:.3f}",
            f"{measured.random_deletion:.3f}",
            f"{measured.edge_deletion:.3f}",
            "lower is better: how probable the statement stays as the most relevant parts go",
        ),
        (
            "insertion",
            f"{measured.insertion.area:.3f}",
            f"{measured.random_insertion:.3f}",
            f"{measured.edge_insertion:.3f}",
            "higher is better: how probable it becomes as the most relevant parts come",
        ),
        *((name, value, "", "", meaning) for name, value, meaning in _single(measured) if value),
    ]
    columns = ("measure", "this map", "noise", "edges", "what it means")
    return Table(columns, tuple(rows), "Figures of this map", right=frozenset(columns[1:4]))


def _single(measured: Faithfulness) -> Iterator[tuple[str, str, str]]:
    yield (
        "ROAD",
        _digits(measured.road),
        "higher is better: what is lost more when relevant parts go than when the others do",
    )
    yield (
        "infidelity",
        _digits(measured.infidelity),
        "lower is better: how far the map errs in telling what a change of the picture does",
    )
    yield (
        "sensitivity",
        _digits(measured.sensitivity),
        "lower is better: how much a little noise changes the map",
    )
    hit = {None: "", True: "hit", False: "miss"}[measured.pointing]
    yield "pointing", hit, "whether the highest point lies in the true region"
    yield "overlap", _digits(measured.overlap), "higher is better: of the boxes with the true region"


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
