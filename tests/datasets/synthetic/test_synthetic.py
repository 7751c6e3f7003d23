from __future__ import annotations

import io
import json
import pickle
import re
import time
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from radcap.core import NAMES, UsageError
from radcap.datasets import CaptionSource, Dataset, ImageRefused
from radcap.datasets.leaks.finding import leaks_within
from radcap.datasets.splits.grouping import find_groups
from radcap.datasets.stores import ImageStore
from radcap.datasets.synthetic.dataset import Faults, synthetic
from radcap.datasets.synthetic.facts import MODALITY_CODES, draw_facts
from radcap.datasets.synthetic.findings import FINDINGS, finding_cui, finding_name, look_of


@pytest.fixture(scope="module")
def data() -> Dataset:
    return synthetic(2000, seed=7, size=64)


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    first, again, other = (
        synthetic(40, seed=1, size=48),
        synthetic(40, seed=1, size=48),
        synthetic(40, seed=2, size=48),
    )
    assert first.table.equals(again.table)
    assert [first.image(place).bytes for place in range(40)] == [
        again.image(place).bytes for place in range(40)
    ]
    assert not first.table.equals(other.table)
    assert first.image(0).bytes != other.image(0).bytes


def test_no_two_images_are_the_same(data: Dataset) -> None:
    assert len({data.image(place).bytes for place in range(200)}) == 200


def test_images_are_drawn_when_asked_for_in_any_process(data: Dataset) -> None:
    store: ImageStore = pickle.loads(pickle.dumps(data.images))  # noqa: S301, our own bytes
    assert store.read("0000005.png") == data[5].image.bytes
    assert len(pickle.dumps(data.images)) < 100_000


@pytest.mark.parametrize(("form", "size"), [("PNG", 16), ("PNG", 200), ("JPEG", 64)])
def test_images_have_the_form_and_size_that_was_asked_for(form: str, size: int) -> None:
    made = synthetic(5, form=form, size=size)
    with Image.open(io.BytesIO(made.image(3).bytes)) as image:
        assert (image.format, image.size) == (form, (size, size))


def test_fused_images_are_coloured_and_all_others_grey(data: Dataset) -> None:
    for place in range(0, 300):
        coloured = data.image(place).load().mode == "RGB"
        assert coloured == (data[place].modality == "DRCO")


def test_every_modality_region_and_direction_can_be_drawn() -> None:
    made = synthetic(6000, size=16, seed=3)
    seen: dict[tuple[str, ...], int] = {}
    store = made.images
    for place, key in enumerate(
        zip(store.facts.modalities, store.facts.regions, store.facts.directions, strict=True)  # type: ignore[attr-defined]
    ):
        seen.setdefault(key, place)
    assert {modality for modality, _, _ in seen} == set(range(8))
    assert {region for _, region, _ in seen} == set(range(8))
    for place in seen.values():
        assert made.image(place).load().getextrema()


def test_a_store_knows_its_keys(data: Dataset) -> None:
    store = data.images
    assert store.has("0000000.png")
    assert store.name("0000001.png") == "0000001.png"
    assert store.path("0000001.png") is None
    assert list(store.keys()) == data.column("image").to_pylist()
    assert store.stamp("0000000.png") != store.stamp("0000001.png")
    assert store.stamp("0000000.png") != synthetic(2000, seed=8, size=64).images.stamp("0000000.png")
    for key in ("0002000.png", "0000000.jpg", "x.png", "-1.png", "", "²2.png"):
        assert not store.has(key)
        assert store.stamp(key) != store.stamp("0000000.png")
        with pytest.raises(ImageRefused):
            store.read(key)


# labels


