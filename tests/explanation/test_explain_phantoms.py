"""Phantoms: exact masks, labels that say the shapes, no leak between splits, the same bytes for a seed."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from radcap.core import UsageError
from radcap.datasets import Dataset, load_dataset
from radcap.datasets.columns import make_table
from radcap.explanation.phantoms import SHAPES, Phantoms, phantom_caption, phantom_dataset, shuffled
from radcap.explanation.phantoms.hosts import hosts_of
from radcap.explanation.phantoms.planting import ROOM, plant
from radcap.explanation.phantoms.shapes import CLUTTER, NAMES, Shape, coverage

_EVERY = [*SHAPES.values(), *CLUTTER]


@cache
def _bundled() -> Dataset:
    return load_dataset("radiology-open")


@cache
def _phantoms(clutter: int = 1) -> Phantoms:
    return phantom_dataset(_bundled(), 60, 3, clutter=clutter)


def _host(phantoms: Phantoms, image: str) -> np.ndarray:
    """The host of a phantom, found by its id and not by the draw."""
    record = phantoms.dataset[image]
    rng = np.random.default_rng(0)
    hosts = hosts_of(_bundled(), record.split, "XR", phantoms.truth.side, rng)
    return hosts.grey(hosts.dataset.ids.index(record.details["host"]))


def test_shapes_are_concepts_of_their_own() -> None:
    assert list(SHAPES) == ["disc", "ring", "bar", "cross", "triangle", "grid"]
    assert next(iter(NAMES.values())) == "phantom disc"
    assert len(NAMES) == len(SHAPES)
    assert all(cui.startswith("C9910") for cui in NAMES)
    assert not any(one.cui for one in CLUTTER)


@pytest.mark.parametrize(
    ("phrase", "area"),
    [
        ("disc", math.pi * 0.85**2),
        ("ring", math.pi * (0.96**2 - 0.6**2)),
        ("bar", 1.9 * 0.44),
        ("cross", 2 * 1.9 * 0.44 - 0.44**2),
        ("triangle", 1.44 * (1.44 / 1.732)),
        ("grid", 1.32**2 - 4 * 0.36**2),
    ],
)
def test_coverage_adds_up_to_the_area(phrase: str, area: float) -> None:
    radius = 20.0
    whole = coverage(SHAPES[phrase].form, 48, (23.3, 24.8), radius, 0.4)
    assert whole.min() >= 0
    assert whole.max() == 1
    assert whole.sum() == pytest.approx(area * radius**2, rel=0.02)


def test_coverage_is_that_of_a_finely_drawn_polygon() -> None:
    scale, side, radius, angle, at = 16, 40, 15.0, 0.7, (19.2, 20.9)
    corners = [(0, -0.96), (1.44 / 1.732, 0.48), (-1.44 / 1.732, 0.48)]
    cos, sin = math.cos(angle), math.sin(angle)
    points = [
        ((at[0] + radius * (cos * x - sin * y)) * scale, (at[1] + radius * (sin * x + cos * y)) * scale)
        for x, y in corners
    ]
    fine = Image.new("L", (side * scale, side * scale))
    ImageDraw.Draw(fine).polygon(points, 1)
    wanted = np.asarray(fine, float).reshape(side, scale, side, scale).mean(axis=(1, 3))
    found = coverage(SHAPES["triangle"].form, side, at, radius, angle)
    assert np.abs(found - wanted).max() < 0.2  # the drawn one has its outline half a fine pixel off
    assert np.abs(found - wanted).mean() < 0.005


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32),
    shapes=st.lists(st.sampled_from(_EVERY), max_size=9),
    noise=st.floats(0, 90),
)
def test_masks_are_the_pixels_that_changed_and_never_meet(
    seed: int, shapes: list[Shape], noise: float
) -> None:
    rng = np.random.default_rng(seed)
    host = np.clip(rng.normal(128, noise, (64, 64)), ROOM, 255 - ROOM).astype(np.uint8)
    planting = plant(host, shapes, rng)
    assert [one.shape for one in planting.shapes] == shapes
    count = sum((one.over(64).astype(int) for one in planting.shapes), np.zeros((64, 64), int))
    assert np.array_equal(count > 0, planting.grey != host)
    assert count.max() <= 1
    difference = planting.grey.astype(int) - host
    assert np.abs(difference).max() <= ROOM
    assert count[1:-1, 1:-1].sum() == count.sum()


def test_shapes_shrink_until_all_of_them_fit() -> None:
    host = np.full((64, 64), 128, np.uint8)
    planting = plant(host, _EVERY * 3, np.random.default_rng(0))
    assert len(planting.shapes) == 27
    assert sum(int(one.mask.sum()) for one in planting.shapes) == (planting.grey != host).sum()


def test_one_phantom_is_a_dataset() -> None:
    assert phantom_dataset(_bundled(), 1, size=64).dataset.splits == ("train",)


def test_shapes_prefer_tissue() -> None:
    host = np.full((128, 128), ROOM, np.uint8)
    host[:, 64:] = 150
    for seed in range(10):
        planting = plant(host, [SHAPES["disc"]], np.random.default_rng(seed))
        assert np.argwhere(planting.grey != host)[:, 1].mean() > 40


@pytest.mark.parametrize("clutter", [0, 1, 3])
def test_truth_is_exact_and_labels_match(clutter: int) -> None:
    phantoms = _phantoms(clutter)
    assert len(phantoms.truth) == len(phantoms.dataset) == 60
    assert list(phantoms.truth) == phantoms.dataset.ids
    for record in list(phantoms.dataset)[::6]:
        masks = phantoms.truth[record.id]
        assert set(masks) == set(record.concepts)
        phrases = [one.phrase for one in SHAPES.values() if one.cui in masks]
        assert record.caption == phantom_caption(phrases)
        other = phantoms.clutter(record.id)
        assert other.any() == bool(clutter)
        changed = np.logical_or.reduce([other, *masks.values()])
        assert np.array_equal(changed, np.asarray(record.image.load()) != _host(phantoms, record.id))


def test_boxes_are_the_smallest() -> None:
    phantoms = _phantoms()
    for image in phantoms.truth:
        masks = phantoms.truth[image]
        boxes = phantoms.boxes(image)
        assert list(boxes) == list(masks)
        for cui, box in boxes.items():
            rows, columns = np.nonzero(masks[cui])
            found = np.array([box.left, box.top, box.width, box.height]) * 128
            wanted = columns.min(), rows.min(), np.ptp(columns) + 1, np.ptp(rows) + 1
            assert np.allclose(found, wanted)
            assert box.share == 1


def test_records_keep_what_their_hosts_say() -> None:
    phantoms = _phantoms()
    assert [len(phantoms.dataset.split(name)) for name in phantoms.dataset.splits] == [48, 6, 6]
    for record in phantoms.dataset:
        host = _bundled()[record.details["host"]]
        assert (record.split, record.licence, record.attribution) == (
            host.split,
            host.licence,
            host.attribution,
        )
        assert (record.group, record.source, record.modality) == (host.group, host.source, "XR")
        assert record.captions[0].source == "composed"


def test_a_seed_gives_the_same_bytes_and_another_does_not() -> None:
    again, other = (phantom_dataset(_bundled(), 10, seed, clutter=1) for seed in (3, 4))
    first = phantom_dataset(_bundled(), 10, 3).dataset
    assert first.table == again.dataset.table
    assert [one.image.bytes for one in first] == [one.image.bytes for one in again.dataset]
    assert [one.image.bytes for one in first] != [one.image.bytes for one in other.dataset]


def test_hosts_are_used_again_when_there_are_too_few() -> None:
    few = _bundled().split("train").take(list(range(600)))
    few = few.filter(np.array([code == "MG" for code in few.column("modality").to_pylist()]))
    made = phantom_dataset(few, 2 * len(few), 0, size=64, modality="MG", splits={"train": 1})
    hosts = [one.details["host"] for one in made.dataset]
    assert sorted(hosts) == sorted(few.ids * 2)


def test_shuffled_deals_labels_within_their_split() -> None:
    plain = _phantoms().dataset
    mixed = shuffled(plain, 1)
    assert mixed.ids == plain.ids
    assert mixed.column("image") == plain.column("image")
    assert mixed.column("host") == plain.column("host")
    assert mixed.split("test").table == plain.split("test").table
    for split in ("train", "valid"):
        before, after = (
            sorted(map(str, one.split(split).column("cui").to_pylist())) for one in (plain, mixed)
        )
        assert before == after
    assert mixed.column("cui") != plain.column("cui")
    for record in mixed:
        phrases = [
            SHAPES[name.removeprefix("phantom ")].phrase for name in map(NAMES.get, record.concepts) if name
        ]
        assert record.caption == phantom_caption(phrases)
    assert shuffled(plain, 1).table == mixed.table


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"count": 0}, "1 phantom or more"),
        ({"count": 1, "size": 32}, "64 to 1,024 pixels"),
        ({"count": 1, "clutter": 4}, "0 to 3 such shapes"),
        ({"count": 10, "modality": "ZZ"}, "no picture of modality 'ZZ'"),
    ],
)
def test_what_cannot_be_made_is_refused(arguments: dict[str, int], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        phantom_dataset(_bundled(), **arguments)  # type: ignore[arg-type]


def test_hosts_that_may_not_be_changed_are_left_out() -> None:
    columns = {
        "image_id": ["a", "b"],
        "split": ["train"] * 2,
        "modality": ["DRXR"] * 2,
        "licence": ["CC BY-NC-ND 4.0", "CC BY 4.0"],
    }
    hosts = hosts_of(Dataset("two", make_table(columns, 2)), "train", "XR", 64, np.random.default_rng(0))
    assert hosts.dataset.ids == ["b"]
    assert len(hosts) == 1
