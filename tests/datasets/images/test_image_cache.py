"""The cache as its users see it."""

from __future__ import annotations

import hashlib
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from cache_samples import many, stamped
from dataset_samples import dataset_of, noise, png, row
from image_samples import GREY, KINDS, exif_turn, saved

from radcap.core import UsageError
from radcap.datasets.images import CacheBusy, ImageCache, cache_images, fit, open_cache
from radcap.datasets.images.cache_build import Built
from radcap.datasets.images.cache_folder import CacheFolder
from radcap.datasets.images.cache_lock import locked

FILES = {
    "a.png": png(noise(1, 64, 32, colour=True)),
    "b.png": png(noise(2, 20, 40)),
    "c.png": b"<html>",
    "e.png": KINDS["jpeg"][:300],
    "f.png": saved(GREY.resize((60, 30)), "JPEG", exif=exif_turn(6)),
}
MIXED = dataset_of([row(name) for name in "abcdef"], FILES, name="Mixed: ä/..")


@pytest.fixture
def cache(tmp_path: Path) -> ImageCache:
    return cache_images(MIXED, 32, workers=1, root=tmp_path)


def test_the_cache_lies_in_the_cache_root_under_a_readable_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path))
    cache = cache_images(MIXED, 32, 1, workers=1)
    assert cache.path.parent == tmp_path / "images"
    assert cache.path.name.startswith("Mixed-32x1-")
    assert cache_images(dataset_of([], {}, name="..."), 8).path.name.startswith("images-8x3-")


def test_rows_are_the_fitted_pictures(cache: ImageCache) -> None:
    assert len(cache) == 6
    assert cache.ids == list("abcdef")
    assert cache.pixels.shape == (6, 32, 32, 3)
    assert cache.boxes.tolist()[:2] == [[8, 0, 16, 32], [0, 8, 32, 16]]
    assert cache.originals.tolist() == [[64, 32], [20, 40], [0, 0], [0, 0], [0, 0], [30, 60]]
    for place, name in ((0, "a"), (1, "b"), (5, "f")):
        top, left, height, width = cache.boxes[place]
        inner = cache.pixels[place, top : top + height, left : left + width]
        assert np.array_equal(inner, fit(FILES[f"{name}.png"], name, 32).pixels)
    assert cache.digests[0].tobytes() == hashlib.sha256(FILES["a.png"]).digest()


def test_refused_images_are_black_and_listed(cache: ImageCache) -> None:
    assert cache.refused == {"c": "IMG103", "d": "IMG101", "e": "IMG104"}
    assert not cache.pixels[2:5].any()
    assert not cache.digests[3].any()


def test_a_batch_is_in_the_order_that_was_asked(cache: ImageCache) -> None:
    batch = cache.batch([5, 0, 0])
    assert batch.flags.owndata
    assert np.array_equal(batch, np.stack([cache.pixels[5], cache.pixels[0], cache.pixels[0]]))
    assert cache.batch([]).shape == (0, 32, 32, 3)
    assert np.array_equal(cache.batch(cache.rows(["f", "a", "a"])), batch)


def test_a_batch_fills_an_array_that_is_given(cache: ImageCache) -> None:
    out = np.empty((2, 32, 32, 3), np.uint8)
    assert cache.batch([1, 0], out=out) is out
    assert np.array_equal(out, cache.batch([1, 0]))


@pytest.mark.parametrize("out", [None, np.empty((1, 32, 32, 3), np.uint8)])
@pytest.mark.parametrize("place", [6, -7])
def test_a_place_outside_is_an_error(cache: ImageCache, out: np.ndarray | None, place: int) -> None:
    with pytest.raises(IndexError):
        cache.batch([place], out=out)


def test_an_unknown_id_is_an_error(cache: ImageCache) -> None:
    with pytest.raises(KeyError, match="no image 'z'"):
        cache.rows(["a", "z"])


