from __future__ import annotations

import io
import pickle
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from radcap.datasets.layouts.release.names import split_of
from radcap.datasets.refusal import ImageRefused
from radcap.datasets.stores.named_images import NamedImages

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def lay(root: Path, files: Mapping[str, bytes]) -> Path:
    """Files below a folder; `x.zip/a.jpg` and `x.tar/a.jpg` are members of archives."""
    archives: dict[str, dict[str, bytes]] = {}
    for name, data in files.items():
        box = next((ending for ending in (".zip/", ".tar/") if ending in name), None)
        if box:
            outer, _, inner = name.partition(box)
            archives.setdefault(outer + box.rstrip("/"), {})[inner] = data
            continue
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    for name, members in archives.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        _pack(root / name, members)
    return root


def _pack(path: Path, members: Mapping[str, bytes]) -> None:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as packed:
            for inner, data in members.items():
                packed.writestr(inner, data)
        return
    with tarfile.open(path, "w") as tar:
        for inner, data in members.items():
            info = tarfile.TarInfo(inner)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def images(
    root: Path, records: list[str] | None = None, splits: tuple[str, ...] = ("train", "valid")
) -> NamedImages:
    return NamedImages(root, splits, split_of, None if records is None else pa.array(records))


@pytest.mark.parametrize(
    "place",
    [
        "train/x.jpg",
        "training-set/x.png",
        "Training-Images/deep/x.JPG",
        "CaptionPredictionTraining2017/x.jpg",
        "ImageCLEF2021_CaptionPrediction_Training-Set/Training-Images/x.jpg",
        "training/DRAN/x.jpg",
        "images/train/x.jpg",
        "images/x.jpg",
        "x.jpg",
        "train_images.zip/train/x.jpg",
        "train_images.zip/any/folder/x.jpg",
        "train_images.zip/valid/x.jpg",  # the archive says it, whatever folder is inside
        "images.zip/train/x.jpg",
        "images.zip/x.jpg",
        "train.tar/x.jpg",
        "boxes/train.tar/x.jpg",
    ],
)
def test_an_image_is_found_wherever_releases_put_it(tmp_path: Path, place: str):
    store = images(lay(tmp_path, {place: b"X"}))
    assert store.has("train/x")
    assert store.read("train/x") == b"X"
    assert store.name("train/x") == place
    assert store.stamp("train/x")
    on_disk = not any(box in place for box in (".zip", ".tar"))
    assert (store.path("train/x") == tmp_path / place) is on_disk


@pytest.mark.parametrize(
    ("image_id", "file", "found"),
    [
        ("x", "x.jpg", True),
        ("x.jpg", "x.jpg", True),
        ("x.jpg", "x.png", True),
        ("X", "x.jpg", True),
        ("x", "X.JPG", True),
        ("1.2.840", "1.2.840.dcm", True),
        ("1.2", "1.2.840.dcm", False),
        ("a/b", "a%2Fb.jpg", True),
        ("../secret", "secret.jpg", False),
        ("y", "x.jpg", False),
    ],
)
def test_an_id_finds_its_file_by_stem_ending_and_case(tmp_path: Path, image_id: str, file: str, found: bool):
    store = images(lay(tmp_path, {f"train/{file}": b"X"}))
    assert store.has(f"train/{image_id}") is found


def test_a_record_is_never_served_from_another_split(tmp_path: Path):
    store = images(lay(tmp_path, {"valid/x.jpg": b"V"}))
    assert (store.has("train/x"), store.path("train/x"), store.stamp("train/x")) == (False, None, "")
    assert store.name("train/x") == "train/x"
    with pytest.raises(ImageRefused, match="There is no image"):
        store.read("train/x")


@pytest.mark.parametrize("other", ["train/x.png", "train/deep/x.jpg", "train_images.zip/x.jpg"])
def test_two_files_for_one_id_are_refused_by_name(tmp_path: Path, other: str):
    store = images(lay(tmp_path, {"train/x.jpg": b"1", other: b"2"}))
    assert store.has("train/x")
    with pytest.raises(ImageRefused) as refused:
        store.read("train/x")
    assert refused.value.code == "DAT305"
    assert "train/x.jpg" in str(refused.value)


def test_an_id_with_ending_says_which_of_two_it_means(tmp_path: Path):
    store = images(lay(tmp_path, {"train/x.jpg": b"1", "train/x.png": b"2"}))
    assert (store.read("train/x.jpg"), store.read("train/x.png")) == (b"1", b"2")
    assert sorted(store.keys()) == ["train/x.jpg", "train/x.png"]


def test_the_same_image_in_the_folders_of_two_tasks_is_one(tmp_path: Path):
    files = {"CaptionPredictionTraining2017/x.jpg": b"1", "ConceptDetectionTraining2017/x.jpg": b"1"}
    store = images(lay(tmp_path, files))
    assert store.read("train/x") == b"1"
    assert list(store.keys()) == ["train/x"]


def test_ids_that_differ_in_case_alone_take_no_others_file(tmp_path: Path):
    root = lay(tmp_path, {"train/a.jpg": b"1"})
    assert images(root, ["train/A"]).has("train/A")
    strict = images(root, ["train/a", "train/A"])
    assert (strict.has("train/a"), strict.has("train/A")) == (True, False)
    again = pickle.loads(pickle.dumps(strict))  # noqa: S301 - our own bytes
    assert (again.records, again.has("train/a"), again.has("train/A")) == (None, True, False)


def test_ids_that_differ_in_ending_alone_take_no_others_file(tmp_path: Path):
    store = images(lay(tmp_path, {"train/a.jpg": b"1"}), ["train/a.jpg", "train/a.png"])
    assert (store.has("train/a.jpg"), store.has("train/a.png")) == (True, False)


def test_keys_are_those_of_records_then_those_of_orphans(tmp_path: Path):
    root = lay(tmp_path, {"train/a.jpg": b"", "train/B.jpg": b"", "valid/c.jpg": b"", "d.jpg": b""})
    store = images(root, ["train/a.jpg", "train/b", "train/missing"])
    assert list(store.keys()) == ["train/a.jpg", "train/b", "/d", "valid/c"]
    assert store.has("/d")


def test_splits_of_any_name_are_found_by_it(tmp_path: Path):
    splits = ("site A/1", "test2", "train")
    files = {"site A%2F1/x.jpg": b"s", "test2_images.zip/x.jpg": b"t", "train/x.jpg": b"r"}
    store = images(lay(tmp_path, files), splits=splits)
    assert [store.read(f"{split}/x") for split in splits] == [b"s", b"t", b"r"]


def test_a_broken_zip_is_the_reason_for_what_is_missing(tmp_path: Path):
    (tmp_path / "train_images.zip").write_bytes(b"PK\x03\x04 cut")
    (tmp_path / "valid").mkdir()
    for key, code in (("train/x", "DAT104"), ("valid/x", "IMG101")):
        with pytest.raises(ImageRefused) as refused:
            images(tmp_path).read(key)
        assert refused.value.code == code
