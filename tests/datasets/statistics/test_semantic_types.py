"""Semantic types come from a table or a UMLS release, and nothing that is neither is taken for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dataset_samples import sample

from radcap.core import InputError
from radcap.datasets.statistics import statistics
from radcap.datasets.statistics.semantic_types import read_semantic_types

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
