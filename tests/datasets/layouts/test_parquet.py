"""Parquet that anybody wrote is read; what does not fit is named, all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dataset_samples import dataset_of, noise, png, row, sample

from radcap.core import InputError
from radcap.datasets import Caption, CaptionSource, Findings, load_dataset
from radcap.datasets.layouts.parquet import layout as parquet
from radcap.datasets.layouts.parquet import writing as parquet_writing
from radcap.datasets.stores.parquet_cells import ParquetImages

PICTURES = [png(noise(n)) for n in range(3)]
CELLS = [{"bytes": data, "path": f"{n}.png"} for n, data in enumerate(PICTURES)]


def write(path: Path, **columns: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def problems(folder: Path) -> list[tuple[str, str, str]]:
    findings = Findings()
    layout = parquet.own() if parquet.own().recognises(folder) else parquet.hugging_face()
    layout.read(folder, findings)
    return [(one.issue.code, one.file, one.issue.message) for one in findings.findings]


def test_the_published_copy_of_rocov2_is_read(tmp_path: Path):
    write(
        tmp_path / "data" / "validation-00000-of-00001.parquet",
        image=CELLS,
        image_id=["a", "b", "c"],
        caption=["CT", "", None],
        cui=[["C0040405"], [], None],
    )
    dataset = load_dataset(tmp_path)
    assert (dataset.layout, dataset.splits, dataset.ids) == ("hf", ("valid",), ["a", "b", "c"])
    assert [record.captions for record in dataset] == [(Caption("CT"),), (), ()]
    assert [record.concepts for record in dataset] == [("C0040405",), (), ()]
    assert [record.image.bytes for record in dataset] == PICTURES
    assert [record.image.name for record in dataset] == ["0.png", "1.png", "2.png"]


@pytest.mark.parametrize("name", ["ID", "id", "image_id"])
def test_ids_stand_in_any_of_three_columns(name: str, tmp_path: Path):
    write(tmp_path / "train.parquet", **{name: ["a", "b"]})
    assert load_dataset(tmp_path).ids == ["a", "b"]


@pytest.mark.parametrize(
    ("image", "ids"),
    [
        ([{"bytes": b"x", "path": "up/one.png"}, {"bytes": b"y", "path": None}], ["one", "train-1"]),
        (["up/one.png", "two.jpg"], ["one", "two"]),
        ([b"x", b"y"], ["train-0", "train-1"]),
    ],
)
def test_without_ids_the_names_of_the_images_serve(image: list[Any], ids: list[str], tmp_path: Path):
    write(tmp_path / "train.parquet", image=image)
    assert load_dataset(tmp_path).ids == ids


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        ([["C1", "C2"], []], [("C1", "C2"), ()]),
        (["C1; C2;", None], [("C1", "C2"), ()]),
        ([["C1", None], None], [("C1",), ()]),
        (pa.array(["C1;C2", ""]).dictionary_encode(), [("C1", "C2"), ()]),
        (pa.array([["C1", "C2"], []], pa.large_list(pa.large_string())), [("C1", "C2"), ()]),
        (pa.array([[], []], pa.list_(pa.null())), [(), ()]),
        (pa.nulls(2), [(), ()]),
    ],
)
def test_concepts_are_lists_or_cells(column: Any, wanted: list[tuple[str, ...]], tmp_path: Path):
    write(tmp_path / "train.parquet", image_id=["a", "b"], cui=column, cui_manual=column)
    dataset = load_dataset(tmp_path)
    assert [record.concepts for record in dataset] == wanted
    assert [record.manual for record in dataset] == wanted


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        ({"caption": ["CT"]}, (Caption("CT"),)),
        ({"caption": ["CT"], "caption_source": ["composed"]}, (Caption("CT", CaptionSource.COMPOSED),)),
        ({"caption": ["CT"], "caption_source": [None]}, (Caption("CT"),)),
        ({"caption": [["CT", "MR"]]}, (Caption("CT"), Caption("MR"))),
        ({"captions": [["CT", "MR"]], "caption": ["no"]}, (Caption("CT"), Caption("MR"))),
        (
            {"captions": [[{"text": "CT", "source": "generated", "language": "en"}]], "caption": ["no"]},
            (Caption("CT", CaptionSource.GENERATED, "en"),),
        ),
        ({"captions": [[{"text": "CT", "source": None, "language": None}]]}, (Caption("CT"),)),
        (
            {"captions": [[{"text": "CT"}]], "caption_source": ["translated"]},
            (Caption("CT", CaptionSource.TRANSLATED),),
        ),
        ({"captions": pa.nulls(1), "caption": ["CT"]}, (Caption("CT"),)),
        ({}, ()),
    ],
)
def test_captions_win_over_the_single_caption(
    columns: dict[str, Any], wanted: tuple[Caption, ...], tmp_path: Path
):
    write(tmp_path / "train.parquet", image_id=["a"], **columns)
    assert load_dataset(tmp_path)[0].captions == wanted


@pytest.mark.parametrize("captions", [{"caption": ["CT"], "caption_source": ["guess"]}, None])
def test_an_unknown_source_of_captions_is_named(captions: dict[str, Any] | None, tmp_path: Path):
    whole = {"captions": [[{"text": "CT", "source": "guess", "language": ""}]]}
    write(tmp_path / "train.parquet", image_id=["a"], **(captions or whole))
    dataset = load_dataset(tmp_path)
    assert dataset[0].captions == (Caption("CT"),)
    assert [one.issue.code for one in dataset.findings] == ["DAT113"]
    assert "Captions of a source such as 'guess'" in dataset.findings[0].issue.message


@pytest.mark.parametrize(
    ("file", "split"),
    [
        ("train-00000-of-00001.parquet", "train"),
        ("data/val-00000-of-00001-0123456789abcdef.parquet", "valid"),
        ("test/0000.parquet", "test"),
        ("default/test/0000.parquet", "test"),
        ("extra-00000-of-00001.parquet", "extra"),
        ("figures.parquet", "train"),
    ],
)
def test_the_split_stands_in_the_name_of_file_or_folder(file: str, split: str, tmp_path: Path):
    write(tmp_path / file, image_id=["a"])
    assert load_dataset(tmp_path).splits == (split,)


def test_the_column_wins_over_the_name_but_for_empty_cells(tmp_path: Path):
    write(tmp_path / "test.parquet", image_id=["a", "b"], split=["train", None])
    assert [record.split for record in load_dataset(tmp_path)] == ["train", "test"]


def test_further_columns_travel_as_text_and_files_may_differ(tmp_path: Path):
    write(tmp_path / "train-0.parquet", image_id=["a"], year=[2020], parts=[["x", "ä"]], when=[None])
    write(tmp_path / "train-1.parquet", image_id=["b"], seen=pa.array(["y"]).dictionary_encode(), ok=[True])
    first, second = load_dataset(tmp_path)
    assert first.details == {"year": "2020", "parts": '["x", "ä"]', "when": "", "seen": "", "ok": ""}
    assert second.details == {"year": "", "parts": "", "when": "", "seen": "y", "ok": "true"}


def test_a_column_of_bytes_that_is_no_image_is_named(tmp_path: Path):
    write(tmp_path / "train.parquet", image_id=["a"], mask=CELLS[:1], raw=[b"x"])
    dataset = load_dataset(tmp_path)
    assert dataset[0].details == {}
    assert [one.issue.code for one in dataset.findings] == ["DAT112", "DAT112"]


def test_every_wrong_column_of_every_file_is_named(tmp_path: Path):
    write(
        tmp_path / "a.parquet", image_id=[1], image=[2], caption=[3.0], captions=[[4]], cui=[[5]], group=[6]
    )
    write(tmp_path / "b.parquet", image_id=["x"], image=[{"data": b"x"}], captions=[[{"words": "x"}]])
    found = problems(tmp_path)
    assert [(code, file) for code, file, _ in found] == [("DAT105", "a.parquet")] * 6 + [
        ("DAT105", "b.parquet")
    ] * 2
    assert found[0][2] == "Column image_id of 'a.parquet' holds int64. Text is needed."
    with pytest.raises(InputError, match="7 more findings"):
        load_dataset(tmp_path)


def test_a_file_without_ids_and_images_is_no_dataset(tmp_path: Path):
    write(tmp_path / "a.parquet", words=["x"], numbers=[1])
    assert problems(tmp_path) == [
        ("DAT106", "a.parquet", "'a.parquet' has the columns 'words', 'numbers'. image_id is missing.")
    ]


def test_broken_files_are_named_beside_whole_ones(tmp_path: Path):
    whole = write(tmp_path / "a.parquet", image_id=["x"] * 500)
    (tmp_path / "b.parquet").write_bytes(whole.read_bytes()[:-100])
    (tmp_path / "c.parquet").write_bytes(b"PAR1 is no file PAR1")
    (tmp_path / "d.parquet").write_bytes(b"")
    (tmp_path / "e.parquet").write_bytes(b"<html>not found</html>")
    found = problems(tmp_path)
    assert [file for code, file, _ in found if code == "DAT104"] == [f"{one}.parquet" for one in "bcde"]


def test_damage_inside_a_file_is_named(tmp_path: Path):
    path = write(tmp_path / "a.parquet", image_id=[f"image {n}" for n in range(5000)])
    data = bytearray(path.read_bytes())
    data[4:2000] = bytes(1996)
    path.write_bytes(data)
    assert [code for code, *_ in problems(tmp_path)] == ["DAT104"]


def test_a_missing_part_is_named(tmp_path: Path):
    for split in ("train", "test"):
        dataset_of([row(f"{split}-{n}", split) for n in range(2)]).save(tmp_path / split / "x", "parquet")
    for n in (1, 3):
        write(tmp_path / f"train-{n:05d}-of-00009.parquet", image_id=[str(n)])
    found = [message for code, _, message in problems(tmp_path) if code == "DAT109"]
    assert len(found) == 1
    assert "'train-...-of-00009' is one part of 9, and 'train-00000-of-00009', " in found[0]
    assert found[0].endswith("'train-00006-of-00009' and more is not there.")


def test_ids_that_repeat_or_are_empty_are_named_with_file_and_row(tmp_path: Path):
    write(tmp_path / "a.parquet", image_id=["x", "y"])
    write(tmp_path / "b.parquet", image_id=["", "x", "x"])
    assert problems(tmp_path) == [
        ("DAT210", "b.parquet", "A row has no id. It names no image."),
        ("DAT201", "b.parquet", "Id x stands in a.parquet, row 1 and again here. An id names one image."),
        ("DAT201", "b.parquet", "Id x stands in a.parquet, row 1 and again here. An id names one image."),
    ]


def test_hidden_and_private_files_are_no_data(tmp_path: Path):
    write(tmp_path / "a.parquet", image_id=["x"])
    (tmp_path / "._a.parquet").write_bytes(b"a Mac wrote this")
    (tmp_path / "_metadata").write_bytes(b"")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "b.parquet").write_bytes(b"")
    assert load_dataset(tmp_path).ids == ["x"]


def test_opening_reads_no_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    sample().save(tmp_path / "out")
    read: list[str] = []
    plain: Any = vars(pq.ParquetFile)["read"]

    def spy(self: Any, columns: list[str], **options: Any) -> Any:
        read.extend(columns)
        return plain(self, columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "read", spy)
    load_dataset(tmp_path / "out")
    assert "image_id" in read
    assert not {"image", "image.bytes"} & set(read)


def test_shards_stay_below_ten_megabytes_and_groups_are_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import numpy as np

    monkeypatch.setattr(parquet_writing, "_SHARD_BYTES", 400_000)
    monkeypatch.setattr(parquet_writing, "_GROUP_BYTES", 150_000)
    files = {f"{n}.png": np.random.default_rng(n).bytes(2000 if n else 500_000) for n in range(800)}
    dataset = dataset_of([row(f"i{n}", image=f"{n}.png", more="x" * 200) for n in range(800)], files)
    dataset.save(tmp_path / "out")
    shards = sorted((tmp_path / "out").glob("*.parquet"))
    assert [path.name for path in shards] == [
        f"train-{n:05d}-of-{len(shards):05d}.parquet" for n in range(len(shards))
    ]
    assert shards[0].stat().st_size > 500_000  # one image that is larger than a shard
    assert all(200_000 < path.stat().st_size <= 400_000 for path in shards[1:-1])
    about = [pq.ParquetFile(path).metadata for path in shards]
    sizes = [one.row_group(n).num_rows for one in about for n in range(one.num_row_groups)]
    assert sizes[0] == 1
    assert max(sizes) == 64
    assert about[0].row_group(0).column(0).compression == "ZSTD"


def test_the_columns_are_those_of_the_contract(tmp_path: Path):
    sample().save(tmp_path / "out")
    schema = pq.read_schema(tmp_path / "out" / "train-00000-of-00001.parquet")
    assert schema.names == [
        *("image", "image_id", "split", "caption", "caption_source", "captions", "cui", "cui_manual"),
        *("group", "source", "licence", "attribution", "modality", "year", "journal"),
    ]
    assert schema.field("image").type == pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    table = pq.read_table(tmp_path / "out" / "train-00000-of-00001.parquet").to_pylist()
    assert table[1]["caption"] == 'CT "slice" 1, with; signs | tab\tand ä\nline'
    assert (table[0]["caption"], table[0]["caption_source"]) == ("", "")
    assert table[1]["image"]["path"] == "Sample_000001.png"


def test_a_store_is_made_of_every_file_in_order(tmp_path: Path):
    sample().save(tmp_path / "out")
    images = load_dataset(tmp_path / "out").images
    assert isinstance(images, ParquetImages)
    assert [path.name.partition("-")[0] for path in images.paths] == ["test", "train", "valid"]
