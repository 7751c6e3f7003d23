"""Ids that are missing or stand twice.

Invariant: every such row is named with its file; none is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from radcap.formats import named

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.datasets.findings import Findings

__all__ = ["check_ids"]


def check_ids(ids: Any, where: Callable[[int], tuple[str, int]], findings: Findings) -> None:
    """Look over a column of ids; `where` tells the file and the line of a row."""
    if pc.count_distinct(ids).as_py() == len(ids) and not pc.any(pc.equal(ids, "")).as_py():
        return
    first: dict[str, int] = {}
    for place, image_id in enumerate(ids.to_pylist()):
        file, line = where(place)
        if not image_id:
            findings.add("DAT210", file, line, 1)
        elif image_id in first:
            other, row = where(first[image_id])
            findings.add("DAT201", file, line, 1, id=named(image_id), first=f"{other}, row {row}")
        else:
            first[image_id] = place
