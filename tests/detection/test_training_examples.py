"""What is learnt from: licences, sources, labels and parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from training_samples import drawn, tiny, without_valid

from radcap.core import NAMES, UsageError
from radcap.detection.examples import groups_of, is_free, label_matrix, label_set, learnable
from radcap.detection.system import DataSettings
from radcap.detection.training.parts import Parts
from radcap.vision.settings import TrainSettings


@pytest.mark.parametrize(
    ("licence", "free"),
    [
        ("CC BY 4.0", True),
        ("CC0 1.0", True),
        ("Public, no restrictions (NIH)", True),
        ("MIT", True),
        ("https://creativecommons.org/licenses/by/4.0/", True),
        ("CC BY-NC 4.0", False),
        ("cc-by-nc-sa-4.0", False),
        ("CC_BY_NC", False),
        ("CC BY-SA", False),
        ("https://creativecommons.org/licenses/by-nc-sa/4.0/", False),
        ("Attribution-NonCommercial 4.0", False),
        ("Attribution Share Alike", False),
        ("non-commercial use only", False),
        ("unknown", False),
        ("  ", False),
        ("", False),
    ],
)
def test_a_licence_is_free_where_it_is_known_and_asks_for_neither(licence: str, free: bool) -> None:
    assert is_free(licence) is free


def test_learnable_leaves_out_what_the_data_table_says() -> None:
    data = drawn()
    free = learnable(data, DataSettings(free_only=True))
    assert 0 < len(free) < len(data)
    assert all(is_free(one) for one in free.column("licence").to_pylist())
    half = pa.array(["here" if row % 2 else "there" for row in range(len(data))])
    place = data.table.column_names.index("source")
    two = replace(data, table=data.table.set_column(place, "source", half))
    kept = learnable(two, DataSettings(without_sources=("there",)))
    assert set(kept.column("source").to_pylist()) == {"here"}
    assert len(learnable(data, DataSettings())) == len(data)
    manual = learnable(data, DataSettings(concepts="manual"))
    assert {cui for cuis in manual.column("cui").to_pylist() for cui in cuis} <= set(NAMES)


def test_labels_are_those_of_training_by_frequency_in_order_of_their_cuis() -> None:
    train = drawn().split("train")
    every = label_set(train, DataSettings())
    assert list(every) == sorted(every)
    truth = label_matrix(train, every)
    assert truth.shape == (len(train), len(every))
    assert truth.sum() == sum(len(record.concepts) for record in train)
    counts = dict(zip(every, truth.sum(axis=0).tolist(), strict=True))
    assert set(label_set(train, DataSettings(min_count=5))) == {cui for cui, n in counts.items() if n >= 5}
    top = label_set(train, DataSettings(top=3))
    assert len(top) == 3
    assert min(counts[cui] for cui in top) >= sorted(counts.values())[-3]
    with pytest.raises(UsageError, match=r"no label to learn among its .* Look at .* min_count"):
        label_set(train, DataSettings(min_count=10_000))


def test_a_label_that_is_not_learnt_has_no_column() -> None:
    train = drawn().split("train")
    one = label_set(train, DataSettings(top=1))
    assert label_matrix(train, one).shape == (len(train), 1)
    assert label_matrix(train.take([]), one).shape == (0, 1)


def test_parts_are_the_splits_that_the_system_names() -> None:
    parts = Parts.of(drawn(), DataSettings())
    assert parts.held is not None
    assert {record.split for record in parts.fit} == {"train"}
    assert {record.split for record in parts.held} == {"valid"}
    assert len(parts.both) == len(parts.fit) + len(parts.held)
    assert parts.both.ids[-1] == parts.held.ids[-1]
    told = parts.to_json()
    assert (told["train"], told["held_out"]) == (len(parts.fit), len(parts.held))
    assert sum(told["licences"].values()) == len(parts.both)


def test_without_a_held_out_split_both_is_what_is_learnt() -> None:
    parts = Parts.of(without_valid(), DataSettings())
    assert parts.held is None
    assert parts.both is parts.fit
    assert parts.to_json()["held_out"] == 0


def test_a_held_out_split_whose_images_are_all_left_out_is_none() -> None:
    data = drawn()
    source = pa.array(["a" if split == "train" else "b" for split in data.column("split").to_pylist()])
    place = data.table.column_names.index("source")
    two = replace(data, table=data.table.set_column(place, "source", source))
    assert Parts.of(two, DataSettings(without_sources=("b",))).held is None


@pytest.mark.parametrize(("source", "known"), [(None, "It names none."), ("here", "It has here.")])
def test_a_source_that_is_not_there_cannot_be_left_out(source: str | None, known: str) -> None:
    data, place = drawn(), drawn().table.column_names.index("source")
    column = pa.array([source] * len(data), pa.string())
    one = replace(data, table=data.table.set_column(place, "source", column))
    with pytest.raises(UsageError, match=f"without_sources names 'nosuch', and .* {known} Name one"):
        Parts.of(one, DataSettings(without_sources=("nosuch",)))


def test_a_split_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"There is no split 'trian'. Nearest is 'train'"):
        Parts.of(drawn(), DataSettings(fit="trian"))


def test_a_held_out_split_of_one_group_is_refused_before_training() -> None:
    data = drawn()
    place = data.table.column_names.index("group")
    one = replace(data, table=data.table.set_column(place, "group", pa.array(["g"] * len(data))))
    with pytest.raises(UsageError, match="images of one group alone"):
        Parts.of(one, DataSettings())


def test_images_without_a_group_stand_for_themselves() -> None:
    data = drawn()
    place = data.table.column_names.index("group")
    none = replace(data, table=data.table.set_column(place, "group", pa.array([""] * len(data))))
    assert groups_of(none, none.ids[3:5]) == none.ids[3:5]


def test_the_fingerprint_is_of_settings_and_data_and_not_of_the_device() -> None:
    parts, other = Parts.of(drawn(), DataSettings()), Parts.of(drawn(seed=1), DataSettings())
    first = parts.fingerprint(tiny())
    assert first == Parts.of(drawn(), DataSettings()).fingerprint(tiny())
    assert first != other.fingerprint(tiny())
    assert first != parts.fingerprint(tiny(train=TrainSettings(epochs=3, batch=16, lr=1e-2)))
    here = tiny(train=TrainSettings(epochs=2, batch=16, lr=1e-2, device="cpu", pixels="host"))
    assert first == parts.fingerprint(here)
    held = parts.held
    assert held is not None
    swapped = replace(parts, held=held.take(np.arange(len(held))[::-1]))
    assert first != swapped.fingerprint(tiny())
