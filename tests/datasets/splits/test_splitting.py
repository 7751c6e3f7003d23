from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from dataset_samples import dataset_of, row
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.datasets import Dataset
from radcap.datasets.splits.splitting import Splitting, split_dataset
from radcap.datasets.survey import find_duplicates, survey_images
from radcap.datasets.synthetic.dataset import Faults, synthetic


def made(*rows: dict[str, Any]) -> Dataset:
    return dataset_of([row(f"i{place}", **fields) for place, fields in enumerate(rows)], {})


def splits_of(splitting: Splitting) -> dict[str, str]:
    data = splitting.dataset
    return dict(zip(data.ids, data.column("split").to_pylist(), strict=True))


def crossing(data: Dataset) -> set[str]:
    """Groups with records in more than one split."""
    homes: dict[str, set[str]] = {}
    for one in data:
        if one.group:
            homes.setdefault(one.group, set()).add(one.split)
    return {group for group, splits in homes.items() if len(splits) > 1}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.sets(st.sampled_from(["C1", "C2", "C3"]))), max_size=30
    ),
    st.integers(0, 3),
)
def test_no_group_crosses_splits_and_no_record_is_lost(rows: list[tuple[str, set[str]]], seed: int) -> None:
    data = made(*({"group": group, "cui_manual": sorted(cuis)} for group, cuis in rows))
    done = split_dataset(data, seed=seed)
    assert not crossing(done.dataset)
    assert done.dataset.ids == data.ids
    assert set(splits_of(done).values()) <= {"train", "valid", "test"}
    assert sum(done.deviations[0].got.values()) == len(data)


def test_the_order_of_rows_and_nothing_but_the_seed_decides() -> None:
    data = synthetic(600, concepts=60)
    order = np.random.default_rng(5).permutation(len(data))
    straight = split_dataset(data, seed=3)
    assert splits_of(straight) == splits_of(split_dataset(data.take(order), seed=3))
    assert splits_of(straight) == splits_of(split_dataset(data, seed=3))
    assert splits_of(straight) != splits_of(split_dataset(data, seed=4))


@pytest.mark.parametrize("shares", [{"train": 0.8, "valid": 0.1, "test": 0.1}, {"train": 0.5, "test": 0.5}])
def test_shares_come_out_within_a_percent(shares: dict[str, float]) -> None:
    done = split_dataset(synthetic(3000, concepts=60), shares)
    whole = done.deviations[0]
    assert set(whole.got) == set(shares)
    assert whole.worst < 0.01 * 3000


def random_splits(data: Dataset, seed: int) -> np.ndarray:
    """Whole groups by lot."""
    groups, numbers = np.unique(data.column("group").to_pylist(), return_inverse=True)
    drawn = np.random.default_rng(seed).choice(3, len(groups), p=(0.8, 0.1, 0.1))
    return drawn[numbers]


def misses(data: Dataset, placed: np.ndarray, *, rarest: int) -> float:
    """The mean distance from what was wanted, over splits and labels with at least so few records."""
    labels: dict[str, list[int]] = {}
    for place, cuis in enumerate(data.column("cui").to_pylist()):
        for cui in cuis:
            labels.setdefault(cui, []).append(place)
    off = [
        abs(int((placed[places] == split).sum()) - share * len(places))
        for places in labels.values()
        if 10 <= len(places) <= rarest
        for split, share in enumerate((0.8, 0.1, 0.1))
    ]
    return float(np.mean(off))


def test_rare_labels_come_out_better_than_by_chance_and_common_ones_never_worse() -> None:
    data = synthetic(4000, concepts=200, seed=1)
    done = split_dataset(data, concepts="all")
    names = {"train": 0, "valid": 1, "test": 2}
    ours = np.array([names[one] for one in done.dataset.column("split").to_pylist()])
    chance = [(misses(data, random_splits(data, seed), rarest=100), seed) for seed in range(20)]
    rare = misses(data, ours, rarest=100)
    assert rare < 0.75 * np.mean([one for one, _ in chance])
    assert rare < min(one for one, _ in chance)
    everything = [misses(data, random_splits(data, seed), rarest=10_000) for seed in range(20)]
    assert misses(data, ours, rarest=10_000) < min(everything)


def test_the_stratum_of_one_goes_to_train() -> None:
    rows = [{"cui_manual": ["C0000001"]}] * 20 + [{"cui_manual": ["C0000002"]}]
    done = split_dataset(made(*rows))
    assert splits_of(done)["i20"] == "train"


