"""The files of a cache and the config they belong to."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from dataset_samples import dataset_of, noise, png, row

from radcap.core import RadcapError, UsageError
from radcap.datasets.images.cache_folder import CacheConfig, CacheFolder, config_of

CONFIG = CacheConfig("0" * 64, 5, 16, 3)
FILES = {f"{name}.png": png(noise(seed)) for seed, name in enumerate("abc")}
ROWS = [row(name) for name in "abc"]


@pytest.fixture
def begun(tmp_path: Path) -> CacheFolder:
    folder = CacheFolder(tmp_path / "x.part")
    folder.begin(CONFIG, list("abcde"))
    return folder


def test_a_folder_begins_with_black_rows_and_nothing_done(begun: CacheFolder) -> None:
    assert begun.pixels().shape == (5, 16, 16, 3)
    assert not np.asarray(begun.pixels()).any()
    assert len(begun.rows()) == 5
    assert begun.ids() == list("abcde")
    assert begun.check(CONFIG) == frozenset()


def test_arrays_are_mapped_and_read_only(begun: CacheFolder) -> None:
    assert isinstance(begun.pixels(), np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        begun.pixels()[0] = 1
    begun.pixels("r+")[2] = 7
    assert begun.pixels()[2].min() == 7


def test_what_is_done_is_remembered(begun: CacheFolder) -> None:
    begun.write_state(CONFIG, {3, 1})
    assert begun.check(CONFIG) == {1, 3}


@pytest.mark.parametrize("change", [{"size": 17}, {"channels": 1}, {"n": 6}, {"images": "1"}, {"recipe": 0}])
def test_another_config_on_the_same_folder_is_refused(begun: CacheFolder, change: dict) -> None:
    with pytest.raises(UsageError, match=r"was begun for .*Delete the folder; it is made again\."):
        begun.check(replace(CONFIG, **change))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("state.json", "{"),
        ("state.json", "{}"),
        ("state.json", '{"config": {"x": 1}, "done": []}'),
        ("state.json", None),
        ("ids.json", "{"),
        ("pixels.npy", "text"),
        ("pixels.npy", ""),
        ("rows.npy", None),
    ],
)
def test_damaged_files_are_refused_with_the_way_out(begun: CacheFolder, name: str, text: str | None) -> None:
    path = begun.path / name
    path.unlink()
    if text is not None:
        path.write_text(text, "utf-8")
    readers = {"ids.json": begun.ids, "pixels.npy": begun.pixels, "rows.npy": begun.rows}
    with pytest.raises(UsageError, match=f"Its {name} cannot be read. Delete the folder"):
        readers.get(name, begun.read_state)()


def test_a_cut_array_is_refused(begun: CacheFolder) -> None:
    os.truncate(begun.path / "pixels.npy", 500)
    with pytest.raises(UsageError, match=r"pixels\.npy cannot be read"):
        begun.pixels()


def test_a_full_disk_is_told_before_work_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(RadcapError, match=r"no room for 0\.00 GiB in .*No space left.*RADCAP_CACHE"):
        CacheFolder(tmp_path / "x").begin(CONFIG, [])


def test_systems_that_cannot_reserve_room_work_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    folder = CacheFolder(tmp_path / "x")
    folder.begin(CONFIG, [])
    assert folder.pixels().shape == (5, 16, 16, 3)


def test_equal_datasets_have_equal_keys_and_any_change_another() -> None:
    base = config_of(dataset_of(ROWS, FILES), 16, 3)
    assert config_of(dataset_of(ROWS, dict(FILES)), 16, 3) == base
    others = [
        config_of(dataset_of(ROWS, FILES), 17, 3),
        config_of(dataset_of(ROWS, FILES), 16, 1),
        config_of(dataset_of(ROWS[:2], FILES), 16, 3),
        config_of(dataset_of(ROWS[::-1], FILES), 16, 3),
        config_of(dataset_of(ROWS, {**FILES, "b.png": FILES["a.png"]}), 16, 3),
        config_of(dataset_of([row("d", image="a.png"), *ROWS[1:]], FILES), 16, 3),
        config_of(dataset_of([row("a", image=""), *ROWS[1:]], FILES), 16, 3),
        replace(base, recipe=2),
    ]
    assert len({base.key, *(other.key for other in others)}) == 1 + len(others)


def test_configs_fit_where_the_same_bytes_give_the_same_pixels() -> None:
    assert CONFIG.fits(replace(CONFIG, n=9, images="other"))
    assert not CONFIG.fits(replace(CONFIG, size=17))
    assert not CONFIG.fits(replace(CONFIG, channels=1))
    assert not CONFIG.fits(replace(CONFIG, recipe=2))


@pytest.mark.parametrize(("size", "channels"), [(0, 3), (16, 2)])
def test_a_cache_that_cannot_be_is_refused(size: int, channels: int) -> None:
    with pytest.raises(UsageError, match="1 or 3 channels"):
        config_of(dataset_of(ROWS, FILES), size, channels)
