"""Per-image values as Parquet and CSV, to the bit, with nulls where a metric leaves an image out."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from radcap.core import Missing, Score, UsageError
from radcap.metrics import score_concepts
from radcap.report import write_per_image

if TYPE_CHECKING:
    from pathlib import Path

THIRD, TENTH, TINY = 1 / 3, 0.1 + 0.2, 5e-324
SCORES = (
    Score("f1", 0.0, 3, "f1|x", ("b", "a", "c"), (THIRD, TENTH, TINY)),
    Score("f1_manual", 0.0, 2, "f1_manual|x", ("c", "d"), (1.0, 0.0)),
    Score("f1_micro", 0.5, 3, "f1_micro|x"),
)
ROWS = [
    {"id": "b", "f1": THIRD, "f1_manual": None},
    {"id": "a", "f1": TENTH, "f1_manual": None},
    {"id": "c", "f1": TINY, "f1_manual": 1.0},
    {"id": "d", "f1": None, "f1_manual": 0.0},
]


def read_csv(path: Path) -> list[dict[str, object]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {name: cell if name == "id" else float(cell) if cell else None for name, cell in row.items()}
            for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize("name", ["scores.parquet", "SCORES.PARQUET"])
def test_parquet_is_read_back_to_the_same_bits_with_nulls_for_images_left_out(
    name: str, tmp_path: Path
) -> None:
    path = write_per_image(SCORES, tmp_path / name)
    table = pq.read_table(path)
    assert table.to_pylist() == ROWS
    assert table.schema.types == [pa.string(), pa.float64(), pa.float64()]


@pytest.mark.parametrize("name", ["scores.csv", "scores.CSV"])
def test_csv_is_read_back_to_the_same_bits_with_empty_cells_for_images_left_out(
    name: str, tmp_path: Path
) -> None:
    assert read_csv(write_per_image(SCORES, tmp_path / name)) == ROWS


def test_csv_looks_like_this(tmp_path: Path) -> None:
    path = write_per_image(SCORES, tmp_path / "scores.csv")
    assert path.read_bytes() == (
        b"id,f1,f1_manual\nb,0.3333333333333333,\na,0.30000000000000004,\nc,5e-324,1.0\nd,,0.0\n"
    )


def test_a_score_without_per_image_values_has_no_column(tmp_path: Path) -> None:
    path = write_per_image(SCORES, tmp_path / "scores.parquet")
    assert pq.read_schema(path).names == ["id", "f1", "f1_manual"]


def test_images_left_out_by_the_edition_are_null_in_its_column(tmp_path: Path) -> None:
    truth = {"a": "C0040405", "b": "", "c": "C1"}
    report = score_concepts(truth, truth, edition="2017")
    constant = score_concepts(truth, truth, edition="2018")
    assert pq.read_table(write_per_image(report.scores, tmp_path / "2017.parquet"))["id"].to_pylist() == [
        "a",
        "c",
    ]
    table = pq.read_table(write_per_image(constant.scores, tmp_path / "2018.parquet"))
    assert table.select(["id", "f1", "f1_manual"]).to_pylist() == [
        {"id": "a", "f1": 1.0, "f1_manual": 0.0},
        {"id": "c", "f1": 1.0, "f1_manual": 0.0},
        {"id": "b", "f1": None, "f1_manual": 0.0},
    ]


def test_an_existing_file_is_replaced_and_missing_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "scores.csv"
    write_per_image(SCORES[:1], path)
    write_per_image(SCORES, path)
    assert read_csv(path) == ROWS
    assert [file.name for file in path.parent.iterdir()] == ["scores.csv"]


@pytest.mark.parametrize("name", ["scores.txt", "scores", "scores.csv.gz"])
def test_another_ending_is_refused_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=rf"cannot go to {name}\. Name a file ending in \.parquet or \.csv"):
        write_per_image(SCORES, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_without_pyarrow_parquet_is_missing_with_the_way_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(Missing) as caught:
        write_per_image(SCORES, tmp_path / "scores.parquet")
    assert caught.value.what == "pyarrow"
    assert "pip install" in caught.value.how
    assert list(tmp_path.iterdir()) == []


def test_without_pyarrow_csv_still_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert read_csv(write_per_image(SCORES, tmp_path / "scores.csv")) == ROWS
