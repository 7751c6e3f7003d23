from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from radcap.datasets.refusal import ImageRefused
from radcap.datasets.stores.folder import FolderImages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside.jpg").write_bytes(b"secret")
    (tmp_path / "data/train/deep").mkdir(parents=True)
    (tmp_path / "data/train/a.jpg").write_bytes(b"A")
    (tmp_path / "data/train/deep/b.PNG").write_bytes(b"BB")
    (tmp_path / "data/train/notes.txt").write_bytes(b"")
    (tmp_path / "data/.hidden").mkdir()
    (tmp_path / "data/.hidden/c.jpg").write_bytes(b"C")
    return tmp_path / "data"


def test_files_are_found_by_their_path_below_the_folder(root: Path):
    store = FolderImages(root)
    assert store.read("train/a.jpg") == b"A"
    assert store.path("train/a.jpg") == root / "train/a.jpg"
    assert store.name("train/a.jpg") == "train/a.jpg"
    assert list(store.keys()) == ["train/a.jpg", "train/deep/b.PNG"]
    assert pickle.loads(pickle.dumps(store)) == store  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    "key", ["", "train/x.jpg", "../outside.jpg", "train/../../outside.jpg", "/etc/passwd", "a\0b", "train"]
)
def test_no_key_leaves_the_folder_or_names_what_is_not_there(root: Path, key: str):
    store = FolderImages(root)
    assert (store.has(key), store.path(key), store.stamp(key)) == (False, None, "")
    with pytest.raises(ImageRefused) as refused:
        store.read(key)
    assert refused.value.code == "IMG101"


def test_a_stamp_changes_with_the_content(root: Path):
    store = FolderImages(root)
    before = store.stamp("train/a.jpg")
    (root / "train/a.jpg").write_bytes(b"AAA")
    assert before != store.stamp("train/a.jpg") != ""


def test_links_are_followed_but_not_in_circles(root: Path):
    (root / "train/again").symlink_to(root)
    (root / "valid").symlink_to(root / "train/deep")
    keys = list(FolderImages(root).keys())
    assert sorted(key.rpartition("/")[2] for key in keys) == ["a.jpg", "b.PNG"]


def test_a_disk_that_fails_is_a_refusal(root: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(_: Path) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("pathlib.Path.read_bytes", fail)
    with pytest.raises(ImageRefused, match="Input/output error"):
        FolderImages(root).read("train/a.jpg")
