from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from dataset_samples import noise, png, sample

from radcap.datasets import Caption, CaptionSource, ImageRef, ImageRefused, Record
from radcap.datasets.stores import MemoryImages, NoImages


@dataclasses.dataclass(frozen=True)
class Files:
    """A store of files of their own."""

    folder: Path

    def read(self, key: str) -> bytes:
        return (self.folder / key).read_bytes()

    def path(self, key: str) -> Path:
        return self.folder / key

    def name(self, key: str) -> str:
        return f"images/train/{key}"


def test_an_image_is_read_when_it_is_used(tmp_path: Path) -> None:
    image = ImageRef(Files(tmp_path), "a.png")  # type: ignore[arg-type]
    pixels = noise(3)
    (tmp_path / "a.png").write_bytes(png(pixels))
    assert image.bytes == png(pixels)
    assert image.path == tmp_path / "a.png"
    assert image.name == "a.png"
    assert (np.asarray(image.load()) == pixels).all()


def test_an_image_of_an_archive_has_no_path() -> None:
    image = ImageRef(MemoryImages({"x/a.png": b"1"}), "x/a.png")
    assert image.path is None
    assert image.name == "a.png"


@pytest.mark.parametrize("store", [NoImages(), MemoryImages({})])
def test_an_image_that_is_not_there_is_refused_with_its_code(store: NoImages | MemoryImages) -> None:
    with pytest.raises(ImageRefused) as refused:
        ImageRef(store, "a.png").load()
    assert refused.value.code == "IMG101"


def test_a_record_cannot_change_and_shows_no_bytes() -> None:
    record = sample()[1]
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.id = "other"  # type: ignore[misc]
    assert "PNG" not in repr(record)


@pytest.mark.parametrize(
    ("captions", "first"),
    [((), ""), ((Caption("one"), Caption("zwei", CaptionSource.TRANSLATED, "de")), "one")],
)
def test_the_caption_is_the_first(captions: tuple[Caption, ...], first: str) -> None:
    record = Record("a", "train", ImageRef(NoImages(), "a"), captions, (), (), "", "", "", "")
    assert record.caption == first
    assert record.details == {}


def test_a_caption_is_original_unless_it_is_said() -> None:
    assert Caption("x") == Caption("x", CaptionSource.ORIGINAL, "")
    assert [one.value for one in CaptionSource] == ["original", "translated", "generated", "composed"]
