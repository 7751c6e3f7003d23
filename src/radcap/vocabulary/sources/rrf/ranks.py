"""How good a name is, told by its source and term type.

Invariant: a smaller place is a better name. With MRRANK.RRF the order is that of the release; without, the
release's own marks (preferred term, form and atom) come first, then the usual order of term types.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from radcap.vocabulary.sources.rrf.engine import Query

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from radcap.vocabulary.sources.rrf.engine import Engine

__all__ = ["MRRANK", "Ranks", "read_ranks"]

MRRANK = "MRRANK.RRF"
_FORMS = 8  # ways to be preferred or not
# Term types that name a concept, in the order most sources of UMLS are ranked; all others follow.
_TERM_TYPES = ("PN", "MH", "PT", "NM", "HT", "PF", "LN", "FN", "PTN", "SY")


@dataclass(frozen=True, slots=True)
class Ranks:
    """Places by 'source|term type'; empty without MRRANK.RRF."""

    listed: Mapping[str, int] = field(default_factory=dict[str, int])

    def places(self, kinds: Any) -> tuple[NDArray[np.uint32], int]:
        """The place of each of these, and how many are not listed."""
        encoded = kinds.combine_chunks().dictionary_encode()
        encoded = encoded if isinstance(encoded, pa.Array) else encoded.combine_chunks()
        names = encoded.dictionary.to_pylist()
        places = np.array([self._place(one) for one in names], np.uint32)
        listed = np.array([not self.listed or one in self.listed for one in names], np.bool_)
        at = encoded.indices.to_numpy()
        return places[at], int(np.count_nonzero(~listed[at]))

    def combined(self, places: NDArray[np.uint32], forms: NDArray[np.uint8]) -> NDArray[np.uint32]:
        """Ranks of names from their place and their form."""
        if self.listed:
            return places * np.uint32(_FORMS) + forms
        return forms.astype(np.uint32) * np.uint32(len(_TERM_TYPES) + 1) + places

    def _place(self, kind: str) -> int:
        if self.listed:
            return self.listed.get(kind, len(self.listed))
        term_type = kind.rpartition("|")[2]
        return _TERM_TYPES.index(term_type) if term_type in _TERM_TYPES else len(_TERM_TYPES)


def read_ranks(engine: Engine) -> Ranks:
    """The order MRRANK.RRF gives; its highest number is the best."""
    ranked: dict[str, int] = {}
    query = Query(
        width=4,
        columns={"rank": "TRY_CAST(f[1] AS UINTEGER)", "kind": "f[2] || '|' || f[3]"},
        checks=(("VOC217", 1, "regexp_full_match(f[1], '[0-9]{1,6}')"),),
    )
    for table in engine.run(MRRANK, query):
        for row in table.select(["rank", "kind"]).to_pylist():
            ranked[row["kind"]] = max(row["rank"], ranked.get(row["kind"], 0))
    order = sorted(ranked, key=lambda kind: (-ranked[kind], kind))
    return Ranks({kind: place for place, kind in enumerate(order)})
