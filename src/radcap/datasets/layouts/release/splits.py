"""The split of a row whose file does not name one.

Invariant: a column of an attribution file decides, then a label file of a split that has the same id, then a
word in the id. What none of them tells is taken as train and counted in a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.datasets.findings import Findings
    from radcap.datasets.layouts.release.attribution_file import Attribution
    from radcap.datasets.layouts.release.labels import Labels

__all__ = ["with_splits"]

_WORDS = {
    "train": "train|training",
    "valid": "valid|validation|val|dev|development",
    "test": "test|testing",
}


def with_splits(labels: Sequence[Labels], rights: Sequence[Attribution], findings: Findings) -> list[Labels]:
    """The labels parted by split, each part with its own."""
    known = [one for one in labels if one.split]
    parted = list(known)
    unnamed: list[Any] = []
    for one in labels:
        if not one.split:
            splits = _splits(one.ids, known, rights)
            unnamed.append(one.ids.filter(pc.is_null(splits)))
            parted += _parted(one, splits.fill_null("train"))
    n = len(pc.unique(pa.chunked_array(unnamed, pa.string())))
    if n:
        findings.add("DAT123", n=n)
    return parted


def _parted(one: Labels, splits: Any) -> list[Labels]:
    names: list[str] = pc.unique(splits).to_pylist()
    return [one.where(pc.equal(splits, split)).of(split) for split in names]


def _splits(ids: Any, known: Sequence[Labels], rights: Sequence[Attribution]) -> Any:
    """The split of each id, null where nothing tells."""
    found: Any = pa.nulls(len(ids), pa.string())
    for one in rights:
        if one.splits is not None:
            found = pc.coalesce(found, one.splits.take(pc.index_in(ids, one.ids)))
    for one in known:
        if found.null_count:
            found = pc.coalesce(found, _where(pc.is_in(ids, one.ids), one.split))
    for split, words in _WORDS.items():
        if found.null_count:
            pattern = rf"(?:^|[^a-z])(?:{words})(?:[^a-z]|$)"
            found = pc.coalesce(found, _where(pc.match_substring_regex(pc.ascii_lower(ids), pattern), split))
    return found


def _where(marks: Any, split: str) -> Any:
    return pc.if_else(marks, pa.scalar(split), pa.scalar(None, pa.string()))
