"""Image folders with `metadata.csv`, with `metadata.jsonl`, and with nothing but images."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from dataset_samples import dataset_of, noise, png, row, sample

from radcap.core import InputError
from radcap.datasets import Caption, CaptionSource, Findings, load_dataset
from radcap.datasets.layouts.image_folder import layout as image_folder
from radcap.datasets.layouts.image_folder.metadata_files import csv_line

PNG = png(noise(1))


def folder_of(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def problems(folder: Path) -> list[tuple[str, str, int]]:
    findings = Findings()
    image_folder.layout().read(folder, findings)
    return [(one.issue.message, one.file, one.issue.line) for one in findings.findings]


@pytest.mark.parametrize(
    "table",
    [
        'file_name,caption,cui,year\n1.png,"CT, signs\nand ""lines""",C1; C2,2020\nd/2.png,,,\n',
        '\ufefffile_name,cui,year,caption\r\n1.png,C1; C2,2020,"CT, signs\nand ""lines"""\r\nd/2.png,,,',
    ],
)
def test_a_table_names_its_images(table: str, tmp_path: Path):
    folder = folder_of(tmp_path, {"metadata.csv": table, "1.png": PNG, "d/2.png": b"two"})
    dataset = load_dataset(folder)
    first, second = dataset
    assert (dataset.layout, dataset.ids, dataset.splits) == ("folder", ["1", "2"], ("train",))
    assert first.captions == (Caption('CT, signs\nand "lines"'),)
    assert first.concepts == ("C1", "C2")
    assert (first.details, second.details) == ({"year": "2020"}, {"year": ""})
    assert (first.image.bytes, second.image.bytes) == (PNG, b"two")
    assert second.captions == ()


def test_lines_of_json_are_read_too(tmp_path: Path):
    lines = [
        {"file_name": "a.png", "id": 7, "caption": ["CT", "MR"], "cui": ["C1"], "year": 2020, "ok": True},
        {"file_name": "b.png", "id": "x", "captions": [{"text": "T", "source": "composed"}], "cui": "C1;C2"},
        {"file_name": None, "id": "y", "caption": "X", "caption_source": "generated", "parts": {"a": [1]}},
    ]
    text = "\n".join(map(json.dumps, lines)) + "\n\n"
    dataset = load_dataset(folder_of(tmp_path, {"metadata.jsonl": text, "a.png": PNG, "b.png": PNG}))
    assert dataset.ids == ["7", "x", "y"]
    assert [record.captions for record in dataset] == [
        (Caption("CT"), Caption("MR")),
        (Caption("T", CaptionSource.COMPOSED),),
        (Caption("X", CaptionSource.GENERATED),),
    ]
    assert [record.concepts for record in dataset] == [("C1",), ("C1", "C2"), ()]
    assert dataset[0].details == {"year": "2020", "ok": "true", "parts": ""}
    assert dataset[2].details["parts"] == '{"a": [1]}'
    assert [dataset.images.has(record.image.key) for record in dataset] == [True, True, False]


@pytest.mark.parametrize(
    ("folder", "split"),
    [
        ("train", "train"),
        ("validation", "valid"),
        ("val", "valid"),
        ("dev", "valid"),
        ("test", "test"),
        ("x", "train"),
    ],
)
def test_the_folder_tells_the_split(folder: str, split: str, tmp_path: Path):
    folder_of(
        tmp_path, {f"{folder}/metadata.csv": "file_name,words\ntest_1.png,x\n", f"{folder}/test_1.png": PNG}
    )
    record = load_dataset(tmp_path)[0]
    assert (record.split, record.id, record.image.bytes) == (split, "test_1", PNG)


def test_a_table_at_the_top_may_reach_into_splits(tmp_path: Path):
    table = "file_name,image_id,split\ntrain/1.png,a,\nval/1.png,b,\nval/2.png,c,test\n"
    dataset = load_dataset(folder_of(tmp_path, {"metadata.csv": table, "train/1.png": PNG}))
    assert [(record.id, record.split) for record in dataset] == [
        ("a", "train"),
        ("b", "valid"),
        ("c", "test"),
    ]


def test_a_plain_folder_of_images_is_a_dataset(tmp_path: Path):
    folder_of(
        tmp_path,
        {"a.png": PNG, "test/b.JPG": PNG, "val/deep/c.v1.jpeg": PNG, ".d.png": PNG, "README.txt": "x"},
    )
    dataset = load_dataset(tmp_path)
    assert dataset.layout == "folder"
    assert [(record.id, record.split) for record in dataset] == [
        ("a", "train"),
        ("b", "test"),
        ("c.v1", "valid"),
    ]
    assert dataset[1].image.bytes == PNG


@pytest.mark.parametrize("other", ["captions.csv", "train/labels.txt", "train.zip"])
def test_images_beside_a_table_of_another_kind_are_no_plain_folder(other: str, tmp_path: Path):
    folder_of(tmp_path, {"train/a.png": PNG, other: "x"})
    assert not image_folder.layout().recognises(tmp_path)


def test_a_folder_without_images_is_no_dataset(tmp_path: Path):
    folder_of(tmp_path, {"a.doc": "x"})
    assert not image_folder.layout().recognises(tmp_path)


def test_images_of_one_name_in_two_folders_are_named(tmp_path: Path):
    folder_of(tmp_path, {"train/a.png": PNG, "test/a.png": PNG})
    with pytest.raises(InputError, match=r"Id a stands in test/a\.png, row 0 and again here"):
        load_dataset(tmp_path)


