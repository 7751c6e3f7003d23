"""Rows of JSON objects as columns: `metadata.jsonl`, and the samples of WebDataset.

Invariant: every key of every object is a column; a value that is no text becomes its JSON.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from radcap.datasets.columns import COLUMNS
from radcap.datasets.layouts.fields import ID_NAMES, captions_of, cuis_of, first_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["NoObject", "columns_of", "parse_object"]

_OWN = {*COLUMNS, "caption", "caption_source", "file_name"}
_TEXTS = ("group", "source", "licence", "attribution", "modality")


class NoObject(Exception):
    """Text that is no JSON object; the message says why."""


def parse_object(data: bytes) -> dict[str, Any]:
    """The object that a line or a member holds. Half a surrogate pair becomes a question mark."""
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text)
    except UnicodeDecodeError:
        raise NoObject("it is no UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise NoObject(f"it is no JSON ({error})") from None
    if not isinstance(value, dict):
        raise NoObject("it is no JSON object")
    if "\\u" in text:
        value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return cast("dict[str, Any]", value)


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns of a table but for split and image, which each layout finds in its own way."""
    there = dict.fromkeys(name for row in rows for name in row)
    chosen = first_of(there, ID_NAMES)
    names = [name for name in there if name not in {*_OWN, chosen}]
    ids = {} if chosen is None else {"image_id": [text_of(row.get(chosen)) for row in rows]}
    return {
        **ids,
        "captions": [captions_of(row) for row in rows],
        "cui": [cuis_of(row.get("cui")) for row in rows],
        "cui_manual": [cuis_of(row.get("cui_manual")) for row in rows],
        **{name: [text_of(row.get(name)) for row in rows] for name in (*_TEXTS, *names)},
    }
