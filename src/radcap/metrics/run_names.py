"""A name for each run of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.loading import Labels

__all__ = ["named_runs"]


def named_runs(runs: Sequence[Path | str] | Mapping[str, Labels]) -> dict[str, Labels]:
    """Each run under a name of its own: the file's, with its folder or a number where two share it.

    >>> list(named_runs(["a/run.csv", "b/run.csv", "b/run.csv"]))
    ['a/run', 'b/run', 'b/run (2)']
    """
    found = dict(runs) if isinstance(runs, Mapping) else _unique([Path(run) for run in runs])
    if not found:
        raise UsageError("There is no run to compare. Give one or more run files.")
    return found


def _unique(paths: list[Path]) -> dict[str, Labels]:
    found: dict[str, Labels] = {}
    for path in paths:
        alone = len({other.parent for other in paths if other.stem == path.stem}) == 1
        base = path.stem if alone else str(path.with_suffix(""))
        name, n = base, 1
        while name in found:
            n += 1
            name = f"{base} ({n})"
        found[name] = path
    return found
