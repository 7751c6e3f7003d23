"""A tokenizer from its file: ours without any package, others through `tokenizers`.

Invariant: what is opened can be used; a file that is damaged is refused with a sentence.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from radcap.captioning.tokens.bpe import BpeTokenizer
from radcap.captioning.tokens.bpe_file import Damaged, parts_of
from radcap.captioning.tokens.documents import read_document, refused
from radcap.captioning.tokens.hugging_face import open_hugging_face
from radcap.core import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.captioning.tokens.tokenizer import Tokenizer

__all__ = ["TOKENIZER", "open_tokenizer", "tokenizer_digest", "tokenizer_file"]

TOKENIZER = "tokenizer.json"


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a `tokenizer.json`, or of a folder that holds one."""
    file = tokenizer_file(path)
    document = read_document(file)
    try:
        parts = parts_of(document)
    except Damaged as error:
        raise refused(file, str(error)) from error
    return open_hugging_face(file, document) if parts is None else BpeTokenizer(parts)


def tokenizer_digest(path: Path) -> str:
    """SHA-256 of that file, by which a model knows its tokenizer."""
    return hashlib.sha256(tokenizer_file(path).read_bytes()).hexdigest()


def tokenizer_file(path: Path) -> Path:
    """The file itself, or the one in a folder."""
    file = path / TOKENIZER if path.is_dir() else path
    if not file.exists():
        raise InputError(
            f"There is no tokenizer at {file}. Captions cannot be read without one. "
            f"Give a {TOKENIZER}, or a folder that holds one.",
            path=str(file),
        )
    return file
