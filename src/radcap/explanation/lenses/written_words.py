"""The lenses before which words can be looked at, whatever writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.lenses.chat_lens import ChatLens
from radcap.explanation.lenses.chat_looking import chat_looks
from radcap.explanation.lenses.looking import looked
from radcap.explanation.lenses.writer_lens import WriterLens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.looking import Looks
    from radcap.explanation.targets import Span

__all__ = ["CaptionLens", "looks_of"]

CaptionLens = WriterLens | ChatLens


def looks_of(lens: CaptionLens, spans: Sequence[Span]) -> Looks:
    """Spans of one caption, scored with all attention in the graph."""
    return chat_looks(lens, spans) if isinstance(lens, ChatLens) else looked(lens, spans)
