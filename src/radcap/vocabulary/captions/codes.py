"""The catalogue of findings in caption files that run files do not have.

Invariant: a code is never reused and its meaning never changes; new ones are appended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.formats import Code

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CATALOGUE", "CODES"]

CATALOGUE = (
    Code(
        "CAP101",
        "E",
        False,
        "The header names {names}. None of them is known as a column of captions.",
        "Name that column Caption.",
    ),
    Code(
        "CAP102",
        "E",
        False,
        "Line {line} ends with cell {n}. The {what} belongs into cell {place}.",
        "Add what is missing.",
    ),
    Code(
        "CAP103",
        "E",
        False,
        "Line {line} has {n} cells, the header names {width}. It is open which one is the caption.",
        "Put cells that hold the separator in double quotes.",
    ),
    Code(
        "CAP104",
        "W",
        True,
        "Line {line} has {n} cells. All of them from the caption on were read as one text.",
        "Put the caption in double quotes.",
    ),
    Code(
        "CAP105",
        "E",
        False,
        "Id {id} is on lines {first} and {line}. A run has one row per image.",
        "Delete one, or give each its own id.",
    ),
    Code(
        "CAP106", "E", False, "Line {line} starts with an empty cell. A row needs an image id.", "Fill it in."
    ),
)
CODES: Mapping[str, Code] = {code.code: code for code in CATALOGUE}
