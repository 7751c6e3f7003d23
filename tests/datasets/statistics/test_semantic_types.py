"""Semantic types come from a table or a UMLS release, and nothing that is neither is taken for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dataset_samples import dataset_of, row, sample

from radcap.core import InputError
from radcap.datasets.statistics import statistics
from radcap.datasets.statistics.semantic_types import read_semantic_types, semantic_types_of
from radcap.datasets.statistics.tables import type_table

if TYPE_CHECKING:
    from pathlib import Path


def test_a_table_gives_each_concept_its_types(tmp_path: Path) -> None:
    path = tmp_path / "types.csv"
    path.write_text("CUI,TUI\nC0040405,T060\nC0817096,T029;T023\nC0817096,T029\n", "utf-8")
    assert read_semantic_types(path) == {"C0040405": ("T060",), "C0817096": ("T029", "T023")}


def test_the_file_of_a_umls_release_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "MRSTY.RRF"
    rows = ("C0040405|T060|B1.3.1.2|Diagnostic Procedure|AT1||", "C0006104|T023|A1.2.3.1|Body Part|AT2|256|")
    path.write_text("\n".join(rows) + "\n", "utf-8")
    assert read_semantic_types(path) == {"C0040405": ("T060",), "C0006104": ("T023",)}


def test_mentions_are_counted_by_type() -> None:
    stats = statistics(sample(), semantic_types={"C0040405": ("T060",), "C0817096": ("T029",)})
    found = {one.name: one.n for one in stats.concepts.semantic_types}
    assert found["T060"] == 6
    assert found["T029"] == 6


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("CUI,TUI\nC0040405,Diagnostic Procedure\n", "line 2"),
        ("CUI,TUI\nCT,T060\n", "line 2"),
        ("C0040405\n", "one column"),
        ("CUI,TUI\nC0040405\n", "types.csv"),
    ],
)
def test_other_tables_are_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "types.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=why):
        read_semantic_types(path)


def test_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No file"):
        read_semantic_types(tmp_path / "absent.csv")


def test_without_a_file_the_free_vocabulary_gives_the_types(tmp_path: Path) -> None:
    types, whose = semantic_types_of(dataset_of([row("a", cui=["C0040405", "C9999999"])], {}))
    assert (types, whose) == ({"C0040405": ("T060",), "C9999999": ()}, "the free vocabulary")
    (tmp_path / "own.csv").write_text("CUI,TUI\nC0040405,T061\n", "utf-8")
    own = semantic_types_of(sample(), tmp_path / "own.csv")
    assert own == ({"C0040405": ("T061",)}, "own.csv")


def test_the_table_names_types_and_says_whose_they_are() -> None:
    types = {"C0040405": ("T060", "T999")}
    found = type_table(statistics(sample(), semantic_types=types, types_of="own.csv").concepts)
    assert found.title == "Semantic types, those of own.csv"
    assert [cells[0] for cells in found.rows] == ["T060 Diagnostic Procedure", "T999"]
    assert type_table(statistics(sample(), semantic_types=types).concepts).title == "Semantic types"
