"""Where linked captions go: a concept run, and a table of all mentions.

Invariant: a file appears whole or not at all, and rows stand in the order of the caption file.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from radcap.core import Task, UsageError
from radcap.formats import dialect, replacing
from radcap.formats.writing import format_cells, format_header
from radcap.vocabulary.captions.mention_tables import MENTIONS, csv_text, open_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from radcap.vocabulary.captions.batches import Batch

__all__ = ["MOST_CUIS", "check_names", "concept_run", "mention_file"]

_FORM = dialect("2026", Task.CONCEPTS)  # the strictest
MOST_CUIS = _FORM.max_cuis or 0
_RUNS, _TABLES = (".csv", ".txt"), (".csv", ".parquet")


def check_names(out: Path | None, mentions: Path | None) -> None:
    """Refuse names that do not say what the files are, before any work is done."""
    for path, what, endings in ((out, "concepts", _RUNS), (mentions, "mentions", _TABLES)):
        if path is not None and path.suffix.lower() not in endings:
            wanted = " or ".join(endings)
            raise UsageError(f"The {what} cannot go to {path.name}. Name a file ending in {wanted}.")
    if out is not None and mentions is not None and out.absolute() == mentions.absolute():
        raise UsageError(f"Concepts and mentions cannot both go to {out}. Name two files.")


@contextmanager
def concept_run(path: Path) -> Generator[Callable[[Batch], None]]:
    """Writes `ID,CUIs` rows, as every evaluator reads them."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{line}\n" for line in format_header(_FORM))

        def write(batch: Batch) -> None:
            rows = zip(batch.ids, batch.concepts, strict=True)
            file.writelines(f"{format_cells((one, ';'.join(cuis)), _FORM)}\n" for one, cuis in rows)

        yield write


@contextmanager
def mention_file(path: Path, *, dropped: bool) -> Generator[Callable[[Batch], None]]:
    """Writes a row for each mention, as text or Parquet; `dropped` ones only where they are wanted."""
    with replacing(path) as temporary, _open(temporary, path.suffix.lower()) as write_table:

        def write(batch: Batch) -> None:
            table = batch.mentions
            write_table(table if dropped else table.filter(pc.field("kept")))

        yield write


@contextmanager
def _open(path: Path, ending: str) -> Generator[Callable[[Any], None]]:
    if ending == ".parquet":
        with open_parquet(path) as writer:
            yield writer.write_table
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(",".join(MENTIONS.names) + "\n")

            def write_text(table: Any) -> None:
                file.write(csv_text(table))

            yield write_text
