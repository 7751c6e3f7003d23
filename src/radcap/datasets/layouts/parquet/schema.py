"""The columns of our Parquet files, and what Hugging Face wants to know of them.

Invariant: the metadata of the schema is what the `datasets` library itself writes for these columns.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from radcap.datasets.columns import CAPTIONS, COLUMNS, CUIS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FIELDS", "HUGGING_FACE_FIRST", "IMAGE", "OWN_ORDER", "features", "schema", "yaml_features"]

IMAGE: Any = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])
_FIRST: dict[str, Any] = {
    "image": IMAGE,
    "image_id": COLUMNS["image_id"],
    "split": COLUMNS["split"],
    "caption": pa.string(),
    "caption_source": pa.string(),
}
FIELDS: dict[str, Any] = {**_FIRST, **{name: kind for name, kind in COLUMNS.items() if name not in _FIRST}}
OWN_ORDER = tuple(FIELDS)
HUGGING_FACE_FIRST = ("image", "image_id", "caption", "cui")
_VALUE = {"dtype": "string", "_type": "Value"}
_CAPTION_KEYS = ("text", "source", "language")


def schema(names: Sequence[str]) -> Any:
    """The schema of a file with these columns."""
    metadata = {"huggingface": json.dumps({"info": {"features": features(names)}})}
    return pa.schema([pa.field(name, FIELDS.get(name, pa.string())) for name in names], metadata=metadata)


def features(names: Sequence[str]) -> dict[str, Any]:
    """The columns as features of Hugging Face."""
    return {name: _feature(FIELDS.get(name)) for name in names}


def _feature(kind: Any) -> dict[str, Any]:
    if kind is IMAGE:
        return {"_type": "Image"}
    if kind is CAPTIONS:
        return {"feature": dict.fromkeys(_CAPTION_KEYS, _VALUE), "_type": "List"}
    return {"feature": _VALUE, "_type": "List"} if kind is CUIS else _VALUE


def yaml_features(names: Sequence[str]) -> list[dict[str, Any]]:
    """The same in the form that a dataset card has in its front matter."""
    return [{"name": name, **_yaml_feature(FIELDS.get(name))} for name in names]


def _yaml_feature(kind: Any) -> dict[str, Any]:
    if kind is IMAGE:
        return {"dtype": "image"}
    if kind is CAPTIONS:
        return {"list": [{"name": key, "dtype": "string"} for key in _CAPTION_KEYS]}
    return {"list": "string"} if kind is CUIS else {"dtype": "string"}
