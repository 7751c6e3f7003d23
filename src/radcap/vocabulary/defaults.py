"""Which vocabulary is meant: the free one that ships with radcap, or a compiled file.

Invariant: the free vocabulary is compiled once for each state of its data and of the rules for words, into
the cache; where the cache cannot be written it is compiled in memory, and works the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from radcap.core import VERSION, InputError, cache_root
from radcap.vocabulary.drafts import NAMES, PARENTS, TYPES, Draft
from radcap.vocabulary.index.compiling import FORMAT, compile_draft, make_arrays
from radcap.vocabulary.stamps import Source, Stamp
from radcap.vocabulary.vocabulary import Vocabulary
from radcap.vocabulary.words import data_file, digest

__all__ = ["FREE", "free_draft", "open_vocabulary"]

FREE = "free"
_FILES = ("names.parquet", "types.parquet", "parents.parquet", "sources.json")


def open_vocabulary(name: str | Path = FREE) -> Vocabulary:
    """The free vocabulary, or the one compiled in a file."""
    return _free() if str(name) == FREE else Vocabulary.open(name)


@cache
def _free() -> Vocabulary:
    path = cache_root() / "vocabulary" / f"free-{_state()}.vocab"
    if path.is_file():
        try:
            return Vocabulary.open(path)
        except (InputError, OSError):
            pass  # half a file, of a disk that was full: it is compiled again
    draft, stamp = free_draft()
    try:
        compile_draft(draft, stamp, path)
        return Vocabulary.open(path)
    except OSError:
        arrays, counts = make_arrays(draft)
        made = replace(stamp, sources=draft.sources, counts=counts, radcap=VERSION, words=digest())
        return Vocabulary(arrays, made)


def _state() -> str:
    seen = hashlib.sha256(f"{FORMAT} {digest()} {VERSION}".encode())
    for name in _FILES:
        seen.update(data_file(FREE, name).read_bytes())
    return seen.hexdigest()[:16]


def free_draft() -> tuple[Draft, Stamp]:
    """The free vocabulary as it ships, not compiled."""
    about = json.loads(data_file(FREE, "sources.json").read_text("utf-8"))
    sources = tuple(Source(**one) for one in about.pop("sources"))
    tables = {"names": NAMES, "types": TYPES, "parents": PARENTS}
    draft = Draft(sources, **{name: _table(f"{name}.parquet", schema) for name, schema in tables.items()})
    return draft, Stamp(sources=sources, **about)


def _table(name: str, schema: Any) -> Any:
    table = pq.read_table(pa.BufferReader(data_file(FREE, name).read_bytes()))
    return table.select(schema.names).cast(schema)
