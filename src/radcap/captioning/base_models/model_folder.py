"""The folder of a language model: what the folder of every model is checked for, and its tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.core import InputError
from radcap.vision.model_folders import check_folder, read_table, refused_file, weight_file

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_folder", "check_tokenizer", "weight_file"]


def check_tokenizer(folder: Path, size: int, vocabulary: int) -> None:
    """Refuse a size that is not that of the model's own tokenizer, or more than the model has tokens for."""
    path = folder / "tokenizer.json"
    own = _tokenizer_size(path) if path.exists() else size
    if size != own or size > vocabulary:
        theirs = f", and its own tokenizer {own:,}" if path.exists() else ""
        raise InputError(
            f"{folder}: a tokenizer that does not match. It has {size:,} tokens; the language model has"
            f" {vocabulary:,}{theirs}. Write [tokenizer] file with the folder of the model.",
            path=str(folder),
        )


def _tokenizer_size(path: Path) -> int:
    """One more than the largest number that the file gives a token."""
    held = read_table(path)
    try:
        pieces: Any = held["model"]["vocab"]  # by number, or in their order
        numbers: list[int] = list(pieces.values()) if hasattr(pieces, "values") else list(range(len(pieces)))
        return 1 + max([*numbers, *(int(one["id"]) for one in held.get("added_tokens") or ())])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise refused_file(path, "it has no vocabulary", "Get the model again, the whole folder.") from error
