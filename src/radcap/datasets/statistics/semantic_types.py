"""Which semantic types concepts have: from a table a person gives, else from the free vocabulary.

Invariant: it is always told whose types they are. A file is a table of CUIs and types (`CUI,TUI`, types
parted by `;`) or the `MRSTY.RRF` of a UMLS release; a row that is neither refuses the file with its line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from radcap.core import InputError
from radcap.datasets.findings import Findings
from radcap.datasets.text_tables import read_csv
from radcap.formats import shown
from radcap.vocabulary import open_vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.core.runs import Cui
    from radcap.datasets.dataset import Dataset

__all__ = ["read_semantic_types", "semantic_types_of"]

_CUI = re.compile(r"C\d{7}", re.ASCII)
_TYPE = re.compile(r"T\d{3}", re.ASCII)
_CELLS = 2
_FREE = "the free vocabulary"


def semantic_types_of(
    dataset: Dataset, path: Path | None = None
) -> tuple[Mapping[Cui, tuple[str, ...]], str]:
    """The types of a file, else those of the free vocabulary for a dataset; and whose they are."""
    if path is not None:
        return read_semantic_types(path), path.name
    vocabulary = open_vocabulary()
    cuis: list[Cui] = dataset.column("cui").flatten().unique().to_pylist()
    return {cui: vocabulary.types(cui) for cui in cuis}, _FREE


def read_semantic_types(path: Path) -> Mapping[Cui, tuple[str, ...]]:
    """The types of each concept, in the order of the file."""
    if not path.is_file():
        raise InputError(f"No file at {path}. It should give concepts their semantic types. Check the path.")
    findings = Findings()
    table = read_csv(path, findings)
    findings.refuse(str(path))
    if len(table.columns) < _CELLS:
        raise InputError(f"{path.name} has one column. A CUI and its types are needed. Part them by a comma.")
    types: dict[str, dict[str, None]] = {}
    cells = zip(table.lines, table.columns[0].to_pylist(), table.columns[1].to_pylist(), strict=True)
    for line, cui, cell in cells:
        found = [part.strip() for part in cell.split(";")]
        if not _CUI.fullmatch(cui.strip()) or not all(map(_TYPE.fullmatch, found)):
            read = shown(f"{cui},{cell}")
            raise InputError(
                f"{path.name} line {line} is {read}. A CUI and its types (T023;T029) are needed. Correct it."
            )
        types.setdefault(cui.strip(), {}).update(dict.fromkeys(found))
    return {cui: tuple(found) for cui, found in types.items()}
