"""What a reader of the report must know: what it is not, what it leaves out, what to doubt.

Invariant: that it is research software is always said, and so is that silence about a finding means nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.rationale.quoting import listed, quoted
from radcap.reading.telling import percent
from radcap.reading.values import RESEARCH_ONLY
from radcap.report.markup import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from radcap.reading.structured.values import Supported
    from radcap.reading.values import Reading

__all__ = ["limits"]

_EVEN = 0.5
_SILENCE = (
    "The model knows a fixed list of concepts. What is not listed was not decided for;"
    " that does not mean that it is absent."
)
_MAPS = "A map shows what the model used, which need not be where a finding lies."
_SIDES = "Left and right are those of the picture. The side of the patient is not known."
_CAPTION = "The caption is not part of the report, since it may say more than was decided for."


def limits(reading: Reading, disputed: Sequence[Supported]) -> tuple[str, ...]:
    """One sentence or two for each."""
    maps = [_MAPS, _SIDES] if any(one.map is not None for one in reading.evidence) else []
    caption = [_CAPTION] if reading.caption.strip() else []
    notes = [visible(note) for note in reading.notes if note.strip()]
    told = [RESEARCH_ONLY, *_doubts(reading.radiology), *_disputes(disputed), _SILENCE, *maps, *caption]
    return (*told, *notes)


def _doubts(radiology: float | None) -> Iterator[str]:
    if radiology is not None and radiology < _EVEN:
        yield (
            f"This does not look like a radiology image (probability {percent(radiology)})."
            " It was read all the same."
        )


def _disputes(disputed: Sequence[Supported]) -> Iterator[str]:
    if disputed:
        names = listed([quoted(one.name) for one in disputed])
        yield f"Left out, since the caption denies what the concepts say: {names}."
