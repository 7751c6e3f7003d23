"""Where the names of a release come from: MRSAB.RRF.

Invariant: of a source that stands there several times, the current version counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.vocabulary.sources.rrf.engine import Query
from radcap.vocabulary.stamps import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vocabulary.sources.rrf.engine import Engine

__all__ = ["LICENCE", "MRSAB", "read_sources", "sources_of"]

MRSAB = "MRSAB.RRF"
LICENCE = "UMLS Metathesaurus License: personal, no redistribution"


def read_sources(engine: Engine) -> dict[str, Source]:
    """The sources by abbreviation."""
    found: dict[str, Source] = {}
    query = Query(
        width=25,
        columns={"name": "f[4]", "title": "f[5]", "release": "f[7]", "level": "f[14]", "said": "f[25]"},
        kept="f[22] <> 'N'",  # CURVER
    )
    for table in engine.run(MRSAB, query):
        for row in table.to_pylist():
            licence = f"{LICENCE}; restriction level {row['level']}"
            said = row["said"].rstrip("\r\n")
            found.setdefault(row["name"], Source(row["name"], row["title"], row["release"], licence, said))
    return found


def sources_of(names: Sequence[str], described: Mapping[str, Source]) -> tuple[Source, ...]:
    """The sources of these names; one without description has its name and the licence of all."""
    return tuple(described.get(one) or Source(one, licence=LICENCE) for one in names)
