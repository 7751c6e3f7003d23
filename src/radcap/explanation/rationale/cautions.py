"""Sentences that say which maps not to rely on.

Invariant: a map that was tested and failed is always told; one that was not tested is never praised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.rationale.quoting import listed, quoted
from radcap.explanation.values import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from radcap.explanation.faithfulness.values import Faithfulness, Sanity
    from radcap.explanation.values import Evidence

__all__ = ["cautions"]

_EXTERNAL = "The maps are of another system than the model. They do not tell why the model said what it said."
_INSANE = (
    "The method failed its sanity test: its maps hardly change when the weights of the model become noise."
    " Do not rely on any of them."
)
_REASONS = {
    "noise": "no better than a map of noise",
    "edges": "no better than a map of edges",
    "blind": "of a statement that hardly changes when the picture is blurred away",
}
_UNTESTED = "Whether the maps are true to the model was not tested."
_SIDES = "Left and right are those of the picture. The side of the patient is not known."


def cautions(evidence: Sequence[Evidence], origin: Origin, sanity: Sanity | None) -> Iterator[str]:
    """What a reader must know before believing a map."""
    mapped = [one for one in evidence if one.map is not None]
    if any(one.boxes for one in mapped):
        yield _SIDES
    if origin is Origin.EXTERNAL:
        yield _EXTERNAL
        return
    if sanity is not None and sanity.likeness and not sanity.passed:
        yield _INSANE
    yield from _failed(mapped)
    if mapped and not any(one.faithfulness for one in mapped):
        yield _UNTESTED


def _failed(mapped: Sequence[Evidence]) -> Iterator[str]:
    """One sentence for each way to fail, so that the words agree with the figures beside them."""
    for reason, words in _REASONS.items():
        names = [
            quoted(one.label) for one in mapped if one.faithfulness and _fault(one.faithfulness) == reason
        ]
        if names:
            maps, verb, them = ("map", "is", "it") if len(names) == 1 else ("maps", "are", "them")
            yield f"The {maps} of {listed(names)} {verb} {words}: do not rely on {them}."


def _fault(tested: Faithfulness) -> str:
    """What is wrong with a map. Noise is the greater shame, so it is told where edges do as well too."""
    if tested.better:
        return ""
    if not tested.telling:
        return "blind"
    noise = tested.random_insertion - tested.random_deletion
    edges = tested.edge_insertion - tested.edge_deletion
    return "noise" if tested.insertion.area - tested.deletion.area <= noise or noise >= edges else "edges"
