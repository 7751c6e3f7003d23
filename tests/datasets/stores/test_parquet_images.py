"""Images in Parquet cells: one row group for one image, nothing outside the folder."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from radcap.datasets import ImageRefused
from radcap.datasets.stores import parquet_cells
from radcap.datasets.stores.parquet_cells import ParquetImages

STRUCT = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def store(folder: Path, column: Any, **options: Any) -> ParquetImages:
    pq.write_table(
        pa.table({"image_id": list(map(str, range(len(column)))), "image": column}),
        folder / "a.parquet",
        **options,
    )
    return ParquetImages((folder / "a.parquet",), folder)


def cells(*values: Any) -> Any:
    return pa.array(values, STRUCT)


def test_bytes_and_names_come_from_the_cell(tmp_path: Path):
    images = store(tmp_path, cells({"bytes": b"x", "path": "d/x.png"}, None, {"bytes": b"", "path": None}))
    assert [images.has(f"0:{row}") for row in range(3)] == [True, False, True]
    assert (images.read("0:0"), images.read("0:2")) == (b"x", b"")
    assert (images.name("0:0"), images.name("0:2")) == ("d/x.png", "a-2")
    assert images.path("0:0") is None
    assert list(images.keys()) == ["0:0", "0:2"]
    assert not images.has("")


def test_a_column_of_plain_bytes_serves_too(tmp_path: Path):
    images = store(tmp_path, pa.array([b"x", None], pa.binary()))
    assert images.read("0:0") == b"x"
    assert (images.has("0:0"), images.has("0:1")) == (True, False)
    with pytest.raises(ImageRefused, match=r"There is no image 'a\.parquet, row 2'"):
        images.read("0:1")


def test_a_struct_without_path_serves_too(tmp_path: Path):
    images = store(tmp_path, pa.array([{"bytes": b"x"}]))
    assert images.read("0:0") == b"x"
    assert images.name("0:0") == "a-0"


@pytest.mark.parametrize(
    "column",
    [
        cells(*({"bytes": None, "path": name} for name in ("up/b.png", "gone.png"))),
        pa.array(["up/b.png", "gone.png"]),
    ],
)
def test_a_cell_may_name_a_file_of_the_folder(column: Any, tmp_path: Path):
    (tmp_path / "up").mkdir()
    (tmp_path / "up" / "b.png").write_bytes(b"file")
    images = store(tmp_path, column)
    assert (images.has("0:0"), images.has("0:1")) == (True, False)
    assert images.read("0:0") == b"file"
    assert images.path("0:0") == tmp_path / "up" / "b.png"
    before = images.stamp("0:0")
    (tmp_path / "up" / "b.png").write_bytes(b"changed")
    assert images.stamp("0:0") != before
    with pytest.raises(ImageRefused, match=r"There is no image gone\.png"):
        images.read("0:1")


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "a/../../secret", "..\\secret"])
def test_no_cell_leads_out_of_the_folder(name: str, tmp_path: Path):
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "in").mkdir()
    images = store(tmp_path / "in", pa.array([name]))
    assert not images.has("0:0")
    with pytest.raises(ImageRefused):
        images.read("0:0")


def test_bytes_are_looked_for_where_only_some_cells_have_them(tmp_path: Path):
    images = store(tmp_path, cells({"bytes": b"x", "path": "x.png"}, {"bytes": None, "path": "gone.png"}))
    assert [images.has("0:0"), images.has("0:1")] == [True, False]


def test_without_statistics_a_cell_counts_as_there(tmp_path: Path):
    images = store(tmp_path, cells({"bytes": b"x", "path": "x.png"}, None), write_statistics=False)
    assert [images.has("0:0"), images.has("0:1")] == [True, False]


def test_one_image_costs_one_row_group_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    column = cells(*({"bytes": bytes([n]) * 100, "path": f"{n}.png"} for n in range(20)))
    images = store(tmp_path, column, row_group_size=5)
    read: list[int] = []
    plain: Any = vars(pq.ParquetFile)["read_row_group"]

    def spy(self: Any, group: int, *args: Any) -> Any:
        read.append(group)
        return plain(self, group, *args)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", spy)
    for row in (7, 8, 0, 19, 7):
        assert images.read(f"0:{row}") == bytes([row]) * 100
    assert read == [1, 0, 3]
    monkeypatch.setattr(parquet_cells, "_KEPT_BYTES", 1)
    for row in (10, 11, 0):
        images.read(f"0:{row}")
    assert read == [1, 0, 3, 2, 0]


def test_it_travels_by_its_paths_and_forgets_the_rest(tmp_path: Path):
    images = store(tmp_path, cells({"bytes": b"x", "path": "x.png"}))
    images.read("0:0")
    sent = pickle.dumps(images)
    assert len(sent) < 400
    assert pickle.loads(sent).read("0:0") == b"x"  # noqa: S301


def test_a_file_that_went_or_broke_is_a_typed_refusal(tmp_path: Path):
    images = store(tmp_path, cells(*({"bytes": bytes(1000) + bytes([n]), "path": "x"} for n in range(50))))
    path = images.paths[0]
    assert images.has("0:0")
    before = images.stamp("0:0")
    whole = path.read_bytes()
    path.write_bytes(bytes(len(whole)))
    assert images.stamp("0:0") != before
    with pytest.raises(ImageRefused, match=r"a\.parquet, row 1.* cannot be decoded"):
        images.read("0:0")
    path.unlink()
    with pytest.raises(ImageRefused, match="There is no image"):
        images.read("0:0")
