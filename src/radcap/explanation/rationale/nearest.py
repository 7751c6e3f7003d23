"""Sentences about the nearest training cases.

Invariant: what is known of a case is quoted, with the case that it belongs to; nothing of it is claimed of
the image.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.rationale.cases import may_show
from radcap.explanation.rationale.quoting import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from radcap.explanation.values import Case

__all__ = ["NEAREST", "nearest"]

NEAREST = "Training images that are nearest"  # how that part begins
_SAME = 0.995  # a likeness from which two pictures may be one: rounded axes bring all of them nearer


def nearest(cases: Sequence[Case], labels: Collection[str]) -> Iterator[str]:
    """One sentence for each case; `labels` are the concepts that may be named."""
    if cases:
        yield f"{NEAREST} to this one, as the model sees them (they prove nothing):"
    for one in cases:
        parts = [f"similarity {one.similarity:.2f}", *_known(one, labels)]
        yield f"- {quoted(one.image)}: {'; '.join(parts)}."


def _known(one: Case, labels: Collection[str]) -> Iterator[str]:
    if one.similarity >= _SAME:
        yield "perhaps the same picture"
    if one.caption:
        source = f" ({one.caption_source})" if one.caption_source else ""
        yield f"its caption{source} is {quoted(one.caption)}"
    if one.concepts:
        yield f"it shares {_shared(one, labels)}"
    yield f"licence {quoted(one.licence)}" if one.licence else "licence not stated"
    if one.attribution:
        yield f"source {quoted(one.attribution)}"
    if not may_show(one.licence):
        yield "its picture is left out, since the licence does not allow to show a copy"


def _shared(one: Case, labels: Collection[str]) -> str:
    """Shared concepts by the names that this explanation uses; those under another name are counted."""
    shared = {name.casefold() for name in one.concepts}
    once = {label.casefold(): label for label in labels}
    named = [label for folded, label in once.items() if folded in shared]
    if len(named) < len(one.concepts):
        return f"{len(one.concepts)} of what was said"
    return listed(named)
