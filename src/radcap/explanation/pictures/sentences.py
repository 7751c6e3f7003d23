"""What figures and viewer say in words: whose a map is, whether its method can be trusted, what has no map.

Invariant: an explanation of another model is never called one of the model that wrote the caption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.values import Kind, Origin
from radcap.report.names import several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.faithfulness.values import Faithfulness, Sanity
    from radcap.explanation.values import Evidence, Explanation

__all__ = [
    "DISCLAIMER",
    "NOTHING",
    "UNPLACED",
    "faithfulness_verdict",
    "kind_words",
    "origin_sentence",
    "percent",
    "place_note",
    "sanity_sentence",
    "warnings",
    "without_map",
]

DISCLAIMER = "Research software, not for diagnosis"
NOTHING = "No part of the image was found to speak for any statement."
UNPLACED = "no part of the image was found to speak for it"

_KINDS = {
    Kind.CONCEPT: "concept",
    Kind.WORD: "word of the caption",
    Kind.SPAN: "words of the caption",
    Kind.CONTRAST: "why this and not the other",
    Kind.NEIGHBOUR: "likeness to a training image",
}
_MOST_NAMES = 8  # that have one reason


def kind_words(kind: Kind) -> str:
    """The kind of an explanation in words."""
    return _KINDS[kind]


def percent(share: float) -> str:
    """A share as a whole number of hundredths."""
    return f"{100 * share:.0f} %"


def origin_sentence(explanation: Explanation) -> str:
    """Whether the model itself or another one gave the evidence."""
    if explanation.origin is Origin.EXTERNAL:
        return "Drawn by another model: says nothing about the model that wrote the caption"
    return f"Computed from the model {explanation.model} itself"


def sanity_sentence(sanity: Sanity | None) -> str:
    """Whether the maps depend on what the model has learned."""
    if sanity is None:
        return "Sanity check: not run."
    if not sanity.likeness:
        return "Sanity check: no layer could be made noise."
    last = f"likeness {sanity.likeness[-1]:.2f}, fails from {sanity.most:.2f}"
    if sanity.passed:
        return f"Passes its sanity check: maps change as the model's weights become noise ({last})."
    return f"FAILS its sanity check: maps stay alike as the model's weights become noise ({last})."


def warnings(explanation: Explanation) -> list[str]:
    """What must be read before the maps are: they are another model's, or hardly depend on the model."""
    sanity = explanation.sanity
    foreign = [f"{origin_sentence(explanation)}."] if explanation.origin is Origin.EXTERNAL else []
    return [*foreign, *([sanity_sentence(sanity)] if sanity is not None and not sanity.passed else [])]


def faithfulness_verdict(measured: Faithfulness) -> str:
    """One plain sentence on whether the map tells more than chance and edges do."""
    if measured.gain > 0:
        return f"Better than noise and edges, by {measured.gain:.2f}."
    return f"No better than noise or edges ({measured.gain:.2f}): do not rely on this map."


def place_note(one: Evidence) -> str:
    """What must be read with a map, if anything."""
    if one.localisable:
        return one.note
    return f"not localisable: {one.note}" if one.note else "not localisable: it has no single place"


def without_map(evidence: Sequence[Evidence]) -> list[str]:
    """One line for each reason why statements have no map, with their names."""
    reasons: dict[str, list[str]] = {}
    for one in evidence:
        if one.map is None:
            reasons.setdefault(one.note or UNPLACED, []).append(f"\u201c{one.label}\u201d")
    return [f"{several(names, _MOST_NAMES)}: {reason}" for reason, names in reasons.items()]
