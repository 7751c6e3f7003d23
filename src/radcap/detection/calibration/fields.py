"""Fitted values read back from JSON.

Invariant: all that is wrong with a value is said at once, in one InputError.
>>> fields = Fields({"k": 3}, "rule")
>>> fields.number("k", 1, 10)
3.0
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from radcap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.detection.calibration.arrays import Floats, Ints

__all__ = ["Fields"]

_LARGEST = 1e300


class Fields:
    """A JSON object, read key by key; `close` raises if anything was wrong or left over.

    What is wrong is noted and answered by something that can be worked with, so that reading goes on.
    """

    def __init__(self, value: object, what: str) -> None:
        self.what = what
        self.problems: list[str] = []
        if not isinstance(value, dict):
            self.problems.append(f"it is {_kind(value)}, not an object")
        self._left: dict[str, Any] = dict(cast("Mapping[str, Any]", value)) if isinstance(value, dict) else {}
        self._broken = not isinstance(value, dict)
        self._missing: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str) -> Any:  # noqa: ANN401 - JSON
        """What stands under this key; None, and a problem, where nothing does."""
        if name not in self._left:
            self._missing.add(name)
            self.problems += [] if self._broken else [f"{name!r} is missing"]
        return self._left.pop(name, None)

    def number(self, name: str, low: float, high: float) -> float:
        value = self.take(name)
        if _is_number(value) and low <= value <= high:
            return float(value)
        self.refuse(name, value, f"a number from {low:g} to {high:g}")
        return low

    def choice(self, name: str, known: Sequence[str]) -> str:
        value = self.take(name)
        if isinstance(value, str) and value in known:
            return value
        self.refuse(name, value, f"one of {', '.join(known)}")
        return known[0]

    def flag(self, name: str) -> bool:
        value = self.take(name)
        if not isinstance(value, bool):
            self.refuse(name, value, "true or false")
        return bool(value)

    def words(self, name: str) -> tuple[str, ...]:
        """Strings, each once."""
        found = self._list(name, "a list of names")
        words = tuple(str(one) for one in found)
        if not all(isinstance(one, str) for one in found) or len(set(words)) < len(words):
            self.refuse(name, found, "a list of names, each once")
            return ()
        return words

    def numbers(
        self, name: str, length: int | None, low: float = -_LARGEST, high: float = _LARGEST
    ) -> Floats:
        """Numbers in a range; as many as told."""
        found = self._list(name, "a list of numbers")
        fine = all(_is_number(one) and low <= one <= high for one in found)
        if not fine or length not in {None, len(found)}:
            many = "" if length is None else f"{length} "
            self.refuse(name, found, f"a list of {many}numbers from {low:g} to {high:g}")
            return np.full(len(found) if length is None else length, low)
        return np.array(found, dtype=np.float64)

    def places(self, name: str, length: int | None, low: int, high: int) -> Ints:
        """Whole numbers in a range."""
        found = self.numbers(name, length, low, high)
        if np.any(found != np.floor(found)):
            self.refuse(name, found.tolist(), "a list of whole numbers")
        return found.astype(np.int64)

    def objects(self, name: str) -> list[Any]:
        return self._list(name, "a list")

    def close(self) -> None:
        """Refuse the value if anything was wrong with it."""
        if self.all_problems():
            reasons = "; ".join(self.problems)
            raise InputError(
                f"This {self.what} cannot be used: {reasons}. Fit it again, or restore the file."
            )

    def all_problems(self) -> list[str]:
        """What is wrong, now that all known keys were taken."""
        self.problems += [f"{name!r} is not known" for name in self._left]
        self._left.clear()
        return self.problems

    def note(self, problem: str) -> None:
        self.problems.append(problem)

    def _list(self, name: str, wanted: str) -> list[Any]:
        value = self.take(name)
        if isinstance(value, list):
            return cast("list[Any]", value)
        self.refuse(name, value, wanted)
        return []

    def refuse(self, name: str, value: object, wanted: str) -> None:
        """Note a value that was taken and is not what it should be; a missing one was noted already."""
        if name not in self._missing:
            self.problems.append(f"{name!r} is {value!r:.60}, not {wanted}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _kind(value: object) -> str:
    return "null" if value is None else f"a {type(value).__name__}"
