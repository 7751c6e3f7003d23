"""Byte-level BPE: pieces of words that are learnt from captions, and fall back to bytes.

Invariant: any text can be written, and what was written is read back: `decode(encode(text)) == text` for all
that is UTF-8. A text is taken as if a blank stood before it, so that a word has the same pieces at the
beginning and inside (fewer tokens: 0.3 % on captions of ROCO), and the blank is taken off at the end.
>>> tokenizer = train_bpe(["CT of the chest", "CT of the head"], size=275)
>>> tokenizer.decode(tokenizer.encode("CT of the hand"))
'CT of the hand'
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from radcap.captioning.tokens.alphabet import BYTES
from radcap.captioning.tokens.bpe_file import MARKS, BpeParts, write_bpe
from radcap.captioning.tokens.learning import learn_merges
from radcap.captioning.tokens.merging import Merge, merge_word
from radcap.captioning.tokens.splitting import words_of
from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from radcap.captioning.tokens.learning import Pair

__all__ = ["BpeTokenizer", "train_bpe"]

_SMALLEST = len(MARKS) + len(BYTES)
_REMEMBERED = 1 << 16  # words whose pieces are kept
_LONG = 64  # letters; a longer word is no word: pieces are neither learnt from it nor kept


@dataclass(frozen=True, slots=True)
class BpeTokenizer:
    """A tokenizer of our own; its marks are the first three numbers."""

    parts: BpeParts
    pad: int = field(init=False, default=0)
    begin: int = field(init=False, default=1)
    end: int = field(init=False, default=2)
    _numbers: dict[bytes, int] = field(init=False, repr=False, compare=False)
    _merges: dict[Pair, Merge] = field(init=False, repr=False, compare=False)
    _known: dict[str, list[int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pieces = self.parts.pieces
        numbers = {piece: number for number, piece in enumerate(pieces, len(MARKS))}
        merges = {
            (numbers[left], numbers[right]): Merge(rank, numbers[left + right])
            for rank, (left, right) in enumerate(self.parts.merges)
        }
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "_merges", merges)
        object.__setattr__(self, "_known", {})

    @property
    def size(self) -> int:
        return len(MARKS) + len(self.parts.pieces)

    def encode(self, text: str) -> list[int]:
        """The pieces of a text; marks that are spelled in it are words like others."""
        tokens: list[int] = []
        for word in words_of(f" {text}" if text else ""):
            tokens += self._known.get(word) or self._pieces(word)
        return tokens

    def _pieces(self, word: str) -> list[int]:
        data = word.encode("utf-8", "replace")  # half a surrogate pair is no text: a question mark
        pieces = merge_word([self._numbers[data[i : i + 1]] for i in range(len(data))], self._merges)
        if len(word) <= _LONG and len(self._known) < _REMEMBERED:
            self._known[word] = pieces
        return pieces

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of any numbers: marks and numbers of no piece are left out, broken UTF-8 is replaced."""
        pieces = self.parts.pieces
        kept = (pieces[token - len(MARKS)] for token in tokens if len(MARKS) <= token < self.size)
        return b"".join(kept).decode("utf-8", "replace").removeprefix(" ")

    def save(self, path: Path) -> None:
        """Write the file that `open_tokenizer` and the `tokenizers` library read."""
        write_bpe(self.parts, path)


def train_bpe(texts: Iterable[str], size: int) -> BpeTokenizer:
    """A tokenizer of at most `size` tokens: fewer where no pair is left that occurs twice."""
    if size < _SMALLEST:
        raise UsageError(
            f"A vocabulary of {size} tokens was asked for. The bytes and the marks alone are {_SMALLEST}. "
            "Ask for more."
        )
    words = Counter(word for text in texts if text for word in words_of(f" {text}"))
    counts: Counter[bytes] = Counter()
    for word, times in words.items():
        if len(word) <= _LONG:
            counts[word.encode("utf-8", "replace")] += times
    # numbered as in the vocabulary less the marks, which changes no order
    return BpeTokenizer(_parts(learn_merges(counts, BYTES, size - _SMALLEST)))


def _parts(learnt: Sequence[Pair]) -> BpeParts:
    pieces = list(BYTES)
    merges: list[tuple[bytes, bytes]] = []
    for left, right in learnt:
        merges.append((pieces[left], pieces[right]))
        pieces.append(pieces[left] + pieces[right])
    return BpeParts(tuple(pieces), tuple(merges))
