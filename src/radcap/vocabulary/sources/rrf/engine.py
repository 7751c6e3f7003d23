"""DuckDB, which takes the lines of a release file apart.

Invariant: it sees a few megabytes of lines at a time, may hold a bounded amount of memory, spills to a folder
that is gone afterwards, and reaches for nothing else. There is no quote character: a pipe parts fields.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from radcap.core import Missing
from radcap.core.processes import default_workers
from radcap.vocabulary.sources.rrf.faults import tell_faults
from radcap.vocabulary.sources.rrf.lines import LINES, read_batches

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from duckdb import DuckDBPyConnection

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Told
    from radcap.vocabulary.sources.rrf.folder import Release

__all__ = ["CUI_FORM", "Engine", "Query", "cui_of", "open_engine"]

_MEMORY = "1GB"
CUI_FORM = "regexp_full_match(f[{}], 'C[0-9]{{7}}')"  # for `Query.checks`


def cui_of(field: int) -> str:
    """SQL: the number of the CUI in a field."""
    return f"TRY_CAST(substr(f[{field}], 2) AS UINTEGER)"


@dataclass(frozen=True, slots=True)
class Query:
    """What is wanted of a file; SQL over f, the list of fields, counted from 1.

    `checks` are what a row has to fulfil, each with its code and the field that is at fault else. `kept` says
    which rows are wanted; the checks come first.
    """

    width: int
    columns: Mapping[str, str]
    checks: tuple[tuple[str, int, str], ...] = ()
    kept: str = "TRUE"

    def to_sql(self) -> str:
        columns = ", ".join(f"{sql} AS {name}" for name, sql in self.columns.items())
        return (  # our own text; what people choose is bound as a value
            "WITH cut AS (SELECT line, string_split(text, '|') AS f FROM lines),"  # noqa: S608
            f" seen AS (SELECT line, f, {self._fault()} AS fault FROM cut)"
            f" SELECT line, fault, len(f) = {self.width} AS bare,"
            f" CASE WHEN fault <> '' THEN f END AS fields, {columns}"
            f" FROM seen WHERE fault <> '' OR ({self.kept})"
        )

    def _fault(self) -> str:
        """The first check that fails, as code and field. A row that lacks only its last pipe is whole."""
        blank = "trim(f[len(f)], chr(13) || chr(10) || ' ') = ''"  # a line keeps its end
        whole = f"len(f) = {self.width} OR (len(f) = {self.width + 1} AND {blank})"
        checks = "".join(f" WHEN NOT ({sql}) THEN '{code} {field}'" for code, field, sql in self.checks)
        return f"CASE WHEN NOT ({whole}) THEN 'VOC201 0'{checks} ELSE '' END"


@contextmanager
def open_engine(release: Release, findings: Findings, told: Told) -> Generator[Engine]:
    """An engine for one release."""
    try:
        import duckdb
    except ImportError:
        raise Missing(
            "DuckDB", "Release files of UMLS are read with it.", "Run: pip install 'radcap[vocabulary]'"
        ) from None
    with tempfile.TemporaryDirectory(prefix="radcap-") as folder:
        connection = duckdb.connect(
            ":memory:",
            config={
                "memory_limit": _MEMORY,
                "temp_directory": folder,
                "threads": default_workers(),
                "arrow_large_buffer_size": True,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )
        try:
            yield Engine(connection, release, findings, told)
        finally:
            connection.close()


class Engine:
    """Runs queries over the files of a release."""

    def __init__(
        self, connection: DuckDBPyConnection, release: Release, findings: Findings, told: Told
    ) -> None:
        self._connection = connection
        self._release = release
        self._findings = findings
        self._told = told

    def has(self, file: str) -> bool:
        return bool(self._release.paths(file))

    def run(self, file: str, query: Query, values: Mapping[str, list[str]] | None = None) -> Iterator[Any]:
        """The rows of a file that are wanted, as one table for each piece of it; faults become findings."""
        lines = bare = 0
        sql, parameters = query.to_sql(), dict(values or {}) or None
        for batch in read_batches(self._release.paths(file), file, self._findings):
            self._connection.register("lines", pa.table(batch.columns, schema=LINES))
            table = self._connection.sql(sql, params=parameters).to_arrow_table()
            good = pc.equal(table.column("fault"), "")
            tell_faults(table.filter(pc.invert(good)), query.width, file, self._findings)
            table = table.filter(good)
            bare += pc.sum(table.column("bare")).as_py() or 0
            yield table
            lines += batch.num_rows
            self._told(file, lines)
        if bare:
            self._findings.add("VOC117", file, n=bare, file=file)
