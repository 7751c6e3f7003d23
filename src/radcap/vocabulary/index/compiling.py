"""From a draft to an index: sort, number, and lay everything out in arrays.

Invariant: the same draft gives the same bytes. Nothing is dropped in silence: names that cannot be looked up,
and rows about concepts without a name, are counted in the stamp.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.core import VERSION
from radcap.vocabulary.index.arrays import write_arrays
from radcap.vocabulary.index.groups import Groups
from radcap.vocabulary.index.keys import DERIVED, GUARDED, LONGEST, Keys, taken_apart
from radcap.vocabulary.index.texts import Texts
from radcap.vocabulary.index.trie import Trie
from radcap.vocabulary.index.word_table import WordTable
from radcap.vocabulary.words import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from radcap.vocabulary.drafts import Draft
    from radcap.vocabulary.index.arrays import Array
    from radcap.vocabulary.stamps import Stamp

__all__ = ["FORMAT", "compile_draft", "make_arrays"]

FORMAT = "1"  # of the arrays: raise it when one changes its meaning
_TOLD = 50_000  # names between two words of progress


def compile_draft(
    draft: Draft, stamp: Stamp, path: Path, told: Callable[[str, int], None] | None = None
) -> Stamp:
    """Write the index of a draft, and return its stamp with what was counted."""
    arrays, counts = make_arrays(draft, told)
    stamp = replace(
        stamp, sources=draft.sources, counts={**stamp.counts, **counts}, radcap=VERSION, words=digest()
    )
    write_arrays(path, arrays, {"format": FORMAT, "vocabulary": stamp.to_text()})
    return stamp


def make_arrays(
    draft: Draft, told: Callable[[str, int], None] | None = None
) -> tuple[dict[str, Array], dict[str, int]]:
    """All arrays of an index, and what they hold."""
    names = _best_first(draft.names)
    cuis, owner = np.unique(_numbers(names, "cui"), return_inverse=True)
    owner = owner.astype(np.uint32)
    types, untyped = _groups(draft.types, "type", cuis)
    parents, strays = _parents(draft.parents, cuis)
    codes, uncoded = _codes(draft.codes, cuis)
    looked_up = _look_up(names, owner, told)
    arrays = {
        "cuis": cuis.astype(np.uint32),
        "names.owner": owner,
        "names.source": _numbers(names, "source").astype(np.uint16),
        **_texts(names.column("name")).to_arrays("names"),
        **types.to_arrays("types"),
        **parents.to_arrays("parents"),
        **codes,
        **_retired(draft.retired),
        **looked_up.arrays,
    }
    counts = {
        "concepts": len(cuis),
        "names": len(names),
        "keys": looked_up.keys,
        "words": looked_up.words,
        "names_not_looked_up": looked_up.left,
        "typed": int(np.count_nonzero(np.diff(types.starts))),
        "parents": len(parents.values),
        "codes": len(codes["codes.owner"]),
        "retired": len(draft.retired),
        "types_without_name": untyped,
        "parents_without_name": strays,
        "codes_without_name": uncoded,
    }
    return arrays, counts


def _best_first(names: Any) -> Any:
    """Names by concept, the best first; one that stands twice stands once, under its best rank."""
    order = [("cui", "ascending"), ("rank", "ascending"), ("source", "ascending"), ("name", "ascending")]
    table = names.combine_chunks().take(pc.sort_indices(names, sort_keys=order))
    places = table.append_column("place", pa.array(np.arange(len(table), dtype=np.uint32)))
    first = places.group_by(["cui", "name"], use_threads=False).aggregate([("place", "min")])
    kept = np.sort(first.column("place_min").to_numpy())
    return table if len(kept) == len(table) else table.take(pa.array(kept)).combine_chunks()


def _numbers(table: Any, name: str) -> Array:
    return table.column(name).to_numpy()


def _texts(column: Any) -> Texts:
    """The texts of an Arrow column, whose own layout is ours."""
    one = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    one = pa.concat_arrays(one.chunks) if isinstance(one, pa.ChunkedArray) else one
    _, offsets, letters = one.buffers()
    starts = np.frombuffer(offsets, np.int64)[one.offset : one.offset + len(one) + 1]
    held = np.frombuffer(letters, np.uint8) if letters is not None else np.zeros(0, np.uint8)
    kind = np.uint32 if not len(starts) or starts[-1] - starts[0] < 2**32 else np.uint64
    first, last = (int(starts[0]), int(starts[-1])) if len(starts) else (0, 0)
    starts = (starts - first).astype(kind) if len(starts) else np.zeros(1, kind)
    return Texts(held[first:last], starts)


def _places(cuis: Array, wanted: Array) -> tuple[Array, Array]:
    """Where these CUIs stand, and which of them do."""
    places = np.searchsorted(cuis, wanted)
    there = places < len(cuis)
    there[there] = cuis[places[there]] == wanted[there]
    return places[there].astype(np.uint32), there


def _groups(table: Any, column: str, cuis: Array) -> tuple[Groups, int]:
    rows = np.unique(np.stack([_numbers(table, "cui"), _numbers(table, column)], axis=1), axis=0)
    places, there = _places(cuis, rows[:, 0])
    return Groups.of(places, rows[there, 1].astype(np.uint16), len(cuis)), int(np.count_nonzero(~there))


def _parents(table: Any, cuis: Array) -> tuple[Groups, int]:
    rows = np.unique(np.stack([_numbers(table, "cui"), _numbers(table, "parent")], axis=1), axis=0)
    rows = rows[rows[:, 0] != rows[:, 1]]
    above, known = _places(cuis, rows[:, 1])
    below, there = _places(cuis, rows[known, 0])
    return Groups.of(below, above[there], len(cuis)), len(rows) - len(below)


def _codes(table: Any, cuis: Array) -> tuple[dict[str, Array], int]:
    """Codes sorted by source and code, so that one is found by halving."""
    order = [("source", "ascending"), ("code", "ascending"), ("cui", "ascending")]
    rows = table.take(pc.sort_indices(table, sort_keys=order))
    places, there = _places(cuis, _numbers(rows, "cui"))
    rows = rows.filter(pa.array(there))
    arrays = {"codes.owner": places, "codes.source": _numbers(rows, "source").astype(np.uint16)}
    return arrays | _texts(rows.column("code")).to_arrays("codes"), int(np.count_nonzero(~there))


def _retired(table: Any) -> dict[str, Array]:
    rows = table.take(pc.sort_indices(table, sort_keys=[("cui", "ascending"), ("now", "ascending")]))
    relations = Texts.of(rows.column("relation").to_pylist())
    numbers = {f"retired.{name}": _numbers(rows, name).astype(np.uint32) for name in ("cui", "now")}
    return numbers | relations.to_arrays("retired")


@dataclass(frozen=True, slots=True)
class _LookedUp:
    arrays: dict[str, Array]
    keys: int
    words: int
    left: int


def _look_up(names: Any, owner: Array, told: Callable[[str, int], None] | None) -> _LookedUp:
    """The words of all names, the trie of their keys, and the names each key leads to."""
    keys = Keys()
    rows = _KeyRows()
    left = 0
    for place, name in enumerate(_each(names.column("name"), told)):
        before = len(rows.lengths)
        for numbers, mark in keys.of(name):
            rows.add(numbers, place, mark)
        left += len(rows.lengths) == before
    named = len(rows.lengths)
    _add_taken_apart(rows, taken_apart(keys.words))
    table, number = WordTable.of(list(keys.words))
    having = _having(rows, named, number)
    trie, nodes = Trie.of(number[_array(rows.flat)], _array(rows.lengths).astype(np.int64), len(table))
    ends = _ends(nodes, _array(rows.places), _array(rows.marks), names, owner)
    arrays = table.to_arrays() | trie.to_arrays() | ends | having.to_arrays("having")
    return _LookedUp(arrays, len(ends["ends.node"]), len(table), left)


def _having(rows: _KeyRows, count: int, number: Array) -> Groups:
    """For each word the names that have it, in their order, by the first keys."""
    places, lengths = _array(rows.places)[:count], _array(rows.lengths)[:count].astype(np.int64)
    words = number[_array(rows.flat)[: int(lengths.sum())]].astype(np.uint64)
    pairs = np.unique(words << np.uint64(32) | np.repeat(places, lengths))
    return Groups.of((pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32), len(number))


class _KeyRows:
    """Keys as columns: the numbers of all, how many each has, and the name and marks they belong to."""

    def __init__(self) -> None:
        self.flat, self.lengths = array("I"), array("B")
        self.places, self.marks = array("I"), array("B")

    def add(self, numbers: list[int], place: int, mark: int) -> None:
        self.flat.extend(numbers)
        self.lengths.append(len(numbers))
        self.places.append(place)
        self.marks.append(mark)


def _add_taken_apart(rows: _KeyRows, pairs: dict[int, tuple[int, int]]) -> None:
    """Keys for words that are also written with a hyphen behind their prefix."""
    if not pairs:
        return
    lengths = _array(rows.lengths).astype(np.int64)
    of_key = np.repeat(np.arange(len(lengths)), lengths)
    hit = np.isin(_array(rows.flat), np.fromiter(pairs, np.uint32, len(pairs)))
    starts = np.cumsum(lengths) - lengths
    for key in map(int, np.unique(of_key[hit])):
        first = int(starts[key])
        numbers = [
            part for one in rows.flat[first : first + int(lengths[key])] for part in pairs.get(one, (one,))
        ]
        if len(numbers) <= LONGEST:
            rows.add(numbers, int(rows.places[key]), int(rows.marks[key]) & DERIVED)


def _array(values: array[int]) -> Array:
    """A copy, since an array that is looked at cannot grow."""
    return np.array(values, np.dtype(values.typecode))


def _each(names: Any, told: Callable[[str, int], None] | None) -> Iterator[str]:
    """The names one by one, as text only while they are looked at."""
    for start in range(0, len(names), _TOLD):
        if told:
            told("names", start)
        yield from names.slice(start, _TOLD).to_pylist()


def _ends(nodes: Array, places: Array, marks: Array, names: Any, owner: Array) -> dict[str, Array]:
    """The names that end at each node, best first: one for each concept, and each that needs its case."""
    ranks = _numbers(names, "rank")[places]
    owners = owner[places]
    order = np.lexsort((places, owners, ranks, marks & DERIVED, nodes))
    pairs = nodes[order].astype(np.uint64) << np.uint64(32) | owners[order]
    guarded = np.where(marks & GUARDED, places.astype(np.int64), -1)[order]
    alike = np.lexsort((guarded, pairs))  # stable, so the best of those alike comes first
    first = np.ones(len(alike), np.bool_)
    first[1:] = (np.diff(pairs[alike]) != 0) | (np.diff(guarded[alike]) != 0)
    kept = order[np.sort(alike[first])]
    return {
        "ends.node": nodes[kept].astype(np.uint32),
        "ends.name": places[kept].astype(np.uint32),
        "ends.marks": marks[kept],
    }
