"""Building a cache: resumed after a kill, reused by content, never silently less."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cache_samples import many, stamped
from dataset_samples import dataset_of, noise, png, row

from radcap.core import UsageError
from radcap.datasets.images import cache_build, cache_images
from radcap.datasets.images.cache_build import Built
from radcap.datasets.images.cache_folder import CacheFolder

TESTS = Path(__file__).parents[2]
CHILD = """
import sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from cache_samples import many
from radcap.datasets.images import cache_build, cache_images
cache_build._SAVE_S = 0
def progress(what, done):
    print(done, flush=True)
    time.sleep(0.2)
if __name__ == "__main__":
    cache_images(many(300), 16, workers=int(sys.argv[3]), root=Path(sys.argv[2]), progress=progress)
"""


def content(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir() if file.name != "state.json"}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_build_that_was_killed_goes_on_where_it_stopped(tmp_path: Path, workers: int) -> None:
    script, root = tmp_path / "build.py", tmp_path / "root"
    script.write_text(CHILD, "utf-8")
    command = [sys.executable, script, TESTS, root, str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        assert [child.stdout.readline() for _ in range(2)] == ["64\n", "128\n"]
        child.kill()
    (part,) = root.glob("*.part")
    done = json.loads((part / "state.json").read_text("utf-8"))["done"]
    assert {0} <= set(done) < {0, 1, 2, 3, 4}
    told: list[int] = []
    resumed = cache_images(many(300), 16, workers=workers, root=root, progress=lambda _, n: told.append(n))
    assert resumed.built == Built(decoded=300 - 64 * len(done))
    assert told[0] == 64 * (len(done) + 1)
    undisturbed = cache_images(many(300), 16, workers=1, root=tmp_path / "other")
    assert content(resumed.path) == content(undisturbed.path)
    assert sorted(root.iterdir()) == [resumed.path]


def test_state_is_written_while_the_build_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_build, "_SAVE_S", 0)
    seen: list[int] = []

    def progress(what: str, done: int) -> None:
        assert what == "images"
        (state,) = tmp_path.glob("*.part/state.json")
        seen.append(len(json.loads(state.read_text("utf-8"))["done"]))

    cache_images(many(200), 8, workers=1, root=tmp_path, progress=progress)
    assert seen == [0, 1, 2, 3]


def test_a_folder_left_before_its_first_state_starts_anew(tmp_path: Path) -> None:
    whole = cache_images(many(3), 8, workers=1, root=tmp_path / "first")
    part = tmp_path / "second" / f"{whole.path.name}.part"
    part.mkdir(parents=True)
    (part / "pixels.npy").write_bytes(b"half")
    again = cache_images(many(3), 8, workers=1, root=tmp_path / "second")
    assert content(again.path) == content(whole.path)


def test_a_part_of_another_config_is_refused(tmp_path: Path) -> None:
    whole = cache_images(many(3), 8, workers=1, root=tmp_path / "first")
    other = cache_images(many(4), 8, workers=1, root=tmp_path / "first")
    (tmp_path / "second").mkdir()
    other.path.rename(tmp_path / "second" / f"{whole.path.name}.part")
    with pytest.raises(UsageError, match="was begun for"):
        cache_images(many(3), 8, workers=1, root=tmp_path / "second")


def test_a_copy_of_a_dataset_is_not_decoded_again(tmp_path: Path) -> None:
    dataset = many(20)
    first = cache_images(stamped(dataset, stamps="old"), 8, workers=1, root=tmp_path)
    second = cache_images(stamped(dataset, stamps="new"), 8, workers=1, root=tmp_path)
    assert first.path != second.path
    assert (first.built, second.built) == (Built(decoded=20), Built(reused=20))
    assert content(first.path) == content(second.path)


def test_rows_of_other_datasets_are_taken_over_in_processes_too(tmp_path: Path) -> None:
    cache_images(many(80), 8, workers=1, root=tmp_path)
    larger = cache_images(many(200), 8, workers=2, root=tmp_path)
    assert larger.built == Built(decoded=120, reused=80)
    assert content(larger.path) == content(cache_images(many(200), 8, workers=1, root=tmp_path / "x").path)


def test_refusals_are_taken_over_and_missing_images_are_not(tmp_path: Path) -> None:
    files = {"a.png": b"<html>", "b.png": png(noise(1))}
    rows = [row("a"), row("b"), row("c")]
    first = stamped(dataset_of(rows, files), stamps="old")
    assert cache_images(first, 8, workers=1, root=tmp_path).built == Built(decoded=2)
    found = stamped(dataset_of(rows, {**files, "c.png": png(noise(2))}), stamps="new")
    cache = cache_images(found, 8, workers=1, root=tmp_path)
    assert cache.built == Built(decoded=1, reused=2)
    assert cache.refused == {"a": "IMG103"}


@pytest.mark.parametrize("other", [{"size": 9}, {"channels": 1}])
def test_rows_of_another_size_are_not_taken_over(tmp_path: Path, other: dict[str, int]) -> None:
    cache_images(many(5), other.get("size", 8), other.get("channels", 3), workers=1, root=tmp_path)
    assert cache_images(many(5), 8, workers=1, root=tmp_path).built == Built(decoded=5)


def damage_pixels(path: Path) -> None:
    pixels = CacheFolder(path).pixels("r+")
    pixels[:] = 255 - np.asarray(pixels)


def damage_state(path: Path) -> None:
    (path / "state.json").write_text("{", "utf-8")


def damage_rows(path: Path) -> None:
    (path / "rows.npy").write_bytes(b"x")


@pytest.mark.parametrize("damage", [damage_pixels, damage_state, damage_rows])
def test_damaged_caches_are_not_taken_over(tmp_path: Path, damage: Any) -> None:
    dataset = many(5)
    damage(cache_images(stamped(dataset, stamps="old"), 8, workers=1, root=tmp_path).path)
    again = cache_images(stamped(dataset, stamps="new"), 8, workers=1, root=tmp_path)
    assert again.built == Built(decoded=5)
    assert again.verify() == ()


def test_the_newest_of_many_caches_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_build, "_OLDER", 1)
    dataset = many(4)
    for place, name in enumerate(("a", "b")):
        cache = cache_images(stamped(dataset[place * 2 : place * 2 + 2], stamps=name), 8, root=tmp_path)
        os.utime(cache.path / "state.json", (1000 * place, 1000 * place))
    assert cache_images(stamped(dataset, stamps="c"), 8, workers=1, root=tmp_path).built == Built(2, 2)


def test_an_image_that_kills_its_process_is_refused_and_the_rest_is_there(tmp_path: Path) -> None:
    dataset = many(150)
    deadly = stamped(dataset, deadly=("image70.png", "image3.png"))
    cache = cache_images(deadly, 8, workers=2, root=tmp_path)
    assert cache.refused == {"image3": "IMG109", "image70": "IMG109"}
    assert not cache.pixels[70].any()
    assert cache.verify() == ()
    alive = cache_images(dataset, 8, workers=1, root=tmp_path / "alive")
    others = [place for place in range(150) if place not in {3, 70}]
    assert np.array_equal(cache.batch(others), alive.batch(others))


def test_a_broken_build_leaves_no_lock_and_can_be_resumed(tmp_path: Path) -> None:
    dataset = many(5)
    unreadable = stamped(dataset, unreadable=True)
    with pytest.raises(AssertionError, match="was read"):
        cache_images(unreadable, 8, workers=1, root=tmp_path)
    assert list(tmp_path.glob("*.lock")) == []
    readable = replace(unreadable, images=replace(unreadable.images, unreadable=False))  # type: ignore[type-var]
    assert cache_images(readable, 8, workers=1, root=tmp_path).built == Built(decoded=5)


def test_a_record_without_an_image_is_refused_and_the_rest_is_there(tmp_path: Path) -> None:
    whole = many(3)
    keys = ["", *whole.column("image").to_pylist()[1:]]
    place = whole.table.column_names.index("image")
    lacking = replace(whole, table=whole.table.set_column(place, "image", pa.array(keys, pa.string())))
    cache = cache_images(lacking, 8, workers=1, root=tmp_path)
    assert cache.refused == {whole.ids[0]: "IMG101"}
    assert cache.built == Built(decoded=2)
