r"""Where the keys of a TOML text stand, so that a finding can name its line.

Invariant: this only points; what a file says is tomllib's to decide. A key that is not found has the place of
the table around it, and line 0 where there is none.
>>> key_places("[train]\nlr = 1")[("train", "lr")]
(2, 1)
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Spot", "key_places", "place_of", "spot_name"]

Spot: TypeAlias = tuple[str | int, ...]  # keys from the top of the file; a number counts tables of an array

_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(?:#.*)?")
_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY = re.compile(rf"\s*({_PART}(?:[ \t]*\.[ \t]*{_PART})*)[ \t]*=")
_LONG_STRING = re.compile(r'"""|\'\'\'')


def key_places(text: str) -> dict[Spot, tuple[int, int]]:
    """Line and column of every key and table, counted from 1."""
    places: dict[Spot, tuple[int, int]] = {}
    counts: dict[Spot, int] = {}  # of tables in each array of tables
    table: Spot = ()
    quote = ""
    for number, line in enumerate(text.split("\n"), 1):
        if quote:
            quote = _still_open(quote, line)
            continue
        if (header := _HEADER.fullmatch(line)) and (keys := _keys(header[2])):
            table = _entered(keys, counts, is_array=header[1] == "[[")
            places.setdefault(table, (number, header.start(1) + 1))
        elif key := _KEY.match(line):
            spot = (*table, *_keys(key[1]))
            places.setdefault(spot, (number, key.start(1) + 1))
            quote = _still_open("", line[key.end() :])
    return places


def _keys(text: str) -> Spot:
    """The keys of a dotted name, quoted or not."""
    keys: list[str] = []
    try:
        below: Any = tomllib.loads(f"{text} = 0")
    except ValueError:  # a line inside an array that looks like a header
        return ()
    while isinstance(below, dict) and below:  # nothing is left of a comment
        ((key, below),) = below.items()  # pyright: ignore[reportUnknownVariableType]
        keys.append(key)  # pyright: ignore[reportUnknownArgumentType]
    return tuple(keys)


def _entered(keys: Spot, counts: dict[Spot, int], *, is_array: bool) -> Spot:
    """The table that a header opens: below an array of tables, in its last one."""
    spot: Spot = ()
    for n, key in enumerate(keys, 1):
        spot = (*spot, key)
        if is_array and n == len(keys):
            counts[spot] = counts.get(spot, 0) + 1
        if spot in counts:
            spot = (*spot, counts[spot] - 1)
    return spot


def _still_open(quote: str, text: str) -> str:
    """The quotes of a string that goes on in the next line, if one does."""
    for found in _LONG_STRING.findall(text):
        if not quote:
            quote = found
        elif quote == found:
            quote = ""
    return quote


def place_of(spot: Spot, places: Mapping[Spot, tuple[int, int]]) -> tuple[int, int]:
    """Line and column of a key, or of what stands around it."""
    for end in range(len(spot), 0, -1):
        if spot[:end] in places:
            return places[spot[:end]]
    return 0, 0


def spot_name(table: Spot) -> str:
    """A table as a person calls it.

    >>> spot_name(("member", 1, "train")), spot_name(())
    ('[member.train] of member 2', 'The file')
    """
    if not table:
        return "The file"
    name = ".".join(str(key) for key in table if isinstance(key, str))
    counted = [f" of {table[n - 1]} {key + 1}" for n, key in enumerate(table) if isinstance(key, int)]
    return f"[{name}]{''.join(counted)}"
