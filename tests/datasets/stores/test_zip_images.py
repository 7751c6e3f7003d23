from __future__ import annotations

import pickle
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from radcap.datasets.refusal import ImageRefused
from radcap.datasets.stores import zip_members
from radcap.datasets.stores.zip_members import ZipImages, why_broken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def pack(path: Path, files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def code_of(store: ZipImages, key: str) -> str:
    with pytest.raises(ImageRefused) as refused:
        store.read(key)
    return refused.value.code


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_of_several_zips_are_read_in_place(tmp_path: Path, method: int):
    first = pack(tmp_path / "a.zip", {"train/x.jpg": b"X" * 1000, "train/": b"", "notes.txt": b""}, method)
    second = pack(tmp_path / "b.zip", {"x.jpg": b"", "__MACOSX/x.jpg": b"m", "._y.jpg": b"m"}, method)
    store = ZipImages((first, second))
    assert list(store.keys()) == ["0/train/x.jpg", "1/x.jpg"]
    assert (store.read("0/train/x.jpg"), store.read("1/x.jpg")) == (b"X" * 1000, b"")
    assert (store.name("0/train/x.jpg"), store.path("0/train/x.jpg")) == ("train/x.jpg", None)
    assert store.has("1/x.jpg")
    assert store.stamp("0/train/x.jpg") != store.stamp("1/x.jpg")
    assert (store.has("1/y.jpg"), store.stamp("1/y.jpg"), code_of(store, "1/y.jpg")) == (False, "", "IMG101")
    again = pickle.loads(pickle.dumps(store))  # noqa: S301 - our own bytes
    assert again.read("0/train/x.jpg") == b"X" * 1000


def test_names_that_point_outside_are_keys_and_nothing_more(tmp_path: Path):
    path = pack(tmp_path / "a.zip", {"../../evil.jpg": b"E", "/abs.jpg": b"A"})
    store = ZipImages((path,))
    assert store.read("0/../../evil.jpg") == b"E"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.zip"]


def test_a_wrong_checksum_is_a_refusal(tmp_path: Path):
    path = pack(tmp_path / "a.zip", {"x.jpg": b"needle"}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"needle", b"noodle"))
    assert code_of(ZipImages((path,)), "0/x.jpg") == "IMG104"


def test_a_damaged_stream_is_a_refusal(tmp_path: Path):
    path = pack(tmp_path / "a.zip", {"x.jpg": b"abc" * 500})
    data = bytearray(path.read_bytes())
    data[40:44] = b"\xff\xff\xff\xff"
    path.write_bytes(bytes(data))
    assert code_of(ZipImages((path,)), "0/x.jpg") == "IMG104"


def test_a_member_that_grows_beyond_its_claim_is_a_refusal(tmp_path: Path):
    path = pack(tmp_path / "a.zip", {"x.jpg": b"\0" * 5_000_000})
    data = path.read_bytes().replace(struct.pack("<L", 5_000_000), struct.pack("<L", 10))
    path.write_bytes(data)
    assert code_of(ZipImages((path,)), "0/x.jpg") == "IMG104"


def test_a_member_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(zip_members, "LIMIT_BYTES", 10)
    path = pack(tmp_path / "a.zip", {"x.jpg": b"x" * 11})
    assert code_of(ZipImages((path,)), "0/x.jpg") == "IMG107"


def test_methods_other_than_deflate_and_locks_are_refused(tmp_path: Path):
    path = pack(tmp_path / "a.zip", {"x.jpg": b"x" * 11}, zipfile.ZIP_LZMA)
    assert code_of(ZipImages((path,)), "0/x.jpg") == "IMG109"
    locked = pack(tmp_path / "b.zip", {"x.jpg": b"x" * 11})
    data = bytearray(locked.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    locked.write_bytes(bytes(data))
    assert code_of(ZipImages((locked,)), "0/x.jpg") == "IMG109"


def test_a_zip_that_lost_its_bytes_after_listing_is_a_refusal(tmp_path: Path):
    path = pack(tmp_path / "a.zip", {"x.jpg": b"x" * 11})
    store = ZipImages((path,))
    assert store.has("0/x.jpg")
    path.write_bytes(b"PK")
    assert code_of(store, "0/x.jpg") == "IMG104"


def test_a_zip_that_cannot_be_listed_is_remembered_with_its_reason(tmp_path: Path):
    whole = pack(tmp_path / "a.zip", {"x.jpg": b"x"})
    broken = tmp_path / "b.zip"
    broken.write_bytes(whole.read_bytes()[:30])
    store = ZipImages((broken, whole))
    assert list(store.keys()) == ["1/x.jpg"]
    assert list(store.broken) == [broken]


@pytest.mark.parametrize(
    ("cut", "why"),
    [(0, "0 bytes"), (20, "breaks off"), (-1, "breaks off"), (None, None)],
)
def test_a_cut_zip_is_told_by_its_last_bytes(tmp_path: Path, cut: int | None, why: str | None):
    path = pack(tmp_path / "a.zip", {f"{i}.jpg": b"x" * 100 for i in range(5)})
    path.write_bytes(path.read_bytes()[:cut])
    found = why_broken(path)
    assert (found is None) if why is None else (found is not None and why in found)


def test_a_zip_whose_start_is_missing_is_told(tmp_path: Path):
    path = pack(tmp_path / "a.zip", {f"{i}.jpg": b"x" * 100 for i in range(5)})
    path.write_bytes(path.read_bytes()[400:])
    assert why_broken(path) == "its table of contents is not whole"


def test_a_comment_that_speaks_of_zips_does_not_mislead(tmp_path: Path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.jpg", b"x")
        archive.comment = b"made by hand"
    assert why_broken(path) is None
