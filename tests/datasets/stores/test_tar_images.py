"""Images in tar files: found by key, never unpacked, nothing but plain files."""

from __future__ import annotations

import gzip
import io
import pickle
import tarfile
from pathlib import Path

import pytest

from radcap.datasets import Findings, ImageRefused
from radcap.datasets.stores.tar_members import TarImages, read_members


def pack(path: Path, members: dict[str, bytes], *odd: tuple[str, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, data in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(data)
            tar.addfile(header, io.BytesIO(data))
        for name, kind in odd:
            header = tarfile.TarInfo(name)
            header.type, header.linkname = kind, "/etc/passwd"
            tar.addfile(header)
    return path


def test_images_of_several_tars_are_read_by_their_keys(tmp_path: Path):
    images = TarImages(
        (
            pack(tmp_path / "train.tar", {"train/a.jpg": b"A", "b.v2.png": b"B"}),
            pack(tmp_path / "test.tar", {"a.png": b"C", "notes.txt": b"D"}),
        )
    )
    keys = list(images.keys())
    assert [images.read(key) for key in keys] == [b"A", b"B", b"C"]
    assert images.name(keys[0]) == "train/a.jpg"
    assert images.path(keys[0]) is None


def test_keys_are_those_of_images(tmp_path: Path):
    images = TarImages(
        (pack(tmp_path / "a.tar", {"a.jpg": b"A", "a.json": b"{}", ".b.jpg": b"", "c.DCM": b"C"}),)
    )
    keys = list(images.keys())
    assert [images.name(key) for key in keys] == ["a.jpg", "c.DCM"]
    assert all(map(images.has, keys))
    assert not images.has("")


def test_it_travels_by_its_paths(tmp_path: Path):
    images = TarImages((pack(tmp_path / "a.tar", {"a.jpg": b"A"}),))
    key = next(iter(images.keys()))
    sent = pickle.dumps(images)
    assert b"a.jpg" not in sent
    assert pickle.loads(sent).read(key) == b"A"  # noqa: S301


def test_the_stamp_changes_with_the_file(tmp_path: Path):
    path = pack(tmp_path / "a.tar", {"a.jpg": b"A"})
    images = TarImages((path,))
    key = next(iter(images.keys()))
    before = images.stamp(key)
    pack(path, {"a.jpg": b"A", "b.jpg": bytes(20_000)})
    assert images.stamp(key) != before


def test_a_tar_that_went_or_shrank_is_a_typed_refusal(tmp_path: Path):
    path = pack(tmp_path / "a.tar", {"a.jpg": b"A" * 2000})
    images = TarImages((path,))
    key = next(iter(images.keys()))
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ImageRefused, match=r"a\.jpg breaks off: a\.tar ends before it"):
        images.read(key)
    path.unlink()
    with pytest.raises(ImageRefused, match=r"There is no image a\.jpg"):
        images.read(key)


def test_everything_but_plain_files_is_named_and_left(tmp_path: Path):
    odd = (
        ("l", tarfile.SYMTYPE),
        ("h", tarfile.LNKTYPE),
        ("dev", tarfile.CHRTYPE),
        ("f", tarfile.FIFOTYPE),
        ("q", b"Z"),
    )
    path = pack(
        tmp_path / "a.tar",
        {"ok.jpg": b"", "../up.jpg": b"", "/root.jpg": b"", "a/../b.jpg": b"", "old/": b""},
        *odd,
        ("folder", tarfile.DIRTYPE),
    )
    findings = Findings()
    assert [member.name for member in read_members(path, findings, "a.tar")] == ["ok.jpg"]
    assert [one.issue.message for one in findings.findings] == [
        "'../up.jpg' of 'a.tar' is named as if it lay outside. It was left alone.",
        "'/root.jpg' of 'a.tar' is named as if it lay outside. It was left alone.",
        "'a/../b.jpg' of 'a.tar' is named as if it lay outside. It was left alone.",
        "'l' of 'a.tar' is a symbolic link. It was left alone.",
        "'h' of 'a.tar' is a link to another member. It was left alone.",
        "'dev' of 'a.tar' is a device. It was left alone.",
        "'f' of 'a.tar' is a pipe. It was left alone.",
        "'q' of 'a.tar' is of an unknown kind. It was left alone.",
    ]


def test_compressed_empty_and_broken_tars_are_named(tmp_path: Path):
    data = pack(tmp_path / "a.tar", {"a.jpg": b"A" * 1000}).read_bytes()
    (tmp_path / "b.tar").write_bytes(gzip.compress(data))
    (tmp_path / "c.tar").write_bytes(b"")
    (tmp_path / "d.tar").write_bytes(data[:900])
    findings = Findings()
    for name in ("b.tar", "c.tar", "d.tar"):
        assert read_members(tmp_path / name, findings, name) == []
    assert [(one.issue.code, one.issue.message) for one in findings.findings] == [
        ("DAT111", "'b.tar' is a compressed tar. Its images cannot be reached one by one."),
        ("DAT104", "'c.tar' cannot be read: it holds 0 bytes."),
        ("DAT104", "'d.tar' cannot be read: it ends within a.jpg."),
    ]
