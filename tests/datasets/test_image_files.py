"""Images that somebody names one by one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from dataset_samples import noise, png
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.datasets.image_files import FILES, _unique, image_files, named_bytes
from radcap.datasets.refusal import ImageRefused


def put(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(noise(number)))
    return paths


def test_files_are_a_dataset_without_labels(tmp_path: Path) -> None:
    paths = put(tmp_path, "scan.png", "other/lung.png")
    data = image_files([str(paths[0]), paths[1]])
    assert data.ids == ["scan", "lung"]
    assert data.image(1).bytes == paths[1].read_bytes()
    assert (data.image(1).name, data.images.name("key")) == ("lung.png", "key")
    assert data.column("modality").to_pylist() == ["", ""]
    assert list(data.images.keys()) == [str(one) for one in paths]
    assert [data.images.path(str(one)) for one in paths] == paths
    stamp = data.images.stamp(str(paths[0]))
    paths[0].write_bytes(b"changed")
    assert data.images.stamp(str(paths[0])) not in ("", stamp)


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["a/x.png", "b/x.png", "c/x.jpg"], ["x-1", "x-2", "x-3"]),
        (["x.png", "x.png", "x-1.png"], ["x-2", "x-3", "x-1"]),
        (["x-1.png", "x.png", "x.png"], ["x-1", "x-2", "x-3"]),
        (["\u80ba.png", "a b.png", ".png"], ["\u80ba", "a b", ".png"]),
        (["a.tar.png"], ["a.tar"]),
    ],
)
def test_ids_are_the_names_of_the_files_each_once(names: list[str], ids: list[str], tmp_path: Path) -> None:
    assert image_files(put(tmp_path, *names)).ids == ids


@given(st.lists(st.sampled_from(["x", "x-1", "x-2", "x-1-1", "y", ""])))
def test_whatever_the_names_no_id_comes_twice(names: list[str]) -> None:
    found = _unique(names)
    assert len(set(found)) == len(found) == len(names)
    assert all(given.startswith(name) for given, name in zip(found, names, strict=True))
    assert all(given == name for given, name in zip(found, names, strict=True) if names.count(name) == 1)


def test_a_name_that_is_no_text_is_written_out(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.png"))
    try:
        path.write_bytes(png(noise(1)))
    except OSError:
        pytest.skip("this disk takes text alone")
    data = image_files([path])
    assert data.ids == ["bad\\udcff"]
    assert data.image(0).bytes == path.read_bytes()


def test_all_that_are_not_there_are_refused_at_once(tmp_path: Path) -> None:
    there = put(tmp_path, "a.png")
    with pytest.raises(UsageError, match=r"2 of 3 images cannot be found: .*b\.png, .*c\.png\. Check"):
        image_files([*there, tmp_path / "b.png", tmp_path / "c.png"])
    with pytest.raises(UsageError, match=r"7 of 7 images cannot be found: .*4, \.\.\.\. Check"):
        image_files([tmp_path / f"{number}" for number in range(7)])
    with pytest.raises(UsageError, match="cannot be found"):
        image_files([tmp_path])


def test_what_goes_away_or_was_never_named_is_refused(tmp_path: Path) -> None:
    (path,) = put(tmp_path, "a.png")
    data = image_files([path])
    path.unlink()
    with pytest.raises(ImageRefused, match="No such file"):
        _ = data.image(0).bytes
    with pytest.raises(ImageRefused):
        data.images.read("elsewhere.png")
    assert data.images.path("elsewhere.png") is None
    assert data.images.stamp("elsewhere.png") == ""
    assert not data.images.has("elsewhere.png")


def test_images_in_memory_by_name():
    data = named_bytes({"a.png": b"one", "b/a.png": b"two"})
    assert data.layout == FILES
    assert data.ids == ["a-1", "a-2"]
    assert [record.image.bytes for record in data] == [b"one", b"two"]
    assert [record.image.path for record in data] == [None, None]
    store = data.images
    assert list(store.keys()) == ["a.png", "b/a.png"]
    assert store.stamp("a.png") != store.stamp("b/a.png")
    assert store.stamp("c.png") == ""
    with pytest.raises(ImageRefused):
        store.read("c.png")


def test_a_file_too_large_for_an_image_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    with path.open("wb") as file:
        file.truncate(2**40)  # with nothing in it
    data = image_files([path])
    with pytest.raises(ImageRefused, match="has 1,099,511,627,776 bytes"):
        _ = data.image(0).bytes


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes as on Unix")
def test_what_was_not_checked_is_refused_when_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "link.png").symlink_to("nowhere.png")
    data = image_files([tmp_path / "pipe.png", tmp_path / "link.png"], check=False)
    with pytest.raises(ImageRefused, match="no regular file"):
        _ = data.image(0).bytes
    with pytest.raises(ImageRefused, match="No such file"):
        _ = data.image(1).bytes