def test_every_fault_of_every_table_is_named(tmp_path: Path):
    folder_of(
        tmp_path,
        {
            "train/metadata.csv": "file_name,caption\na.png,x\nb.png\nc.png,y,z\n",
            "test/metadata.csv": "image,caption\na.png,x\n",
            "valid/metadata.csv": b"file_name,caption\na.png,\xff\xfe\n",
            "dev/metadata.csv": "",
            "val/metadata.csv": "file_name,file_name\na,b\n",
            "x/metadata.jsonl": '{"file_name": "q"}\n{"file_name": \n[1]\n',
            "y/metadata.jsonl": '{"name": "a"}\n',
            "z/metadata.jsonl": b'{"file_name": "\xff"}\n',
        },
    )
    found = problems(tmp_path)
    assert [(file, line) for _, file, line in found] == [
        ("dev/metadata.csv", 0),
        ("test/metadata.csv", 0),
        ("train/metadata.csv", 0),
        ("train/metadata.csv", 0),
        ("val/metadata.csv", 0),
        ("valid/metadata.csv", 0),
        ("x/metadata.jsonl", 2),
        ("x/metadata.jsonl", 3),
        ("y/metadata.jsonl", 0),
        ("z/metadata.jsonl", 1),
    ]
    messages = [message for message, _, _ in found]
    assert messages[1] == "'test/metadata.csv' has the columns 'image', 'caption'. file_name is missing."
    assert messages[2] == "'train/metadata.csv' cannot be read: row 3 has 1 cells, the header has 2."
    assert messages[3] == "'train/metadata.csv' cannot be read: row 4 has 3 cells, the header has 2."
    assert messages[4] == "'val/metadata.csv' cannot be read: two columns have the same name."
    assert messages[7] == "line 3 of 'x/metadata.jsonl' cannot be read: it is no JSON object."


def test_a_header_alone_is_a_dataset_of_nothing(tmp_path: Path):
    folder_of(tmp_path, {"metadata.csv": "file_name,caption,cui\n"})
    assert len(load_dataset(tmp_path)) == 0
    folder_of(tmp_path, {"metadata.csv": "file_name,words\n"})
    assert len(load_dataset(tmp_path)) == 0


def test_no_row_leads_out_of_the_folder(tmp_path: Path):
    folder_of(
        tmp_path, {"secret.png": PNG, "in/metadata.csv": "file_name,x\n../secret.png,\n/etc/hostname,\n"}
    )
    dataset = load_dataset(tmp_path / "in")
    assert [dataset.images.has(record.image.key) for record in dataset] == [False, False]


def test_captions_that_are_no_json_are_text(tmp_path: Path):
    folder_of(tmp_path, {"metadata.csv": "file_name,captions\na.png,plain words\nb.png,[1\nc.png,\n"})
    assert [record.caption for record in load_dataset(tmp_path)] == ["plain words", "[1", ""]


def test_the_table_is_plain_csv_with_json_only_where_a_cell_cannot_say_all(tmp_path: Path):
    rows = [
        row("one", captions=[{"text": "CT", "source": "composed", "language": ""}], cui=["C1", "C2"]),
        row("two", captions="CT", cui=["odd one"]),
    ]
    dataset_of(rows).save(tmp_path / "out", "folder")
    with (tmp_path / "out" / "train" / "metadata.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["file_name"], first["caption"], first["caption_source"]) == ("one.png", "CT", "composed")
    assert (first["captions"], first["cui"]) == ("", "C1;C2")
    assert json.loads(second["captions"]) == [{"text": "CT", "source": "original", "language": "en"}]
    assert second["cui"] == '["odd one"]'


def test_ids_that_are_no_file_names_keep_their_images(tmp_path: Path):
    sample().save(tmp_path / "plain", "folder")
    assert (tmp_path / "plain" / "valid" / "Sample_000002.png").is_file()
    dataset_of([row("../up"), row("a"), row("A")]).save(tmp_path / "odd", "folder")
    names = sorted(path.name for path in (tmp_path / "odd" / "train").iterdir())
    assert "a.png" in names
    assert [name[:3] for name in names] == ["a.p", "id-", "id-", "met"]


@pytest.mark.parametrize("cell", ["", "a", "a,b", 'a"b', "a\rb", "a\nb", " a", "a ", "\ta", "\ufeffx"])
def test_a_line_of_csv_reads_back(cell: str):
    assert next(csv.reader([csv_line(("x", cell, "y"))])) == ["x", cell, "y"]


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("metadata.csv", "file_name,image_id,id,image\na.png,x,7,other.png\n"),
        ("metadata.jsonl", '{"file_name": "a.png", "image_id": "x", "id": 7, "image": "other.png"}\n'),
    ],
)
def test_a_second_column_of_ids_is_kept_and_one_called_image_is_named(name: str, table: str, tmp_path: Path):
    dataset = load_dataset(folder_of(tmp_path, {name: table, "a.png": PNG}))
    assert (dataset[0].id, dataset[0].details, dataset[0].image.bytes) == ("x", {"id": "7"}, PNG)
    assert [one.issue.code for one in dataset.findings] == ["DAT112"]
    assert f"Column image of '{name}' holds what file_name" in dataset.findings[0].issue.message
    dataset.save(tmp_path.parent / f"{tmp_path.name}-copy", "folder")
    assert load_dataset(tmp_path.parent / f"{tmp_path.name}-copy")[0].details == {"id": "7"}


def test_the_name_of_a_plain_folder_tells_the_split_of_its_images(tmp_path: Path):
    for name in ("test", "scans"):
        folder_of(tmp_path / name, {"a.png": png(noise(1))})
    assert load_dataset(tmp_path / "test").splits == ("test",)
    assert load_dataset(tmp_path / "scans").splits == ("train",)
