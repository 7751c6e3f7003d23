"""Names and codes of concepts: MRCONSO.RRF.

Invariant: names come in the order of the file; a smaller rank is a better name, as the release itself ranks
them where MRRANK.RRF is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.formats import shown
from radcap.vocabulary.concepts import cui_text
from radcap.vocabulary.drafts import CODES, NAMES
from radcap.vocabulary.sources.rrf.concepts import CUIS
from radcap.vocabulary.sources.rrf.engine import CUI_FORM, Query, cui_of
from radcap.vocabulary.sources.rrf.faults import tell_each
from radcap.vocabulary.sources.rrf.folder import MRCONSO

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.rrf.engine import Engine
    from radcap.vocabulary.sources.rrf.filters import UmlsFilters
    from radcap.vocabulary.sources.rrf.ranks import Ranks

__all__ = ["Atoms", "Known", "read_atoms"]

_REPLACED = "\ufffd"


@dataclass(frozen=True, slots=True)
class Known:
    """What other files say of concepts, by number; None where the file is not there."""

    wanted: NDArray[np.bool_] | None = None  # by semantic type
    typed: NDArray[np.bool_] | None = None
    retired: NDArray[np.bool_] | None = None


@dataclass(slots=True)
class Atoms:
    """What MRCONSO.RRF gave."""

    names: Any
    codes: Any
    sources: list[str]
    there: NDArray[np.bool_]  # the concepts that have a name


def read_atoms(engine: Engine, filters: UmlsFilters, ranks: Ranks, known: Known, findings: Findings) -> Atoms:
    """One pass over the file."""
    collecting = _Collecting(ranks, known, findings)
    query, values = _query(filters)
    for table in engine.run(MRCONSO, query, values):
        collecting.take(table)
    return collecting.finish()


def _query(filters: UmlsFilters) -> tuple[Query, dict[str, list[str]]]:
    values: dict[str, list[str]] = {}

    def among(column: int, name: str, chosen: Iterable[object] | None) -> str:
        if chosen is None:
            return "TRUE"
        values[name] = [str(one) for one in chosen]
        return f"list_contains(${name}, f[{column}])"

    row = " AND ".join(
        (
            among(2, "languages", filters.languages),
            among(17, "suppress", filters.suppress),
            among(16, "levels", filters.levels),
        )
    )
    named = among(12, "sources", filters.sources)
    coded = among(12, "code_sources", filters.code_sources)
    # CODE is what a source calls its concept; SNOMED CT says it in SCUI too, which is what its users know.
    code = "CASE WHEN f[12] LIKE 'SNOMEDCT%' AND f[10] <> '' THEN f[10] ELSE f[14] END"
    query = Query(
        width=18,
        columns={
            "cui": cui_of(1),
            "name": "f[15]",
            "source": "f[12]",
            "kind": "f[12] || '|' || f[13]",
            "named": named,
            "code": f"CASE WHEN {coded} THEN nullif(nullif({code}, 'NOCODE'), '') END",
            # The order of the release inside one rank: preferred term, preferred form, preferred atom.
            "form": "(f[3] <> 'P')::UTINYINT * 4 + (f[5] <> 'PF')::UTINYINT * 2 + (f[7] <> 'Y')::UTINYINT",
        },
        checks=(
            ("VOC214", 17, "f[17] IN ('N', 'O', 'E', 'Y')"),
            ("VOC214", 16, "f[16] BETWEEN '0' AND '9' AND length(f[16]) = 1"),
            ("VOC203", 1, CUI_FORM.format(1)),
        ),
        kept=f"{row} AND ({named} OR {coded})",
    )
    return query, values


class _Collecting:
    """Names and codes while they come in."""

    def __init__(self, ranks: Ranks, known: Known, findings: Findings) -> None:
        self._ranks = ranks
        self._known = known
        self._findings = findings
        self._sources: dict[str, int] = {}
        self._names: list[Any] = []
        self._codes: list[Any] = []
        self._there = np.zeros(CUIS, np.bool_)
        self._unranked = 0

    def take(self, table: Any) -> None:
        if self._known.wanted is not None:
            table = table.filter(pa.array(self._known.wanted[_numbers(table, "cui")]))
        self._take_names(table.filter(table.column("named")))
        self._take_codes(table.filter(table.column("code").is_valid()))

    def _take_names(self, table: Any) -> None:
        table = self._without_blank(table)
        cuis = _numbers(table, "cui")
        self._tell_concepts(table, cuis)
        self._tell_names(table)
        self._there[cuis] = True
        places, unranked = self._ranks.places(table.column("kind"))
        self._unranked += unranked
        ranks = self._ranks.combined(places, _numbers(table, "form"))
        columns = [table.column("cui"), table.column("name"), self._numbered(table), pa.array(ranks)]
        self._names.append(pa.table(columns, schema=NAMES))

    def _without_blank(self, table: Any) -> Any:
        """The rows with names, blanks around them taken off."""
        names = pc.utf8_trim_whitespace(table.column("name"))
        blank = pc.equal(names, "")
        self._tell("VOC205", table, _places(blank))
        place = table.schema.get_field_index("name")
        return table.set_column(place, "name", names).filter(pc.invert(blank))

    def _take_codes(self, table: Any) -> None:
        columns = [table.column("cui"), self._numbered(table), table.column("code")]
        self._codes.append(_once(pa.table(columns, schema=CODES)))

    def _numbered(self, table: Any) -> Any:
        """The source of each row as its place in the list."""
        encoded = table.column("source").combine_chunks().dictionary_encode()
        encoded = encoded if isinstance(encoded, pa.Array) else encoded.combine_chunks()
        places = [self._sources.setdefault(one, len(self._sources)) for one in encoded.dictionary.to_pylist()]
        return pa.array(np.array(places, np.uint16)[encoded.indices.to_numpy()])

    def _tell_concepts(self, table: Any, cuis: NDArray[np.uint32]) -> None:
        """Concepts that other files speak of otherwise, each on its first line."""
        some, first = np.unique(cuis, return_index=True)
        fresh = ~self._there[some]
        typed, retired = self._known.typed, self._known.retired
        if typed is not None:
            self._tell("VOC210", table, first[fresh & ~typed[some]])
        if retired is not None:
            self._tell("VOC211", table, first[fresh & retired[some]])

    def _tell_names(self, table: Any) -> None:
        names = table.column("name")
        self._tell("VOC206", table, _places(pc.equal(pc.utf8_length(names), 1)))
        self._tell("VOC212", table, _places(pc.match_substring(names, _REPLACED)))

    def _tell(self, code: str, table: Any, places: NDArray[np.int64]) -> None:
        rows = table.take(pa.array(np.sort(places)))

        def fields(place: int) -> dict[str, object]:
            name, cui = (rows.column(one)[place].as_py() for one in ("name", "cui"))
            return {"name": shown(name), "cui": cui_text(cui)}

        tell_each(code, MRCONSO, self._findings, rows.column("line").to_pylist(), fields)

    def finish(self) -> Atoms:
        if self._unranked:
            self._findings.add("VOC118", MRCONSO, n=self._unranked)
        names = pa.concat_tables([NAMES.empty_table(), *self._names])
        codes = _once(pa.concat_tables([CODES.empty_table(), *self._codes]))
        codes = codes.filter(pa.array(self._there[_numbers(codes, "cui")]))
        return Atoms(names, codes, list(self._sources), self._there)


def _numbers(table: Any, column: str) -> Any:
    return table.column(column).to_numpy()


def _once(codes: Any) -> Any:
    """Each row once: a concept has a code under many names."""
    return codes.group_by(CODES.names, use_threads=False).aggregate([])


def _places(hits: Any) -> NDArray[np.int64]:
    return np.flatnonzero(hits.to_numpy())
