"""A dataset is written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from dataset_samples import dataset_of, noise, png, row, sample

from radcap.core import InputError, UsageError
from radcap.datasets import load_dataset, save
from radcap.datasets.images import Coding
from radcap.datasets.refusal import refuse
from radcap.datasets.saving import Payloads
from radcap.datasets.stores import MemoryImages

if TYPE_CHECKING:
    from radcap.datasets import Dataset

LAYOUTS = ("parquet", "hf", "folder", "webdataset")


class Broken(MemoryImages):
    """A store in which every second image is refused."""

    def read(self, key: str) -> bytes:
        if int(key.removesuffix(".png")) % 2:
            raise refuse("IMG104", key, why="the file ends")
        return super().read(key)


def broken(n: int = 6) -> Dataset:
    dataset = dataset_of([row(f"id {i}", ("train", "test")[i % 3 == 0], image=f"{i}.png") for i in range(n)])
    files = {f"{i}.png": png(noise(i)) for i in range(n)}
    return type(dataset)(dataset.name, dataset.table, Broken(files), card=dataset.card)


def test_what_was_written_is_told(tmp_path: Path):
    seen: list[tuple[str, int]] = []
    saved = save(sample(), tmp_path / "deep" / "out", progress=lambda what, n: seen.append((what, n)))
    assert saved.to_json() == {
        "path": str(tmp_path / "deep" / "out"),
        "layout": "parquet",
        "records": 12,
        "images": 12,
        "missing": [],
    }
    assert seen == [("images", n) for n in range(1, 13)]
    assert {path.name for path in (tmp_path / "deep" / "out").iterdir()} >= {
        *("card.json", "README.md", "croissant.json", "cui_mapping.csv")
    }
    assert (tmp_path / "deep" / "out").stat().st_mode & 0o777 == 0o755


def test_an_empty_folder_is_taken(tmp_path: Path):
    (tmp_path / "out").mkdir()
    sample().save(tmp_path / "out")
    assert len(load_dataset(tmp_path / "out")) == 12


@pytest.mark.parametrize("kind", ["file", "full", "link", "broken link"])
def test_nothing_is_written_over(kind: str, tmp_path: Path):
    target = tmp_path / "out"
    if kind == "file":
        target.write_text("mine")
    elif kind == "full":
        target.mkdir()
        (target / "mine").write_text("mine")
    else:
        target.symlink_to(tmp_path if kind == "link" else tmp_path / "nowhere")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match=r"is there already\. Nothing is written over it"):
        sample().save(target)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("target", ["set/copy", ".", "set/../set/deep/copy"])
def test_a_copy_never_lies_in_its_source_nor_the_reverse(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sample().save(tmp_path / "home" / "set")
    dataset = load_dataset(tmp_path / "home" / "set")
    monkeypatch.setattr(Path, "iterdir", lambda _: iter(()))  # as if the folder above were empty
    with pytest.raises(UsageError, match="lie one in the other"):
        dataset.save(tmp_path / "home" / target)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_fails_leaves_nothing_behind(
    layout: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    plain = Payloads._payload
    calls: list[int] = []

    def failing(self: Payloads, place: int) -> Any:
        calls.append(place)
        if len(calls) == 8:
            raise error
        return plain(self, place)

    monkeypatch.setattr(Payloads, "_payload", failing)
    (tmp_path / "stays").mkdir()
    with pytest.raises(type(error)):
        sample().save(tmp_path / "new" / "deep" / "out", layout)
    assert [path.name for path in tmp_path.rglob("*")] == ["stays"]


def test_a_card_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def failing(*_: Any) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("radcap.datasets.cards.croissant.croissant", failing)
    (tmp_path / "out").mkdir()
    with pytest.raises(OSError, match="No space"):
        sample().save(tmp_path / "out")
    assert [path.name for path in tmp_path.rglob("*")] == ["out"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_images_that_cannot_be_read_are_named_all_and_nothing_is_written(layout: str, tmp_path: Path):
    with pytest.raises(InputError, match="3 of 6 images cannot be read, so nothing was written") as caught:
        broken().save(tmp_path / "out", layout)
    messages = sorted(issue.message for issue in caught.value.issues)
    assert len(messages) == 3
    assert messages[0].startswith("'id 1': 1.png breaks off: the file ends.")
    assert {issue.code for issue in caught.value.issues} == {"DAT303"}
    assert not list(tmp_path.iterdir())


def test_images_that_cannot_be_recoded_are_named_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def failing(data: bytes, coding: Coding, name: str) -> NoReturn:
        raise refuse("IMG109", name, why="it is torn")

    monkeypatch.setattr("radcap.datasets.images.recode", failing)
    with pytest.raises(InputError, match="12 of 12 images"):
        save(sample(), tmp_path / "out", coding=Coding("webp"))


def test_images_may_be_written_in_another_coding(tmp_path: Path):
    save(sample(), tmp_path / "out", "folder", coding=Coding("jpeg", 80, 20))
    written = sorted((tmp_path / "out" / "train").glob("*.jpg"))
    assert len(written) == 6
    dataset = load_dataset(tmp_path / "out")
    assert dataset[0].image.load().size == (20, 13)


def test_payloads_come_in_the_order_of_the_records():
    dataset = sample()
    payloads = Payloads(dataset)
    for split in (*dataset.splits, "nowhere"):
        wanted = [place for place, record in enumerate(dataset) if record.split == split]
        found = list(payloads.of(split))
        assert [one.place for one in found] == wanted
        assert [one.id for one in found] == [dataset[place].id for place in wanted]
    assert payloads.images == 12