def test_labels_are_as_long_tailed_as_real_ones() -> None:
    # the bundled set: 5,254 images, 258 concepts, 2.78 on an image, the most frequent finding on a quarter
    made = synthetic(5254, concepts=263)
    counts = Counter(cui for cuis in made.column("cui").to_pylist() for cui in cuis)
    findings = sorted((n for cui, n in counts.items() if cui not in NAMES), reverse=True)
    assert 2.4 < sum(counts.values()) / 5254 < 3.4
    assert 220 <= len(findings) <= 243
    assert 0.15 < findings[0] / 5254 < 0.3
    assert 5 <= sum(n < 5 for n in findings) <= 110
    ranks = np.log(np.arange(1, 101))
    slope = np.polyfit(ranks, np.log(findings[:100]), 1)[0]
    assert -1.3 < slope < -0.9


def test_labels_are_those_of_the_challenge(data: Dataset) -> None:
    for one in data[:300]:
        assert set(one.manual) <= set(one.concepts)
        assert len(set(one.concepts)) == len(one.concepts)
        assert all(re.fullmatch(r"C\d{7}", cui) and cui in data.names for cui in one.concepts)
        assert len(one.manual) == (3 if one.modality == "DRXR" else 1)


def test_modalities_are_as_frequent_as_in_rocov2(data: Dataset) -> None:
    counts = Counter(data.column("modality").to_pylist())
    assert 0.31 < counts["DRCT"] / 2000 < 0.39
    assert set(counts) == set(MODALITY_CODES)


def test_captions_say_what_the_concepts_say(data: Dataset) -> None:
    for one in data[:200]:
        assert [caption.source for caption in one.captions] == [CaptionSource.COMPOSED]
        made = [cui for cui in one.concepts if cui not in NAMES]
        assert [name for name in map(data.names.__getitem__, made) if name not in one.caption] == []
        assert one.caption.count(" a ") == len(made)
        assert one.caption.endswith(".")


def test_groups_have_one_to_six_images_and_share_what_they_are_about(data: Dataset) -> None:
    sizes = find_groups(data.table).sizes
    assert set(sizes.tolist()) == {1, 2, 3, 4, 5, 6}
    assert 1.6 < sizes.mean() < 2.0
    groups: dict[str, list[set[str]]] = {}
    for one in data:
        groups.setdefault(one.group, []).append({cui for cui in one.concepts if cui not in NAMES})
    largest = [sets for sets in groups.values() if len(sets) == 6]
    assert np.mean([len(set.union(*sets)) - min(map(len, sets)) for sets in largest]) < 1.5
    for group in ("licence", "year"):
        cells = zip(data.column("group").to_pylist(), data.column(group).to_pylist(), strict=True)
        assert len(set(cells)) == len(sizes)


def test_splits_are_cut_between_groups(data: Dataset) -> None:
    counts = Counter(data.column("split").to_pylist())
    assert abs(counts["train"] - 1600) <= 6
    assert abs(counts["test"] - 200) <= 6
    assert not any(one.leaking for one in leaks_within(data))
    assert synthetic(50, splits={"test": 1.0}).splits == ("test",)


def test_every_finding_looks_different() -> None:
    looks = {look_of(number) for number in range(FINDINGS)}
    assert len(looks) == len({finding_name(number) for number in range(FINDINGS)}) == FINDINGS == 864
    assert finding_cui(863) == "C9900863"


