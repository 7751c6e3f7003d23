"""Where code and documents of the organisers part, as tables: by the values of editions, and one by one.

Invariant: both sides come from `radcap.metrics`; `_contradictions.toml` adds what radcap does and who says so.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from _markdown import plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.metrics.differences import Difference
    from radcap.metrics.editions import Edition

__all__ = ["difference_tables", "handlings", "parted_values"]

TASKS = {
    "concepts": "Concepts",
    "captions": "Captions",
    "explain": "Explanations",
    "all": "Counts, ranks and rounding",
}
HEADER = ("No.", "Editions", "Topic", "The code, or the table", "The documents", "radcap", "Who says so")


def parted_values() -> str:
    """Every value of a challenge edition that its two profiles do not share."""
    from radcap.metrics import EDITIONS

    rows = [row for one in EDITIONS.values() if one.name.isdigit() for row in _parted(one)]
    return table(("Edition", "What", "`official`", "`documented`"), rows)


def _parted(one: Edition) -> Iterator[tuple[str, ...]]:
    from radcap.metrics.edition_tables import edition_table

    for name, official, documented in edition_table(one).rows:
        if official != documented:
            yield (one.name, plain(name), plain(official), plain(documented))


def handlings() -> dict[int, tuple[str, str]]:
    """By number: what radcap does, and who says either side."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return {one["number"]: (one["radcap"], one["source"]) for one in tomllib.loads(text)["handling"]}


def difference_tables() -> str:
    """All differences, a table for each task."""
    from radcap.metrics import differences

    handled = handlings()
    parts: list[str] = []
    for task, title in TASKS.items():
        rows = [_row(one, *handled[one.number]) for one in differences() if one.task == task]
        parts += [f"### {title}", table(HEADER, rows, numbers=("No.",))]
    return "\n\n".join(parts)


def _row(one: Difference, radcap: str, source: str) -> tuple[str, ...]:
    sides = (plain(one.topic), plain(one.official), plain(one.documented))
    return (str(one.number), _years(one.editions), *sides, radcap, source)


def _years(editions: tuple[str, ...]) -> str:
    """Years in a row as first and last."""
    years = [name for name in editions if name.isdigit()]
    others = [name for name in editions if not name.isdigit()]
    together = len(years) > 1 and int(years[-1]) - int(years[0]) == len(years) - 1
    told = [f"{years[0]} to {years[-1]}"] if together else years
    return ", ".join([*told, *others])
