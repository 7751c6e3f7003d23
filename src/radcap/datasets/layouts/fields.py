"""The fields of a record as other programs write them, and as a table has them.

Invariant: `captions` says all and wins; `caption` with `caption_source` stands for one caption, and a caption
that has no source has that of its row. A column that is none of ours travels on as text.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from radcap.core import UsageError
from radcap.datasets.columns import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

__all__ = ["ID_NAMES", "captions_of", "check_names", "cuis_of", "first_of", "further", "joined", "text_of"]

ID_NAMES = ("image_id", "id", "ID")
_RESERVED = {"caption", "caption_source", "file_name"}
_JOINABLE = re.compile(r"[!-:<-Z\\-~][!-:<-~]*")  # plain signs without ";", and no "[" in front


def further(table: pa.Table) -> list[str]:
    """The columns that only this dataset has."""
    return table.column_names[len(NAMES) :]


def check_names(table: pa.Table) -> None:
    """Refuse further columns that would be read back as something else."""
    bad = [name for name in further(table) if name in _RESERVED or name.startswith("image.")]
    if bad:
        raise UsageError(
            f"The dataset has further columns named {', '.join(map(repr, bad))}. Files use these names for "
            "other things. Rename the columns."
        )


def first_of(columns: Iterable[str], names: Iterable[str]) -> str | None:
    """The first of `names` that is among the columns."""
    there = set(columns)
    return next((name for name in names if name in there), None)


def captions_of(row: Mapping[str, Any]) -> list[dict[str, str]]:
    """The captions of one row of JSON or text cells.

    >>> captions_of({"caption": "CT", "caption_source": "composed"})
    [{'text': 'CT', 'source': 'composed', 'language': ''}]
    """
    value = row.get("captions")
    if isinstance(value, str):
        parsed = _parsed(value)
        value = parsed if parsed is not None else [value] if value else None
    captions = [_caption(one) for one in _several(row.get("caption") if value is None else value)]
    said = text_of(row.get("caption_source"))
    return [one if one["source"] else {**one, "source": said} for one in captions]


def _several(value: Any) -> list[Any]:
    """A list as it is, a single value as a list of it, nothing as an empty one."""
    if isinstance(value, list):
        return cast("list[Any]", value)
    return [value] if value else []


def _caption(value: Any) -> dict[str, str]:
    given = cast("Mapping[str, Any]", value if isinstance(value, dict) else {"text": value})
    return {name: text_of(given.get(name)) for name in ("text", "source", "language")}


def cuis_of(value: Any) -> list[str]:
    """Concepts from a list, from `C1;C2`, or from a list in JSON."""
    if isinstance(value, str) and value.startswith("["):
        parsed = _parsed(value)
        value = parsed if parsed is not None else value
    if isinstance(value, str):
        return [part for one in value.split(";") if (part := one.strip())]
    return [text_of(one) for one in (cast("list[Any]", value) if isinstance(value, list) else [])]


def joined(values: Sequence[str]) -> str:
    """A list as one cell: `C1;C2`, or JSON where that would not be read back the same."""
    if all(_JOINABLE.fullmatch(value) for value in values):
        return ";".join(values)
    return json.dumps(values, ensure_ascii=False)


def text_of(value: Any) -> str:
    """A value of JSON as text; text stays as it is."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parsed(text: str) -> list[Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("list[Any]", value) if isinstance(value, list) else None
