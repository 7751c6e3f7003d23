"""A compiled vocabulary: concepts by CUI, by code, by name; mapped into memory, open in milliseconds.

Invariant: a vocabulary never changes; it is found again in another process by its path alone.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import InputError
from radcap.vocabulary.concepts import Concept, Retired, cui_number, cui_text, type_number, type_text
from radcap.vocabulary.index.arrays import open_arrays, places_of
from radcap.vocabulary.index.compiling import FORMAT
from radcap.vocabulary.index.groups import Groups
from radcap.vocabulary.index.keys import GUARDED
from radcap.vocabulary.index.texts import Texts
from radcap.vocabulary.index.trie import Trie
from radcap.vocabulary.index.word_table import WordTable
from radcap.vocabulary.stamps import Stamp
from radcap.vocabulary.words import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.vocabulary.index.arrays import Array

__all__ = ["Vocabulary"]

# Arrays that go together: how many more entries the first has than the second.
_LENGTHS = (
    ("codes.source", "codes.owner", 0),
    ("codes.starts", "codes.owner", 1),
    ("ends.marks", "ends.node", 0),
    ("ends.name", "ends.node", 0),
    ("having.starts", "words.hashes", 1),
    ("names.source", "names.owner", 0),
    ("names.starts", "names.owner", 1),
    ("parents.starts", "cuis", 1),
    ("retired.now", "retired.cui", 0),
    ("retired.starts", "retired.cui", 1),
    ("types.starts", "cuis", 1),
    ("words.starts", "words.hashes", 1),
)


class Vocabulary:
    """Concepts and their names."""

    def __init__(self, arrays: Mapping[str, Array], stamp: Stamp, path: Path | None = None) -> None:
        self.stamp = stamp
        self.path = path
        self.words = WordTable.among(arrays)
        self.trie = Trie.among(arrays, len(self.words))
        self.names = Texts.among(arrays, "names")
        self._arrays = arrays
        self._cuis = arrays["cuis"]
        self._types = Groups.among(arrays, "types")
        self._parents = Groups.among(arrays, "parents")
        self.having = Groups.among(arrays, "having")  # the names that have a word
        self._codes = Texts.among(arrays, "codes")
        self._relations = Texts.among(arrays, "retired")

    @classmethod
    def open(cls, path: Path | str) -> Vocabulary:
        """The vocabulary in a file that `compile_draft` wrote."""
        path = Path(path)
        if not path.is_file():
            raise InputError(f"No file at {path}. A compiled vocabulary is needed. Check the path.")
        arrays, notes = open_arrays(path)
        if notes.get("format") != FORMAT or "vocabulary" not in notes:
            raise _outdated(path)
        try:
            stamp = Stamp.from_text(notes["vocabulary"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise _outdated(path) from None
        if stamp.words != digest():
            raise _outdated(path)
        try:
            if _fit_together(arrays):
                return cls(arrays, stamp, path.absolute())
        except KeyError as error:
            raise _broken(path, f"it lacks {error}") from None
        raise _broken(path, "its parts do not fit together")

    def __reduce__(self) -> tuple[object, ...]:
        if self.path is None:
            return Vocabulary, ({name: np.asarray(one) for name, one in self._arrays.items()}, self.stamp)
        return Vocabulary.open, (self.path,)

    def __len__(self) -> int:
        return len(self._cuis)

    def __iter__(self) -> Iterator[Cui]:
        return map(cui_text, self._cuis.tolist())

    def __contains__(self, cui: object) -> bool:
        return isinstance(cui, str) and self._place(cui) is not None

    def concept(self, cui: Cui) -> Concept | None:
        """All about a concept, or nothing if it is not here."""
        place = self._place(cui)
        return None if place is None else self.concept_at(place)

    def concept_at(self, place: int) -> Concept:
        """The concept at a place of the sorted CUIs."""
        first, last = self._name_range(place)
        name, *others = (self.names[one] for one in range(first, last))
        sources = dict.fromkeys(map(int, self._arrays["names.source"][first:last]))
        return Concept(
            cui_text(int(self._cuis[place])),
            name,
            tuple(others),
            self.types_at(place),
            tuple(dict.fromkeys(self.stamp.sources[one].name for one in sources)),
            tuple(cui_text(int(self._cuis[one])) for one in self._parents[place]),
        )

    def name(self, cui: Cui) -> str | None:
        """The preferred name of a concept."""
        place = self._place(cui)
        return None if place is None else self.name_at(place)

    def types(self, cui: Cui) -> tuple[str, ...]:
        """The semantic types of a concept; none where the concept or its types are not known."""
        place = self._place(cui)
        return () if place is None else self.types_at(place)

    def cui_at(self, place: int) -> Cui:
        return cui_text(int(self._cuis[place]))

    def name_at(self, place: int) -> str:
        return self.names[self._name_range(place)[0]]

    def types_at(self, place: int) -> tuple[str, ...]:
        return tuple(type_text(one) for one in self._types[place].tolist())

    def of_type(self, tui: str) -> Iterator[Cui]:
        """Every concept of a semantic type."""
        number = type_number(tui)
        if number is not None:
            starts = self._types.starts
            places = np.flatnonzero(self._types.values == number).astype(starts.dtype)
            yield from map(self.cui_at, (np.searchsorted(starts, places, side="right") - 1).tolist())

    def children(self, cui: Cui) -> tuple[Cui, ...]:
        """The concepts right below one."""
        place = self._place(cui)
        return () if place is None else tuple(self.cui_at(int(one)) for one in self._children[place])

    def ancestors(self, cui: Cui) -> tuple[Cui, ...]:
        """Every concept above one, nearest first; a circle in the source ends where it began."""
        start = self._place(cui)
        seen = {} if start is None else {start: None}
        for place in list(seen):
            pending = [place]
            while pending:
                above = dict.fromkeys(one for at in pending for one in self._parents[at].tolist())
                pending = [one for one in above if one not in seen]
                seen.update(dict.fromkeys(pending))
        return tuple(self.cui_at(one) for one in seen if one != start)

    @cached_property
    def _children(self) -> Groups:
        above, starts = self._parents.values, self._parents.starts
        if np.any(above >= len(self)):
            raise _broken(self.path or Path("The vocabulary"), "it names parents that are not there")
        below = np.searchsorted(starts, np.arange(len(above), dtype=starts.dtype), side="right") - 1
        return Groups.of(above, below.astype(np.uint32), len(self))

    def by_code(self, source: str, code: str) -> tuple[Cui, ...]:
        """The concepts a source files under a code, as in `by_code("SNOMEDCT_US", "80891009")`."""
        found: dict[Cui, None] = {}
        for number in (i for i, one in enumerate(self.stamp.sources) if one.name == source):
            found.update(dict.fromkeys(self._with_code(number, code)))
        return tuple(found)

    def _with_code(self, source: int, code: str) -> Iterator[Cui]:
        sources = self._arrays["codes.source"]
        low, high = places_of(sources, source)
        last = high
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._codes[middle] < code else (low, middle)
        while low < last and self._codes[low] == code:
            yield self.cui_at(int(self._arrays["codes.owner"][low]))
            low += 1

    def retired(self, cui: Cui) -> tuple[Retired, ...]:
        """What the release says of a CUI it gave up."""
        number = cui_number(cui)
        if number is None:
            return ()
        gone = self._arrays["retired.cui"]
        first, last = places_of(gone, number)
        now = self._arrays["retired.now"]
        return tuple(
            Retired(cui, self._relations[i], cui_text(int(now[i])) if now[i] else None)
            for i in range(first, last)
        )

    def ends(self, node: int) -> tuple[tuple[int, int, int], ...]:
        """The names that end at a node of the trie, best first: place of the concept, name, marks."""
        nodes, names, marks = (self._arrays[f"ends.{name}"] for name in ("node", "name", "marks"))
        first, last = places_of(nodes, node)
        owner = self._arrays["names.owner"]
        return tuple((int(owner[names[i]]), int(names[i]), int(marks[i])) for i in range(first, last))

    def guarded_words(self) -> NDArray[np.bool_]:
        """For each word whether it is a name that is found only in the case it is written in."""
        guarded = np.zeros(len(self.words), np.bool_)
        guarded[self._arrays["ends.node"][(self._arrays["ends.marks"] & GUARDED) != 0]] = True
        return guarded

    def owner(self, name: int) -> int:
        """The place of the concept that has a name."""
        return int(self._arrays["names.owner"][name])

    def _name_range(self, place: int) -> tuple[int, int]:
        return places_of(self._arrays["names.owner"], place)

    def _place(self, cui: str) -> int | None:
        number = cui_number(cui)
        if number is None:
            return None
        first, last = places_of(self._cuis, number)
        return first if first < last else None


def _fit_together(arrays: Mapping[str, Array]) -> bool:
    """Whether arrays that belong together are as long as each other; what they hold is not looked at."""
    if len(arrays["trie.marks"]) != len(arrays["words.hashes"]) + len(arrays["trie.edges"]):
        return False
    return all(len(arrays[one]) == len(arrays[other]) + more for one, other, more in _LENGTHS)


def _broken(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} is not whole: {why}. Compile it again with `radcap vocab build`.", path=str(path)
    )


def _outdated(path: Path) -> InputError:
    return InputError(
        f"{path} was compiled by another version of radcap. Compile it again with `radcap vocab build`.",
        path=str(path),
    )
