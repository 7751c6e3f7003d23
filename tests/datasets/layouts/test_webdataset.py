"""WebDataset: what the library reads of ours, and what we read of others."""

from __future__ import annotations

import io
import json
import tarfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from dataset_samples import dataset_of, noise, png, row, sample

from radcap.core import InputError
from radcap.datasets import Caption, CaptionSource, Findings, load_dataset
from radcap.datasets.layouts.webdataset import layout as webdataset
from radcap.datasets.layouts.webdataset import writing as webdataset_writing

PNG = png(noise(1))


def pack(path: Path, members: list[tuple[str, bytes]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as tar:
        for name, data in members:
            header = tarfile.TarInfo(name)
            header.size = len(data)
            tar.addfile(header, io.BytesIO(data))
    return path.parent


def problems(folder: Path) -> list[tuple[str, str]]:
    findings = Findings()
    webdataset.layout().read(folder, findings)
    return [(one.issue.code, one.issue.message) for one in findings.findings]


def test_the_library_reads_what_we_write(tmp_path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from webdataset.compat import WebDataset

        dataset = sample()
        dataset.save(tmp_path / "out", "webdataset")
        shard = str(tmp_path / "out" / "train-000000.tar")
        opened: Any = WebDataset(shard, shardshuffle=False, empty_check=False).decode("pil")
        samples: list[Any] = list(opened)
    wanted = list(dataset.split("train"))
    assert [one["__key__"] for one in samples] == [record.id for record in wanted]
    assert [one["json"]["cui"] for one in samples] == [list(record.concepts) for record in wanted]
    assert [one["txt"] for one in samples] == [record.caption for record in wanted]
    assert samples[0]["png"].size == (48, 32)


def test_labels_lie_in_json_or_in_small_files(tmp_path: Path):
    labels = {
        "image_id": "seven",
        "caption": "CT",
        "caption_source": "generated",
        "cui": "C1;C2",
        "age": 60,
        "split": "test",
    }
    folder = pack(
        tmp_path / "train-000000.tar",
        [
            ("a/1.jpg", PNG),
            ("a/1.json", json.dumps(labels).encode()),
            ("./2.png", PNG),
            ("./2.txt", "MR ä".encode()),
            ("./2.cls", b"3\n"),
            ("b/c/3.seg.png", b"mask"),
            ("b/c/3.jpeg", PNG),
            ("4.json", b'{"captions": [{"text": "X", "source": "composed", "language": "en"}]}'),
            ("4.txt", b"not this"),
            ("5.v2.webp", b"five"),
            (".hidden.jpg", b""),
        ],
    )
    dataset = load_dataset(folder)
    assert dataset.layout == "webdataset"
    assert [(one.id, one.split) for one in dataset] == [
        ("seven", "test"),
        ("2", "train"),
        ("b/c/3", "train"),
        ("4", "train"),
        ("5", "train"),
    ]
    assert [one.captions for one in dataset] == [
        (Caption("CT", CaptionSource.GENERATED),),
        (Caption("MR ä"),),
        (),
        (Caption("X", CaptionSource.COMPOSED, "en"),),
        (),
    ]
    assert dataset[0].concepts == ("C1", "C2")
    assert (dataset[0].details["age"], dataset[1].details["cls"]) == ("60", "3")
    assert [one.image.key and one.image.bytes for one in dataset] == [PNG, PNG, PNG, "", b"five"]
    assert dataset[2].image.name == "3.jpeg"


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("valid-000000.tar", "valid"),
        ("val/00000.tar", "valid"),
        ("00000.tar", "train"),
        ("extra-01.tar", "extra"),
    ],
)
def test_the_name_of_a_shard_tells_its_split(name: str, split: str, tmp_path: Path):
    pack(tmp_path / name, [("1.jpg", PNG)])
    assert load_dataset(tmp_path).splits == (split,)


def test_tables_beside_tars_make_them_boxes_of_images(tmp_path: Path):
    pack(tmp_path / "train.tar", [("1.jpg", PNG)])
    assert webdataset.layout().recognises(tmp_path)
    (tmp_path / "cui_mapping.csv").write_text("CUI,Name\n")
    assert webdataset.layout().recognises(tmp_path)
    (tmp_path / "captions.csv").write_text("ID,Caption\n")
    assert not webdataset.layout().recognises(tmp_path)


def test_a_compressed_tar_is_refused_with_the_way_out(tmp_path: Path):
    with tarfile.open(tmp_path / "train-000000.tar.gz", "w:gz"):
        pass
    with pytest.raises(InputError, match=r"is a compressed tar.* Unpack it to a plain \.tar\."):
        load_dataset(tmp_path)


def test_every_fault_of_a_shard_is_named(tmp_path: Path):
    folder = pack(
        tmp_path / "train-000000.tar",
        [
            *(("1.json", b"{"), ("1.jpg", PNG), ("2.json", b"[1]"), ("3.jpg", PNG), ("3.png", PNG)),
            *(
                ("4.jpg", PNG),
                ("4.jpg", PNG),
                ("4.npy", b""),
                ("5.json", b'{"id": "1"}'),
                ("6.json", b"\xff"),
            ),
        ],
    )
    data = (folder / "train-000000.tar").read_bytes()
    (folder / "train-000001.tar").write_bytes(data[:1700])
    found = problems(folder)
    assert [code for code, _ in found] == [
        *("DAT201", "DAT107", "DAT104", "DAT104", "DAT104", "DAT305", "DAT104", "DAT104", "DAT201", "DAT201")
    ]
    assert found[1][1] == "*.npy in 'train-000000.tar' was left alone. Its name tells neither split nor kind."
    assert found[3][1] == "'2.json' of 'train-000000.tar' cannot be read: it is no JSON object."
    assert found[4][1] == "'6.json' of 'train-000000.tar' cannot be read: it is no UTF-8."
    assert found[5][1] == "3 could be '3.jpg' or '3.png'. It is open which."
    assert found[6][1] == "'train-000001.tar' cannot be read: it ends within 1.jpg."
    assert found[8][1].startswith("Id 1 stands in train-000000.tar, row 1 and again here.")


def test_json_with_half_a_letter_is_read(tmp_path: Path):
    pack(tmp_path / "train-0.tar", [("1.json", b'{"caption": "\\ud800 x \\ud83d\\ude00", "n": "\\u00e4"}')])
    record = load_dataset(tmp_path)[0]
    assert record.caption == "? x 😀"
    assert record.details == {"n": "ä"}


def test_json_too_deep_to_read_is_named(tmp_path: Path):
    folder = pack(tmp_path / "train-0.tar", [("1.json", b'{"a":' + b"[" * 100_000)])
    assert [code for code, _ in problems(folder)] == ["DAT104"]


def test_shards_end_after_enough_samples_or_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(webdataset_writing, "_SHARD_SAMPLES", 4)
    dataset_of([row(f"i{n}") for n in range(10)]).save(tmp_path / "few", "webdataset")
    assert len(list((tmp_path / "few").glob("train-*.tar"))) == 3
    monkeypatch.setattr(webdataset_writing, "_SHARD_BYTES", 1)
    dataset_of([row(f"i{n}") for n in range(3)]).save(tmp_path / "small", "webdataset")
    assert sorted(path.name for path in (tmp_path / "small").glob("*.tar")) == [
        *("train-000000.tar", "train-000001.tar", "train-000002.tar")
    ]


def test_headers_tell_nothing_of_the_machine(tmp_path: Path):
    sample().save(tmp_path / "out", "webdataset")
    with tarfile.open(tmp_path / "out" / "train-000000.tar") as tar:
        headers = tar.getmembers()
    assert {(one.mtime, one.uid, one.gid, one.uname, one.gname, one.mode) for one in headers} == {
        (0, 0, 0, "", "", 0o644)
    }
    assert [one.name for one in headers[:3]] == [
        "Sample_000000.png",
        "Sample_000000.json",
        "Sample_000000.txt",
    ]


def test_a_key_called_image_is_named(tmp_path: Path):
    folder = pack(tmp_path / "train-0.tar", [("1.jpg", PNG), ("1.json", b'{"image": "other.jpg"}')])
    assert [code for code, _ in problems(folder)] == ["DAT112"]
    assert load_dataset(folder)[0].image.bytes == PNG
