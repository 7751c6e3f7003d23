"""Pictures in passing, from records without an image and from disks that fail."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from radcap.datasets import load_dataset
from radcap.datasets.synthetic import Faults, synthetic
from radcap.vision.pictures import View
from radcap.vision.pictures.streaming import stream
from radcap.vision.settings import ImageSettings

VIEW = View(ImageSettings(size=16))


@dataclass(frozen=True)
class Failing:
    """A store on a disk that cannot be read at one place."""

    store: Any
    bad: str

    def read(self, key: str) -> bytes:
        if key == self.bad:
            raise OSError(5, "Input/output error")
        return self.store.read(key)

    def name(self, key: str) -> str:
        return self.store.name(key)


def test_a_disk_that_fails_at_one_image_costs_that_image() -> None:
    data = synthetic(6, size=16, concepts=40)
    bad = data.table["image"][2].as_py()
    shots = list(stream(replace(data, images=Failing(data.images, bad)), VIEW, batch=4))  # type: ignore[arg-type]
    assert {one: code for shot in shots for one, code in shot.refused.items()} == {data.ids[2]: "IMG109"}
    assert [one for shot in shots for one in shot.ids] == [*data.ids[:2], *data.ids[3:]]


def test_a_record_without_an_image_is_refused_and_named(tmp_path: Path) -> None:
    synthetic(20, size=16, concepts=40, faults=Faults(missing=1)).save(tmp_path / "data")
    data = load_dataset(tmp_path / "data")
    (lacking,) = [
        one for one, fault in zip(data.ids, data.column("planted").to_pylist(), strict=True) if fault
    ]
    (shot,) = stream(data, VIEW)
    assert shot.refused == {lacking: "IMG101"}
    assert len(shot.ids) == len(data) - 1
