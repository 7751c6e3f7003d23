"""The marks of a vocabulary: what fills up, what begins and what ends a caption.

Invariant: only the end is ever written; it may be the same token as another mark, as in GPT-2.
>>> Marks(pad=0, begin=1, end=2).never
(0, 1)
>>> Marks(pad=7, begin=7, end=7).never
()
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.captioning.tokens.tokenizer import Tokenizer

__all__ = ["Marks", "marks_of"]


@dataclass(frozen=True, slots=True)
class Marks:
    """Numbers of tokens."""

    pad: int
    begin: int
    end: int

    @property
    def never(self) -> tuple[int, ...]:
        """Marks that no caption holds."""
        return tuple(sorted({self.pad, self.begin} - {self.end}))


def marks_of(tokenizer: Tokenizer) -> Marks:
    """Those of a tokenizer."""
    return Marks(tokenizer.pad, tokenizer.begin, tokenizer.end)
