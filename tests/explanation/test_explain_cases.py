"""The nearest training cases: against brute force, never of one's own group, and within their licences."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import InputError, UsageError
from radcap.datasets import Dataset, load_dataset
from radcap.datasets.columns import make_table
from radcap.datasets.stores import MemoryImages
from radcap.detection.retrieval import NeighbourIndex, save_index
from radcap.explanation.rationale import CaseFinder, IndexedCases, cases_of, find_cases
from radcap.explanation.rationale.cases import SIDE, may_show
from radcap.vision.pictures.view import View
from radcap.vision.settings import ImageSettings

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.detection.models.network_model import NetworkModel
    from radcap.vision.pictures.streaming import Shot


@cache
def _bundled() -> Dataset:
    return load_dataset("radiology-open")


@dataclass(frozen=True)
class Grey:
    """A network in name: the vector of an image is how grey each of its columns is."""

    labels: tuple[str, ...] = ("C0040405", "C0024485")
    view: View = field(default_factory=lambda: View(ImageSettings(size=16)))

    def look(self, shot: Shot) -> tuple[None, NDArray[np.float32]]:
        return None, shot.squares.float().mean((1, 3)).numpy() + 1


def _model() -> NetworkModel:
    return Grey()  # type: ignore[return-value]


def _finder(groups: list[str], vectors: NDArray[np.float32], ids: list[str]) -> IndexedCases:
    table = make_table({"image_id": ids, "split": ["train"] * len(ids), "group": groups}, len(ids))
    truth = np.zeros((len(ids), 1), np.bool_)
    return IndexedCases(NeighbourIndex.of(vectors, ids, ["C1"], truth), Dataset("some", table))


@settings(max_examples=25)
@given(
    groups=st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=1, max_size=12),
    seed=st.integers(0, 1000),
    k=st.integers(1, 4),
    own=st.sampled_from(["", "i0", "i3", "elsewhere"]),
    group=st.sampled_from(["", "a", "b", "z"]),
)
def test_the_nearest_are_those_of_brute_force(
    groups: list[str], seed: int, k: int, own: str, group: str
) -> None:
    rng = np.random.default_rng(seed)
    vectors, asked = rng.normal(size=(len(groups), 5)).astype(np.float32), rng.normal(size=5)
    ids = [f"i{place}" for place in range(len(groups))]
    near = vectors @ asked / np.linalg.norm(vectors, axis=1) / np.linalg.norm(asked)
    apart = {group, groups[ids.index(own)] if own in ids else ""} - {""}
    wanted = [
        ids[place]
        for place in np.argsort(-near, kind="stable")
        if ids[place] != own and groups[place] not in apart
    ]
    found = _finder(groups, vectors, ids)(asked, k, image=own, group=group)
    assert [one.image for one in found] == wanted[:k]
    for one in found:
        assert one.similarity == pytest.approx(near[ids.index(one.image)], abs=1e-5)


@cache
def _cases() -> IndexedCases:
    return cases_of(_model(), _bundled().split("train")[:40])


def test_a_case_tells_what_its_dataset_knows() -> None:
    finder: CaseFinder = _cases()
    known = _bundled()[_cases().index.ids[7]]
    asked = _cases().index.vectors[7]
    first = finder(asked, said=known.concepts[:2])[0]
    assert first.image == known.id
    assert first.similarity == pytest.approx(1)
    assert first.similarity <= 1
    assert (first.caption, first.caption_source) == (known.caption, known.captions[0].source.value)
    assert (first.licence, first.attribution) == (known.licence, known.attribution)
    assert first.concepts == tuple(_bundled().names[cui] for cui in known.concepts[:2])
    assert first.picture is not None
    assert first.picture.dtype == np.uint8
    assert max(first.picture.shape[:2]) == SIDE
    assert first.picture.shape[2] == 3
    assert finder(asked)[0].concepts == ()
    assert known.id not in {one.image for one in finder(asked, 10, image=known.id)}


def test_cases_without_words_and_with_broken_pictures() -> None:
    columns = {
        "image_id": ["one"],
        "split": ["train"],
        "image": ["one.png"],
        "licence": ["CC BY 4.0"],
        "cui": [["C7"]],
    }
    data = Dataset("some", make_table(columns, 1), MemoryImages({"one.png": b"no picture"}))
    index = NeighbourIndex.of(np.ones((1, 2), np.float32), ["one"], [], np.zeros((1, 0), np.bool_))
    (case,) = IndexedCases(index, data)(np.ones(2), said={"C7"})
    assert (case.caption, case.caption_source, case.picture) == ("", "", None)
    assert case.concepts == ("C7",)  # it has no name there


@pytest.mark.parametrize(
    ("licence", "shown"),
    [("CC BY 4.0", True), ("CC BY-NC-SA", True), ("CC BY-NC-ND 4.0", False), ("", False), (" ", False)],
)
def test_pictures_are_shown_as_licences_allow(licence: str, shown: bool) -> None:
    assert may_show(licence) is shown
    part = _bundled().split("train")[:1]
    table = part.table.set_column(part.table.column_names.index("licence"), "licence", pa.array([licence]))
    finder = cases_of(_model(), replace(part, table=table))
    assert (finder(finder.index.vectors[0])[0].picture is not None) is shown


def test_cases_of_a_dataset_are_its_training_images() -> None:
    told: list[tuple[str, int]] = []
    some = _bundled().take([*range(40), 0])
    finder = cases_of(_model(), some, "test", lambda what, count: told.append((what, count)))
    assert list(finder.index.ids) == some.split("test").ids
    assert told[-1] == ("images", len(finder.index))
    for place, image in enumerate(finder.index.ids):
        codes = finder.index.tags.codes[slice(*finder.index.tags.starts[place : place + 2])]
        assert {finder.index.labels[code] for code in codes} == set(some[image].concepts) & set(Grey().labels)


def test_images_that_will_not_decode_are_no_cases() -> None:
    part = _bundled().split("train")[:3]
    files = {str(place): one.image.bytes for place, one in enumerate(part)} | {"1": b"broken"}
    table = part.table.set_column(part.table.column_names.index("image"), "image", pa.array(list("012")))
    broken = replace(part, table=table, images=MemoryImages(files))
    assert list(cases_of(_model(), broken).index.ids) == [part.ids[0], part.ids[2]]
    with pytest.raises(InputError, match="of 1 image none can be a case"):
        cases_of(_model(), broken[1:2])


def test_an_index_of_other_images_is_refused() -> None:
    index = NeighbourIndex.of(np.ones((1, 2), np.float32), ["X_1"], [], np.zeros((1, 0), np.bool_))
    with pytest.raises(InputError, match=r"names 1 image that radiology-open does not have, e\.g\. X_1"):
        IndexedCases(index, _bundled())


def test_cases_lie_beside_a_model(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text("{}")
    assert find_cases(tmp_path) is None
    save_index(_cases().index, tmp_path / "cases", "int8")
    found = find_cases(tmp_path)
    assert found is not None
    assert found.index.ids == _cases().index.ids
    with pytest.raises(UsageError, match="no model folder"):
        find_cases(tmp_path / "nothing")


def test_the_cases_inside_are_free_training_images() -> None:
    found = find_cases("zoo:concepts")
    assert found is not None
    splits = dict(zip(found.dataset.ids, found.dataset.column("split").to_pylist(), strict=True))
    licences = dict(zip(found.dataset.ids, found.dataset.column("licence").to_pylist(), strict=True))
    assert {splits[one] for one in found.index.ids} == {"train"}
    assert not any("NC" in licences[one] or "SA" in licences[one] for one in found.index.ids)
    assert len(found.index) == 3761  # those of the card
    axes = found.index.axes
    assert axes is not None
    itself = found.index.vectors[5] @ np.linalg.pinv(axes)  # back to where queries are
    assert found(itself, 1)[0].image == found.index.ids[5]
