"""Where code and documents of the organisers part, as tables: by the values of editions, and one by one.

Invariant: both sides come from `radcap.metrics`.
What radcap does about them, and who says so, stands in `_contradictions.toml`.
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
FEW = 2  # years that are named one by one
HEADER = ("What", "The code, or the table", "The documents", "radcap", "Who says so")


def parted_values() -> str:
    """Every value of a challenge edition that its two profiles do not share; years that agree in one row."""
    from radcap.metrics import EDITIONS

    years: dict[tuple[str, ...], list[str]] = {}
    for one in EDITIONS.values():
        for row in _parted(one) if one.name.isdigit() else ():
            years.setdefault(row, []).append(one.name)
    rows = [(row[0], _years(tuple(told)), *row[1:]) for row, told in sorted(years.items(), key=_place)]
    return table(("What", "Editions", "`official`", "`documented`"), rows)


def _place(told: tuple[tuple[str, ...], list[str]]) -> tuple[str, ...]:
    """Concepts, captions, the rest; within them by year."""
    (what, *_), years = told
    task = what.partition(",")[0]
    return (str(["concepts", "captions", "source"].index(task)), what, *years)


def _parted(one: Edition) -> Iterator[tuple[str, ...]]:
    from radcap.metrics.edition_tables import edition_table

    for row in edition_table(one).rows:
        if row[1] != row[2]:
            yield tuple(map(plain, row))


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
        parts += [f"### {title}", table(HEADER, rows)]
    return "\n\n".join(parts)


def _row(one: Difference, radcap: str, source: str) -> tuple[str, ...]:
    what = f"**{one.number}.** {plain(one.topic)}, {_years(one.editions)}"
    return (what, plain(one.official), plain(one.documented), radcap, source)


def _years(editions: tuple[str, ...]) -> str:
    """Years in a row as first and last."""
    years = [name for name in editions if name.isdigit()]
    others = [name for name in editions if not name.isdigit()]
    together = len(years) > FEW and int(years[-1]) - int(years[0]) == len(years) - 1
    told = [f"{years[0]} to {years[-1]}"] if together else years
    return ", ".join([*told, *others])