def test_a_group_larger_than_a_split_is_placed_and_reported() -> None:
    rows = [{"group": "big", "cui_manual": ["C1"]}] * 12 + [{"group": "", "cui_manual": ["C1"]}] * 28
    done = split_dataset(made(*rows))
    (large,) = done.large
    assert (large.key, large.records, large.split) == ("group big", 12, "train")
    assert done.singles == 28
    assert done.groups == 29


def test_one_group_for_all_leaves_the_other_splits_empty_and_says_so() -> None:
    done = split_dataset(made(*[{"group": "one", "cui_manual": ["C1"]}] * 5))
    assert set(splits_of(done).values()) == {"train"}
    assert done.empty == ("valid", "test")
    assert done.to_json()["large"] == [{"group": "group one", "records": 5, "split": "train"}]


def test_a_dataset_of_nothing_is_split_into_nothing() -> None:
    done = split_dataset(dataset_of([], {}))
    assert len(done.dataset) == 0
    assert done.deviations[0].got == {"train": 0, "valid": 0, "test": 0}
    assert done.deviations[0].worst == 0
    assert done.empty == ("train", "valid", "test")
    assert done.large == done.unseen == ()


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({"train": 0.8, "valid": 0.1}, "The shares add up to 0.9"),
        ({"train": 1.2, "valid": -0.2}, "The share of valid is -0.2"),
        ({"train": float("nan")}, "The share of train is nan"),
        ({"train": 0.5, "validation": 0.5}, "There is no split 'validation'. Nearest is 'valid'."),
        ({}, "The shares add up to 0."),
    ],
)
def test_shares_that_cannot_be_are_refused(shares: dict[str, float], said: str) -> None:
    with pytest.raises(UsageError, match=said.replace(".", r"\.")):
        split_dataset(made({}), shares)


def test_a_share_of_nothing_takes_nothing() -> None:
    done = split_dataset(made(*[{}] * 7), {"train": 1.0, "test": 0.0})
    assert set(splits_of(done).values()) == {"train"}
    assert done.empty == ()


# fixed splits


def fixed_sample() -> Dataset:
    rows = [
        {"split": "test", "group": "a"},
        {"split": "train", "group": "a"},
        {"split": "test", "group": ""},
        *({"split": "train", "group": f"g{place}", "cui_manual": ["C1"]} for place in range(20)),
    ]
    return made(*rows)


def test_a_fixed_split_keeps_its_records_and_takes_the_rest_of_their_groups() -> None:
    done = split_dataset(fixed_sample(), fixed=("test",))
    splits = splits_of(done)
    assert [name for name, split in splits.items() if split == "test"] == ["i0", "i1", "i2"]
    assert done.joined == 1
    assert done.deviations[0].got == {"train": 18, "valid": 2, "test": 3}
    assert done.deviations[0].wanted["test"] == 3


def test_a_fixed_split_needs_no_share() -> None:
    done = split_dataset(fixed_sample(), {"train": 0.5, "valid": 0.5}, fixed=("test",))
    assert done.deviations[0].got == {"train": 10, "valid": 10, "test": 3}


def test_a_group_between_two_fixed_splits_is_torn_and_listed() -> None:
    rows = [
        {"split": "valid", "group": "a"},
        {"split": "test", "group": "a"},
        {"split": "train", "group": "a"},
    ]
    done = split_dataset(made(*rows, {"group": "b"}), fixed=("valid", "test"))
    assert splits_of(done) == {"i0": "valid", "i1": "test", "i2": "test", "i3": "train"}
    assert done.torn == ("group a",)
    assert done.deviations[0].got == {"train": 1, "valid": 1, "test": 2}


def test_a_split_that_is_not_there_cannot_be_fixed() -> None:
    with pytest.raises(UsageError, match="There is no split 'tset'"):
        split_dataset(fixed_sample(), fixed=("tset",))


def test_records_for_which_no_split_is_open_are_refused() -> None:
    with pytest.raises(UsageError, match="no split is open"):
        split_dataset(fixed_sample(), {"test": 1.0}, fixed=("test",))


def test_everything_fixed_is_nothing_to_do() -> None:
    data = made({"split": "test"}, {"split": "test"})
    assert splits_of(split_dataset(data, {"test": 1.0}, fixed=("test",))) == {"i0": "test", "i1": "test"}


# by date


