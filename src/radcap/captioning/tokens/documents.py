"""Files of JSON that belong to a tokenizer, read with bounds and refused with a sentence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_document", "refused"]

_MOST = 128 << 20  # bytes; a vocabulary of 260,000 tokens takes a quarter of it


def refused(path: Path, why: str) -> InputError:
    """The refusal of a file."""
    return InputError(
        f"{path} cannot be used: {why}. It is damaged, or no tokenizer of the kind that is read here: "
        "get it again, or learn one from the captions.",
        path=str(path),
    )


def read_document(path: Path) -> dict[str, Any]:
    """The JSON object of a file."""
    try:
        size = path.stat().st_size
        if not path.is_file() or size > _MOST:
            raise refused(path, f"it has {size:,} bytes" if path.is_file() else "it is no regular file")
        value = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise refused(path, str(error)) from error
    except (ValueError, RecursionError) as error:
        raise refused(path, f"it is no JSON ({error})") from error
    if not isinstance(value, dict):
        raise refused(path, "it is no JSON object")
    return cast("dict[str, Any]", value)