def test_there_can_be_no_findings_and_no_images() -> None:
    assert synthetic(30, concepts=20).column("cui").to_pylist()
    assert len(synthetic(0)) == 0
    assert len(synthetic(1)) == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"images": -1}, "images is -1"),
        ({"size": 8}, "size is 8"),
        ({"size": 10_000}, "size is 10000"),
        ({"concepts": 19}, "concepts is 19"),
        ({"concepts": 900}, "There can be 20 to 884"),
        ({"form": "GIF"}, "form is 'GIF'"),
        ({"groups": ()}, "weights of group sizes"),
        ({"groups": (0.0, 0.0)}, "weights of group sizes"),
        ({"groups": (1.0, -1.0)}, "weights of group sizes"),
        ({"splits": {"train": 0.4}}, "add up to 0.4"),
        ({"images": 20, "faults": Faults(broken=3)}, "3 faults are wanted"),
        ({"faults": Faults(broken=-1)}, "faults are wanted"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        synthetic(**asked)  # type: ignore[arg-type]


# faults


def test_faults_are_planted_and_told() -> None:
    faulty = synthetic(400, size=32, faults=Faults(duplicates=3, retouched=2, groups=4, broken=5, missing=6))
    told = [one for one in faulty if one.details["planted"]]
    assert Counter(one.details["planted"].partition(":")[0] for one in told) == {
        "duplicates": 3,
        "retouched": 2,
        "groups": 4,
        "broken": 5,
        "missing": 6,
    }
    assert {one.split for one in told} == {"test"}
    for one in told:
        kind, _, partner = one.details["planted"].partition(": ")
        if kind == "duplicates":
            assert one.image.bytes == faulty[partner].image.bytes
        elif kind == "retouched":
            apart = np.asarray(one.image.load(), int) - np.asarray(faulty[partner].image.load(), int)
            assert 0 < np.abs(apart).max() < 20
        elif kind == "groups":
            assert one.group == faulty[partner].group
        else:
            assert one.image.store.has(one.image.key) == (kind == "broken")
            with pytest.raises(ImageRefused):
                one.image.load()
    assert len(list(faulty.images.keys())) == 394


def test_without_faults_nothing_is_told(data: Dataset) -> None:
    assert data.table.column_names[-1] == "year"


# is there anything to learn?


def small(data: Dataset) -> np.ndarray:
    side = 16
    return np.stack(
        [
            np.asarray(data.image(place).load().convert("L").resize((side, side)), np.float32).ravel() / 255
            for place in range(len(data))
        ]
    )


@pytest.fixture(scope="module")
def learnt(data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    pixels = small(data[:1200])
    return pixels[:900], pixels[900:]


def test_modality_can_be_learnt_by_the_nearest_mean(
    data: Dataset, learnt: tuple[np.ndarray, np.ndarray]
) -> None:
    train, test = learnt
    labels = np.array(data.column("modality").to_pylist()[:1200])
    names = np.unique(labels)
    means = np.stack([train[labels[:900] == name].mean(axis=0) for name in names])
    guessed = names[((test[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)]
    recall = [(guessed == name)[labels[900:] == name].mean() for name in np.unique(labels[900:])]
    assert np.mean(recall) > 0.6  # guessing gives 1 / 7
    assert (guessed == labels[900:]).mean() > 0.6


def test_a_finding_can_be_learnt_by_a_linear_model(
    data: Dataset, learnt: tuple[np.ndarray, np.ndarray]
) -> None:
    train, test = learnt
    shown = np.array([finding_cui(0) in one for one in data.column("cui").to_pylist()[:1200]], float)
    ones = np.ones((len(train), 1))
    x = np.hstack([train, ones])
    weights = np.linalg.solve(x.T @ x + 3 * np.eye(x.shape[1]), x.T @ (shown[:900] - shown[:900].mean()))
    scores = np.hstack([test, np.ones((len(test), 1))]) @ weights
    there = shown[900:].astype(bool)
    area = (scores[there][:, None] > scores[~there]).mean()
    assert area > 0.75  # chance is 0.5


# size


def test_a_hundred_thousand_records_open_in_seconds() -> None:
    start = time.perf_counter()
    large = synthetic(100_000)
    assert time.perf_counter() - start < 60
    assert len(large) == 100_000
    assert large.table.nbytes < 60_000_000
    assert large[99_999].image.load().size == (256, 256)


def test_facts_are_the_same_whatever_is_asked_of_them() -> None:
    assert draw_facts(50, 0, 10).of(3) == draw_facts(50, 0, 10).of(3)


def test_the_card_says_what_it_is_not(data: Dataset) -> None:
    assert "No patient is shown" in data.card.description
    assert json.dumps(data.card.to_json())