def test_groups_with_a_record_of_that_year_go_to_test_whole() -> None:
    rows = [
        {"group": "a", "year": "2019"},
        {"group": "a", "year": "2022"},
        {"group": "b", "year": "2021-05-03"},
        {"group": "c", "year": "2020"},
        {"group": "d", "year": ""},
        {"group": "e", "year": "20211"},
    ]
    done = split_dataset(made(*rows), {"train": 0.9, "valid": 0.1}, temporal=2021)
    assert [name for name, split in splits_of(done).items() if split == "test"] == ["i0", "i1", "i2"]
    assert done.undated == 2


def test_a_split_by_date_needs_years() -> None:
    with pytest.raises(UsageError, match="no column 'year'"):
        split_dataset(made({}), temporal=2020)


def test_what_is_fixed_stays_whatever_its_date() -> None:
    rows = [{"split": "valid", "year": "2024"}, {"split": "train", "year": "2024"}]
    assert splits_of(split_dataset(made(*rows), fixed=("valid",), temporal=2020)) == {
        "i0": "valid",
        "i1": "test",
    }


# pictures


def test_records_with_the_same_picture_stay_together() -> None:
    data = synthetic(200, size=32, groups=(1.0,), faults=Faults(duplicates=6))
    survey = survey_images(data, keep=False, workers=1)
    pairs = [(one.id, one.details["planted"].split(": ")[1]) for one in data if one.details["planted"]]
    alone = splits_of(split_dataset(data))
    together = splits_of(split_dataset(data, same=find_duplicates(survey).clusters))
    assert any(alone[first] != alone[second] for first, second in pairs)
    assert all(together[first] == together[second] for first, second in pairs)


def test_clusters_that_are_given_stay_together() -> None:
    data = made(*[{"group": f"g{place}", "cui_manual": ["C1"]} for place in range(30)])
    splits = splits_of(split_dataset(data, {"train": 0.5, "test": 0.5}, same=[range(0, 15), range(15, 30)]))
    assert len({splits[f"i{place}"] for place in range(15)}) == 1
    assert splits["i0"] != splits["i29"]


# concepts


def test_automatic_concepts_that_train_lacks_are_listed_and_removed_on_request() -> None:
    rows = [
        {"split": "train", "cui": ["C1", "C2"], "cui_manual": ["C1"]},
        {"split": "test", "cui": ["C1", "C2", "C3"], "cui_manual": ["C1"]},
        {"split": "test", "cui": ["C1", "C3"], "cui_manual": ["C1"]},
        {"split": "test", "cui": ["C9"], "cui_manual": ["C9"]},
    ]
    data = made(*rows)
    kept = split_dataset(data, fixed=("train", "test"), shares={"train": 1.0})
    assert [(one.cui, one.manual, one.images) for one in kept.unseen] == [("C3", False, 2), ("C9", True, 1)]
    assert kept.to_json()["unseen"][0] == {"cui": "C3", "manual": False, "images": 2}
    assert kept.dropped.labels == 0
    assert kept.dataset.column("cui").to_pylist() == data.column("cui").to_pylist()
    done = split_dataset(data, fixed=("train", "test"), shares={"train": 1.0}, drop_unseen=True)
    assert done.dataset.column("cui").to_pylist() == [["C1", "C2"], ["C1", "C2"], ["C1"], ["C9"]]
    assert done.dropped.to_json() == {"concepts": ["C3"], "labels": 2, "emptied": ["i2"]}


@pytest.mark.parametrize(
    ("concepts", "labels"),
    [("manual", {"C1", "DRCT"}), ("automatic", {"C2", "DRCT"}), ("all", {"C1", "C2", "DRCT"})],
)
def test_the_labels_to_balance_can_be_chosen(concepts: str, labels: set[str]) -> None:
    data = made({"cui": ["C1", "C2", "C2"], "cui_manual": ["C1"], "modality": "DRCT"}, {})
    done = split_dataset(data, concepts=concepts)
    assert {one.label for one in done.deviations[1:]} == labels
    assert all(one.total == 1 for one in done.deviations[1:])


def test_an_unknown_choice_of_labels_is_refused() -> None:
    with pytest.raises(UsageError, match="choice of concepts"):
        split_dataset(made({}), concepts="manuel")


# what is told


def test_the_result_is_json_and_tables() -> None:
    done = split_dataset(synthetic(300, concepts=40), drop_unseen=True)
    told = json.loads(json.dumps(done.to_json()))
    assert told["records"] == 300
    assert told["deviations"][0]["label"] == "all records"
    labels, facts = done.tables()
    assert labels.columns[:4] == ("label", "total", "train wanted", "train got")
    assert labels.rows[1][0] == "X-ray computed tomography"
    assert ("groups", f"{done.groups:,}") in facts.rows
