"""Our tokenizer as a file: a `tokenizer.json` in the layout of the `tokenizers` library.

Invariant: everything in the file but vocabulary and merges is `_LAYOUT`; a file that says anything else is
somebody else's (`parts_of` gives None). One that is ours is checked whole before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from radcap.captioning.tokens.alphabet import BYTES, bytes_of, spelled
from radcap.captioning.tokens.splitting import PATTERN
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["MARKS", "BpeParts", "Damaged", "parts_of", "write_bpe"]

MARKS = ("<pad>", "<s>", "</s>")


class Damaged(Exception):
    """Why a file that is ours cannot be used; it never leaves this package."""


@dataclass(frozen=True, slots=True)
class BpeParts:
    """Pieces by number, after the marks, and the pairs that make them, by rank."""

    pieces: tuple[bytes, ...]
    merges: tuple[tuple[bytes, bytes], ...]


def _mark(number: int, content: str) -> dict[str, object]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": content, **flags, "special": True}


_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
_LAYOUT: Mapping[str, object] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [_mark(number, content) for number, content in enumerate(MARKS)],
    "normalizer": {"type": "Prepend", "prepend": " "},
    "pre_tokenizer": {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": False},
            _BYTE_LEVEL,
        ],
    },
    "post_processor": None,
    "decoder": {
        "type": "Sequence",
        "decoders": [_BYTE_LEVEL, {"type": "Strip", "content": " ", "start": 1, "stop": 0}],
    },
}
_MODEL: Mapping[str, object] = {
    "type": "BPE",
    "dropout": None,
    "unk_token": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": False,
    "byte_fallback": False,
    "ignore_merges": False,
}
_LEARNT = ("vocab", "merges")


def write_bpe(parts: BpeParts, path: Path) -> None:
    """Write the file, whole or not at all."""
    names = (*MARKS, *map(spelled, parts.pieces))
    learnt = {
        "vocab": {name: number for number, name in enumerate(names)},
        # as one text each, which every version of the library reads; no piece spells a blank as one
        "merges": [f"{spelled(left)} {spelled(right)}" for left, right in parts.merges],
    }
    document = {**_LAYOUT, "model": {**_MODEL, **learnt}}
    with replacing(path) as part:
        part.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")


def parts_of(document: Mapping[str, Any]) -> BpeParts | None:
    """What our file holds; None for one of another layout, and `Damaged` where ours does not fit together."""
    model = document.get("model")
    if not isinstance(model, Mapping) or {**document, "model": None} != {**_LAYOUT, "model": None}:
        return None
    told = cast("Mapping[str, Any]", model)
    if {name: value for name, value in told.items() if name not in _LEARNT} != _MODEL:
        return None
    pieces = _pieces(told.get("vocab"))
    return BpeParts(pieces, _merges(told.get("merges"), frozenset(pieces)))


def _pieces(vocab: object) -> tuple[bytes, ...]:
    if not isinstance(vocab, dict):
        raise Damaged("it has no vocabulary")
    numbers = cast("dict[str, object]", vocab)
    names = {number: name for name, number in numbers.items() if type(number) is int}
    if set(names) != set(range(len(numbers))):
        raise Damaged("its tokens are not numbered from 0 on, each once")
    if tuple(names[number] for number in range(min(len(names), len(MARKS)))) != MARKS:
        raise Damaged(f"its first tokens are not {', '.join(MARKS)}")
    try:
        pieces = tuple(bytes_of(names[number]) for number in range(len(MARKS), len(names)))
    except KeyError as error:
        raise Damaged(f"a token of it spells {error.args[0]!r}, which stands for no byte") from None
    if not set(pieces) >= set(BYTES):
        raise Damaged("its vocabulary lacks bytes")
    return pieces


def _merges(merges: object, pieces: frozenset[bytes]) -> tuple[tuple[bytes, bytes], ...]:
    if not isinstance(merges, list):
        raise Damaged("it has no merges")
    made = tuple(map(_merge, cast("list[object]", merges)))
    known = all(part in pieces for left, right in made for part in (left, right, left + right))
    if not known or len(set(made)) != len(made):
        raise Damaged("its merges and its vocabulary do not fit together")
    return made


def _merge(told: object) -> tuple[bytes, bytes]:
    """A pair, as one text or as the list that newer versions of the library write."""
    parts: Sequence[object] = told.split(" ") if isinstance(told, str) else cast("list[object]", told)
    match parts:
        case [str(left), str(right)] if left and right:
            try:
                return bytes_of(left), bytes_of(right)
            except KeyError:
                pass
        case _:
            pass
    raise Damaged(f"the merge {str(told)[:40]!r} is no pair of tokens")
