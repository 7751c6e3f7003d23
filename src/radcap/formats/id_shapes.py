"""What ids look like, told by the first of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["id_shape"]


def id_shape(first: str) -> Callable[[str], bool]:
    """Whether a cell looks like the first id: the same letters, then digits.

    >>> is_id = id_shape("ROCO_00300")
    >>> is_id("ROCO_7"), is_id("a chest")
    (True, False)
    """
    stem = first.strip('" ').rstrip("0123456789")
    return lambda cell: bool(stem) and cell.startswith(stem) and cell[len(stem) :].isdigit()
