"""Sources of captions, as far as radcap knows them.

Invariant: a caption leaves a reader with a known source; how many had another is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.columns import CAPTION
from radcap.datasets.lists import single
from radcap.datasets.records import CaptionSource
from radcap.formats import shown

if TYPE_CHECKING:
    from radcap.datasets.findings import Findings

__all__ = ["with_known_sources"]

_KNOWN = pa.array([one.value for one in CaptionSource], pa.string())


def with_known_sources(captions: Any, file: str, findings: Findings) -> Any:
    """The captions with `original` where a source is unknown; where nobody named one, that is no finding."""
    array = single(captions)
    values = array.flatten()
    sources = values.field("source")
    if pc.all(pc.is_in(sources, _KNOWN)).as_py() in {True, None}:
        return array
    sources = pc.utf8_lower(pc.utf8_trim_whitespace(sources))  # `Composed` is no original either
    known = pc.is_in(sources, _KNOWN)
    odd = sources.filter(pc.and_(pc.invert(known), pc.not_equal(sources, "")))
    if len(odd):
        listed = ", ".join(one.value for one in CaptionSource)
        findings.add("DAT113", file, n=len(odd), text=shown(odd[0].as_py()), known=listed)
    sources = pc.if_else(known, sources, CaptionSource.ORIGINAL.value)
    fields = [values.field("text"), sources, values.field("language")]
    made = pa.StructArray.from_arrays(fields, fields=[CAPTION.field(i) for i in range(CAPTION.num_fields)])
    return pa.ListArray.from_arrays(array.offsets, made)
