"""The tables by which words are made alike, as files that people can read and argue about.

Invariant: `digest()` changes whenever a table does, so that an index made by other tables is not used.
"""

from __future__ import annotations

import csv
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["data_file", "digest", "not_names", "prefixes", "read_pairs"]

_FORM = 1  # of the code that uses the tables: raise it when a normal form changes
_TABLES = ("not_names.csv", "plurals.csv", "prefixes.txt", "spelling.csv", "variants.csv")


def data_file(*names: str) -> Traversable:
    """A file of the vocabulary data that ships with radcap."""
    return files("radcap").joinpath("data", "vocabulary", *names)


def read_pairs(name: str) -> dict[str, str]:
    """The first two columns of a table, without its header."""
    rows = csv.reader(data_file(name).read_text("utf-8").splitlines())
    next(rows)
    return {row[0]: row[1] for row in rows}


@cache
def prefixes() -> frozenset[str]:
    """Parts that are written with and without a hyphen before a word."""
    return frozenset(data_file("prefixes.txt").read_text("utf-8").split())


@cache
def not_names() -> frozenset[str]:
    """Words that mean something else in a caption, though they name a concept."""
    return frozenset(read_pairs("not_names.csv"))


@cache
def digest() -> str:
    """What stands for the tables and the code that uses them."""
    seen = hashlib.sha256(str(_FORM).encode())
    for name in _TABLES:
        seen.update(data_file(name).read_bytes())
    return seen.hexdigest()[:16]
