"""Somebody else's tokenizer: any file that the `tokenizers` package reads.

Invariant: text never becomes a mark, whatever is spelled in it, and nothing is cut, filled up or left to
chance. A tokenizer without a begin mark or a pad mark uses its end mark for them.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from radcap.captioning.tokens.documents import read_document, refused
from radcap.core import Missing
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["HuggingFaceTokenizer", "open_hugging_face"]

_CONFIG = "tokenizer_config.json"
_BESIDE = ("special_tokens_map.json", _CONFIG)  # the later one wins
# what the marks of widespread models are called, for a file that stands alone
_NAMES: Mapping[str, tuple[str, ...]] = {
    "pad_token": ("<pad>", "<|pad|>", "<|finetune_right_pad_id|>", "[PAD]"),
    "bos_token": ("<s>", "<|begin_of_text|>", "<|startoftext|>", "<bos>", "[CLS]"),
    "eos_token": ("</s>", "<|endoftext|>", "<|end_of_text|>", "<|im_end|>", "<eos>", "[SEP]"),
}
_LIKE_BERT = {"bos_token": "cls_token", "eos_token": "sep_token"}  # what BERT calls them, having no others
_MARKS = {*_NAMES, *_LIKE_BERT.values()}
_MOST = 1_000_000  # tokens; the largest known vocabularies have a quarter of it


@dataclass(frozen=True, slots=True)
class HuggingFaceTokenizer:
    """A tokenizer of the `tokenizers` package; `pad` and `begin` may be `end`."""

    tokenizer: Any  # tokenizers.Tokenizer; the package is not always there
    pad: int
    begin: int
    end: int
    size: int

    def encode(self, text: str) -> list[int]:
        plain = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
        return self.tokenizer.encode(plain, add_special_tokens=False).ids

    def decode(self, tokens: Sequence[int]) -> str:
        marks = {self.pad, self.begin, self.end}
        kept = [int(token) for token in tokens if token not in marks and 0 <= token < self.size]
        return self.tokenizer.decode(kept, skip_special_tokens=True)

    def save(self, path: Path) -> None:
        """Write the file, and beside it the one that names the marks."""
        marks = zip(_NAMES, (self.pad, self.begin, self.end), strict=True)
        config = {key: self.tokenizer.id_to_token(number) for key, number in marks}
        with replacing(path) as part:
            part.write_text(self.tokenizer.to_str(), encoding="utf-8")
        with replacing(path.parent / _CONFIG) as part:
            part.write_text(json.dumps(config, ensure_ascii=False, indent=1), encoding="utf-8")


def open_hugging_face(path: Path, document: Mapping[str, Any]) -> HuggingFaceTokenizer:
    """The tokenizer of a file that was read; its marks stand in the files beside it, or go by their names."""
    tokenizer = _loaded(path, document)
    numbers: Mapping[str, int] = tokenizer.get_vocab()
    size = max(numbers.values(), default=-1) + 1
    if size > _MOST:
        raise refused(path, f"its tokens have numbers up to {size - 1:,}")
    pad, begin, end = _marks(path, numbers)
    return HuggingFaceTokenizer(tokenizer, pad, begin, end, size)


def _loaded(path: Path, document: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of a package that may be absent
    try:
        factory: Any = importlib.import_module("tokenizers").Tokenizer
    except ImportError as error:
        what = "The package tokenizers"
        raise Missing(what, f"{path} is read by it.", "Run: pip install 'radcap[lm]'") from error
    try:
        tokenizer = factory.from_str(json.dumps(_plain(document)))
    except Exception as error:  # the package raises nothing more special
        raise refused(path, f"the package tokenizers says: {str(error)[:200]}") from error
    tokenizer.encode_special_tokens = True
    return tokenizer


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document less what cuts texts, fills them up, or merges by chance."""
    plain = {**document, "truncation": None, "padding": None}
    model = document.get("model")
    if isinstance(model, Mapping) and "dropout" in model:
        plain["model"] = {**cast("Mapping[str, Any]", model), "dropout": None}
    return plain


def _marks(path: Path, numbers: Mapping[str, int]) -> tuple[int, int, int]:
    """Pad, begin and end."""
    beside = [path.parent / name for name in _BESIDE]
    told: dict[str, str] = {}
    for file in beside:
        told |= _told(file) if file.exists() else {}
    told |= {key: told[like] for key, like in _LIKE_BERT.items() if key not in told and like in told}
    if not told:
        told = {key: found for key, names in _NAMES.items() if (found := _first(names, numbers))}
    end = told.get("eos_token")
    if end is None:
        raise refused(path, f"neither it nor {_CONFIG} beside it says which token ends a text")
    named = [told.get(key, end) for key in _NAMES]
    strange = [name for name in named if name not in numbers]
    if strange:
        raise refused(path, f"the mark {strange[0][:40]!r} is no token of it")
    pad, begin, last = (numbers[name] for name in named)
    return pad, begin, last


def _first(names: Sequence[str], numbers: Mapping[str, int]) -> str | None:
    return next((name for name in names if name in numbers), None)


def _told(path: Path) -> dict[str, str]:
    """The marks that a file names, as text or as {"content": text}."""
    told: dict[str, str] = {}
    for key, value in read_document(path).items():
        content = cast("Mapping[str, Any]", value).get("content") if isinstance(value, Mapping) else value
        if key in _MARKS and isinstance(content, str):
            told[key] = content
    return told
