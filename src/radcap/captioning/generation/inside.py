"""The pieces of words that stand inside a caption, where a blank is before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.captioning.tokens.tokenizer import Tokenizer

__all__ = ["pieces_inside"]

_BEFORE = "."  # what the words are parted from, to see their pieces there


def pieces_inside(words: str, tokenizer: Tokenizer) -> tuple[int, ...]:
    """The tokens of words after others."""
    before, whole = tokenizer.encode(_BEFORE), tokenizer.encode(f"{_BEFORE} {words}")
    if whole[: len(before)] == before:
        return tuple(whole[len(before) :])
    return tuple(tokenizer.encode(f" {words}"))  # a tokenizer that joins words with what stands before
