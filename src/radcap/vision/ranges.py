"""What the numbers of a table may be.

Invariant: a refusal names the key, its value and what would do; all keys of a table are looked at before
it is refused. No number and infinity are never right.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "ABOVE_ZERO",
    "BELOW_ONE",
    "SEED",
    "SHARE",
    "ZERO_OR_MORE",
    "Range",
    "above_zero",
    "between",
    "check_ranges",
    "problems",
]


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, both allowed unless `open_low` or `open_high` says otherwise."""

    low: float
    high: float
    wanted: str
    open_low: bool = False
    open_high: bool = False

    def __contains__(self, value: float) -> bool:
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below and abs(value) != inf


SHARE = Range(0, 1, "Give a number from 0 to 1.")
BELOW_ONE = Range(0, 1, "Give 0, or a number below 1.", open_high=True)
ZERO_OR_MORE = Range(0, inf, "Give 0 or more.")
ABOVE_ZERO = Range(0, inf, "Give a number above 0.", open_low=True)
SEED = Range(0, 2**32 - 1, "Give a whole number from 0 to 4,294,967,295.")  # as numpy and scikit-learn take


def between(low: float, high: float) -> Range:
    """From one number to the other, both allowed."""
    return Range(low, high, f"Give {low:,} to {high:,}.")


def above_zero(high: float) -> Range:
    """Up to a number, which is allowed, as 0 is not."""
    return Range(0, high, f"Give a number above 0, and {high:,} at most.", open_low=True)


def problems(table: object, ranges: Mapping[str, Range]) -> list[str]:
    """A sentence for each key of the table that lies outside of its range."""
    held = {name: getattr(table, name) for name in ranges}
    return [f"{name} is {held[name]}. {one.wanted}" for name, one in ranges.items() if held[name] not in one]


def check_ranges(table: object, ranges: Mapping[str, Range], others: Iterable[str] = ()) -> None:
    """Refuse a table with all that is wrong in it; `others` are sentences of the table's own."""
    wrong = [*problems(table, ranges), *others]
    if wrong:
        raise UsageError(" ".join(wrong))
