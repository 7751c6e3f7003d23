"""The names of concepts that travel with a dataset: `cui_mapping.csv` and its relatives of other years.

Invariant: the first name of a concept counts, files taken in the order of their names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from radcap.datasets.text_tables.files import read_csv
from radcap.datasets.text_tables.writing import Form, write_csv

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.core.runs import Cui
    from radcap.datasets.findings import Findings

__all__ = ["MAPPING_FILE", "is_concept_list", "is_mapping", "read_concept_names", "write_concept_names"]

MAPPING_FILE = "cui_mapping.csv"
# cui_mapping.csv, with a prefix in 2023; cui_to_name_synth_2026.csv; string_concepts.csv in 2019 and 2020
_MAPPING = re.compile(r"(?:cui_mapping|cui_to_name|string_concepts).*\.(?:csv|tsv|txt)$", re.IGNORECASE)
_LIST = re.compile(r"(?:^|_)concepts\.(?:csv|tsv|txt)$", re.IGNORECASE)
_CONCEPT_CELL = re.compile(r'\ufeff?"?(?:concepts?|cuis?|C\d{7})"?\s*(?:[\t,|]|$)', re.IGNORECASE)
_FIRST = 4096  # characters that hold the first cell


def is_mapping(name: str) -> bool:
    """Whether a file of that name gives concepts their names."""
    return _MAPPING.search(name) is not None


def is_concept_list(path: Path) -> bool:
    """Whether it is the list of concepts of 2022, called like a label file: its rows start with CUIs."""
    if not _LIST.search(path.name) or not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return _CONCEPT_CELL.match(file.readline(_FIRST)) is not None


def read_concept_names(folder: Path, findings: Findings) -> dict[Cui, str]:
    """Every name that the mapping files of a folder give."""
    names: dict[str, str] = {}
    for path in sorted(one for one in folder.iterdir() if is_mapping(one.name) or is_concept_list(one)):
        if path.is_file():
            _take(path, names, findings)
    return names


def _take(path: Path, names: dict[str, str], findings: Findings) -> None:
    table = read_csv(path, findings)
    if len(table.columns) < 2:  # noqa: PLR2004 - a concept and its name
        return
    place = table.place("cui", "cuis", "concept", "concepts") or 0
    named = next((i for i in range(len(table.columns)) if i != place), 0)
    pairs = zip(table.columns[place].to_pylist(), table.columns[named].to_pylist(), strict=True)
    for cui, name in pairs:
        if cui.strip():
            names.setdefault(cui.strip(), name.strip())


def write_concept_names(names: Mapping[Cui, str], folder: Path) -> None:
    """The names as ROCOv2 has them, unless there are none."""
    if names:
        rows = [("CUI", "Canonical name"), *sorted(names.items())]
        write_csv(folder / MAPPING_FILE, rows, Form())
