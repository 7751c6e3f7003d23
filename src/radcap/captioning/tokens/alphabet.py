"""Bytes as printable characters, the way tokenizer files of byte-level BPE write them.

Invariant: the 256 bytes and their characters are one to one; `BYTES` stand in the order of the code points of
their characters, in which the `tokenizers` library numbers them when it learns.
>>> spelled(b" CT")
'ĠCT'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BYTES", "bytes_of", "spelled"]

_PRINTABLE = (*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_REST = tuple(sorted(set(range(256)) - set(_PRINTABLE)))  # blanks and controls: from U+0100 on
_CHARACTERS: Mapping[int, str] = {
    **{byte: chr(byte) for byte in _PRINTABLE},
    **{byte: chr(0x100 + place) for place, byte in enumerate(_REST)},
}
_BYTES: Mapping[str, int] = {character: byte for byte, character in _CHARACTERS.items()}
BYTES = tuple(bytes([byte]) for byte in (*_PRINTABLE, *_REST))  # in the order of their characters


def spelled(piece: bytes) -> str:
    """A piece in the characters of a file."""
    return "".join(map(_CHARACTERS.__getitem__, piece))


def bytes_of(text: str) -> bytes:
    """The piece that a file spells so; `KeyError` where a character stands for no byte."""
    return bytes(map(_BYTES.__getitem__, text))