def test_the_first_of_equal_ids_counts(tmp_path: Path) -> None:
    twice = dataset_of([row("a"), row("b"), row("a", image="b.png")], FILES)
    assert cache_images(twice, 8, workers=1, root=tmp_path).rows(["b", "a"]).tolist() == [1, 0]


def test_opening_again_reads_no_image(tmp_path: Path) -> None:
    dataset = stamped(many(5))
    first = cache_images(dataset, 8, workers=1, root=tmp_path)
    sealed = replace(dataset, images=replace(dataset.images, unreadable=True))  # type: ignore[type-var]
    again = cache_images(sealed, 8, root=tmp_path)
    assert again.path == first.path
    assert (first.built, again.built) == (Built(decoded=5), Built())
    assert np.array_equal(again.pixels, first.pixels)


def test_pixels_are_read_only(cache: ImageCache) -> None:
    with pytest.raises(ValueError, match="read-only"):
        cache.pixels[0] = 0


def test_damage_is_found(cache: ImageCache) -> None:
    assert cache.verify() == ()
    CacheFolder(cache.path).pixels("r+")[1, 3, 10, 0] ^= 1
    assert cache.verify() == ("b",)
    assert cache.verify(sample=100) == ("b",)
    found = [cache.verify(sample=3, seed=seed) for seed in range(20)]
    assert {(), ("b",)} == set(found)
    assert cache.verify(sample=3, seed=1) == found[1]


def test_a_cache_is_opened_by_its_folder(cache: ImageCache, tmp_path: Path) -> None:
    again = open_cache(cache.path)
    assert again.refused == cache.refused
    with pytest.raises(UsageError, match=r"state\.json cannot be read"):
        open_cache(tmp_path)


def total_of(cache: ImageCache) -> int:
    return int(cache.pixels.sum())


def test_other_processes_map_the_same_files(cache: ImageCache) -> None:
    assert len(pickle.dumps(cache)) < 1000
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(total_of, cache).result() == total_of(cache)


def test_a_folder_of_another_config_is_refused(tmp_path: Path) -> None:
    first = cache_images(many(3), 8, workers=1, root=tmp_path)
    second = cache_images(many(4), 8, workers=1, root=tmp_path)
    for file in first.path.iterdir():
        file.unlink()
    first.path.rmdir()
    second.path.rename(first.path)
    with pytest.raises(UsageError, match="was begun for"):
        cache_images(many(3), 8, workers=1, root=tmp_path)


def test_a_second_builder_is_told_to_wait(cache: ImageCache) -> None:
    root = cache.path.parent
    wanted = many(3)
    name = cache_images(wanted, 8, workers=1, root=root / "x").path.name
    with locked((root / name).with_suffix(".lock")), pytest.raises(CacheBusy, match="Wait for it"):
        cache_images(wanted, 8, workers=1, root=root)


def test_a_cache_that_was_made_while_we_waited_for_the_lock_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from radcap.datasets.images import cache as module

    made = cache_images(many(3), 8, workers=1, root=tmp_path / "a")

    def locking(path: Path):
        made.path.rename(path.with_suffix(""))
        return locked(path)

    (tmp_path / "b").mkdir()
    monkeypatch.setattr(module, "locked", locking)
    assert cache_images(many(3), 8, workers=1, root=tmp_path / "b").built == Built()


def test_a_dataset_of_nothing_has_a_cache_of_nothing(tmp_path: Path) -> None:
    empty = cache_images(many(1)[:0], 8, root=tmp_path)
    assert empty.pixels.shape == (0, 8, 8, 3)
    assert (len(empty), empty.refused, empty.verify()) == (0, {}, ())


def test_one_channel_is_grey(tmp_path: Path) -> None:
    grey = cache_images(MIXED, 32, 1, workers=1, root=tmp_path)
    assert grey.pixels.shape == (6, 32, 32, 1)
    assert np.array_equal(grey.pixels[0, 8:24], fit(FILES["a.png"], "a", 32, 1).pixels)
