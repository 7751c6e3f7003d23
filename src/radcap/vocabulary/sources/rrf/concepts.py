"""What a release says of concepts besides their names: types (MRSTY), retired ones (MRCUI), parents (MRREL).

Invariant: only well-formed rows are passed on; a row that is not is a finding with its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from radcap.vocabulary.concepts import cui_text, type_text
from radcap.vocabulary.drafts import PARENTS, RETIRED, TYPES
from radcap.vocabulary.sources.rrf.engine import CUI_FORM, Query, cui_of
from radcap.vocabulary.sources.rrf.faults import tell_each
from radcap.vocabulary.sources.type_names import known_types

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.rrf.engine import Engine
    from radcap.vocabulary.sources.rrf.filters import UmlsFilters

__all__ = [
    "CUIS",
    "MRCUI",
    "MRREL",
    "MRSTY",
    "marked",
    "of_types",
    "read_parents",
    "read_retired",
    "read_types",
]

MRSTY, MRCUI, MRREL = "MRSTY.RRF", "MRCUI.RRF", "MRREL.RRF"
CUIS = 10_000_000  # numbers a CUI can have: a mark for each is one byte


def read_types(engine: Engine, findings: Findings) -> Any:
    """The types of concepts."""
    query = Query(
        width=6,
        columns={"cui": cui_of(1), "type": "TRY_CAST(substr(f[2], 2) AS USMALLINT)"},
        checks=(
            ("VOC203", 1, CUI_FORM.format(1)),
            ("VOC208", 2, "regexp_full_match(f[2], 'T[0-9]{3}')"),
        ),
    )
    tables = [TYPES.empty_table()]
    for table in engine.run(MRSTY, query):
        _tell_unknown(table, findings)
        tables.append(table.select(TYPES.names).cast(TYPES))
    return pa.concat_tables(tables)


def _tell_unknown(table: Any, findings: Findings) -> None:
    types = table.column("type").to_numpy()
    unknown = table.filter(pa.array(~np.isin(types, list(known_types()))))

    def fields(place: int) -> dict[str, object]:
        number, cui = (unknown.column(name)[place].as_py() for name in ("type", "cui"))
        return {"text": type_text(number), "cui": cui_text(cui)}

    tell_each("VOC209", MRSTY, findings, unknown.column("line").to_pylist(), fields)


def of_types(types: Any, wanted: tuple[str, ...]) -> NDArray[np.bool_]:
    """A mark for each concept that has one of these types."""
    numbers = [int(one[1:]) for one in wanted]
    return marked(types.filter(pa.array(np.isin(types.column("type").to_numpy(), numbers))))


def marked(table: Any) -> NDArray[np.bool_]:
    """A mark for each concept of a table, by number."""
    marks = np.zeros(CUIS, np.bool_)
    marks[table.column("cui").to_numpy()] = True
    return marks


def read_retired(engine: Engine) -> Any:
    """Concepts that were given up, and what stands for them now: 0 where nothing does."""
    query = Query(
        width=7,
        columns={"cui": cui_of(1), "relation": "f[3]", "now": f"coalesce({cui_of(6)}, 0)::UINTEGER"},
        checks=(
            ("VOC203", 1, CUI_FORM.format(1)),
            ("VOC203", 6, f"f[6] = '' OR {CUI_FORM.format(6)}"),
        ),
    )
    tables = [table.select(RETIRED.names).cast(RETIRED) for table in engine.run(MRCUI, query)]
    joined = pa.concat_tables([RETIRED.empty_table(), *tables])
    return joined.group_by(RETIRED.names, use_threads=False).aggregate([])


def read_parents(engine: Engine, filters: UmlsFilters, there: NDArray[np.bool_]) -> Any:
    """The hierarchy among concepts that have names.

    In MRREL.RRF, REL is the relation the second concept has to the first. So where REL is PAR, CUI2 is the
    parent of CUI1; RELA, where given, is then inverse_isa. CHD rows say the same the other way round.
    """
    values = {"suppress": list(filters.suppress)} if filters.suppress is not None else {}
    kept = "f[4] = 'PAR'" + (" AND list_contains($suppress, f[15])" if values else "")
    if filters.sources is not None:
        values["sources"] = list(filters.sources)
        kept += " AND list_contains($sources, f[11])"
    query = Query(
        width=16,
        columns={"cui": cui_of(1), "parent": cui_of(5)},
        checks=(("VOC203", 1, CUI_FORM.format(1)), ("VOC203", 5, CUI_FORM.format(5))),
        kept=kept,
    )
    found = [np.empty(0, np.uint64)]
    for table in engine.run(MRREL, query, values):
        child, parent = (table.column(name).to_numpy().astype(np.uint64) for name in ("cui", "parent"))
        both = there[child] & there[parent] & (child != parent)
        found.append(np.unique(child[both] << np.uint64(32) | parent[both]))
    pairs = np.unique(np.concatenate(found))
    columns = [(pairs >> np.uint64(32)).astype(np.uint32), (pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32)]
    return pa.table([pa.array(one) for one in columns], schema=PARENTS)
