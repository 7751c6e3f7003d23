"""Sentences about evidence: what is said, how likely, where, and whence.

Invariant: every concept that is named is the label of an evidence, and stands alone between marks, so that it
never grows into another concept with the words around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.certainty import how_likely
from radcap.explanation.rationale.places import where
from radcap.explanation.rationale.quoting import listed, quoted
from radcap.explanation.values import IMAGE, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from radcap.explanation.values import Evidence

__all__ = ["language_only", "statements"]

_LANGUAGE = 0.05  # a share of the image below which words come from language
_WHOLE = "This is a property of the whole image, not of a part of it."
_HELD = " To the model this is"


def statements(caption: str, evidence: Sequence[Evidence], *, calibrated: bool) -> Iterator[str]:
    """The whole image first, then the words of the caption, then what was found and not said."""
    likely = _likely(evidence, calibrated=calibrated)
    spans = [one for one in evidence if one.kind is Kind.SPAN]
    from_image = [one for one in spans if not language_only(one)]
    yield from _whole(_of_the_whole(evidence), likely)
    for one in from_image:
        if one.localisable:
            yield _span(one, caption, likely.get(one.cui, ""))
    told = {one.cui for one in from_image}
    for one in evidence:
        if one.kind is Kind.CONCEPT and one.localisable and (one.cui not in told or not one.cui):
            yield _concept(one, likely.get(one.key, ""), unsaid=_is_unsaid(one, spans, caption))
    for one in evidence:
        if one.kind in (Kind.CONTRAST, Kind.NEIGHBOUR):
            yield _further(one)
    yield from _language([one for one in evidence if language_only(one)], caption)


def language_only(one: Evidence) -> bool:
    """Whether words would have been said of any image: next to nothing of them comes from this one."""
    if one.kind not in (Kind.WORD, Kind.SPAN) or not one.localisable:
        return False
    shares = dict(one.paths)
    return shares[IMAGE] < _LANGUAGE if IMAGE in shares else one.map is None and not one.note


def _likely(evidence: Iterable[Evidence], *, calibrated: bool) -> dict[str, str]:
    """How likely each concept is held to be, by its CUI and by the key of its evidence."""
    found: dict[str, str] = {}
    for one in evidence:
        if one.kind is Kind.CONCEPT and one.probability is not None:
            words = how_likely(one.probability, calibrated=calibrated)
            found |= {one.key: words, **({one.cui: words} if one.cui else {})}
    return found


def _of_the_whole(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Concepts that have no place, and such words of the caption where the concept itself is not told."""
    concepts = [one for one in evidence if one.kind is Kind.CONCEPT and not one.localisable]
    known = {one.cui for one in concepts}
    spans = [one for one in evidence if one.kind is Kind.SPAN and not one.localisable]
    return [*concepts, *(one for one in spans if one.cui not in known or not one.cui)]


def _is_unsaid(one: Evidence, spans: Sequence[Evidence], caption: str) -> bool:
    """Whether the caption surely leaves a concept out: its words were linked, and none of them names it."""
    return (
        bool(spans)
        and all(one.cui != span.cui for span in spans)
        and one.label.lower() not in caption.lower()
    )


def _whole(concepts: Sequence[Evidence], likely: dict[str, str]) -> Iterator[str]:
    """Modality and direction of view: no part of the picture shows them more than another."""
    if concepts:
        ordered = sorted(concepts, key=lambda one: -(one.probability or 0))
        told = [_joined(one.label, likely.get(one.key, "")) for one in ordered]
        yield f"Of the image as a whole: {'; '.join(told)}. {_WHOLE}"


def _span(one: Evidence, caption: str, likely: str) -> str:
    held = f"{_HELD} {likely}." if likely else ""
    words = quoted(_words(one, caption))
    return f"In the caption {words} stands for: {one.label}.{held}{_where(one)}{_whence(one)}"


def _concept(one: Evidence, likely: str, *, unsaid: bool) -> str:
    held = f"{_HELD} {likely}." if likely else ""
    said = " The caption does not say it." if unsaid else ""
    return f"Found: {one.label}.{held}{said}{_where(one)}{_whence(one)}"


def _further(one: Evidence) -> str:
    kind = "Why one and not the other" if one.kind is Kind.CONTRAST else "A training image that spoke"
    return f"{kind}: {one.label}.{_where(one)}"


def _language(words: Sequence[Evidence], caption: str) -> Iterator[str]:
    if words:
        told = listed(list(dict.fromkeys(quoted(_words(one, caption)) for one in words)))
        yield f"Words that do not depend on this image, but on language alone: {told}."


def _words(one: Evidence, caption: str) -> str:
    """As the caption has them."""
    return one.label if one.place is None else caption[slice(*one.place)] or one.label


def _where(one: Evidence) -> str:
    note = f" Note: {one.note.rstrip('.')}." if one.note else ""
    if one.map is None:
        return f" No map was made of it.{note}"
    place = where(one.boxes) if one.localisable else ""
    return f" Where: {place}.{note}" if place else f" No place stands out.{note}"


def _whence(one: Evidence) -> str:
    told = [f"{name} ({_per_cent(share)})" for name, share in one.paths]
    return f" It comes from {listed(told)}." if told else ""


def _per_cent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def _joined(label: str, likely: str) -> str:
    return f"{label}, {likely}" if likely else label
