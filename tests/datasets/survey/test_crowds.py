"""Crowds of alike pictures: one cluster, few pairs, and nothing lost of who is like whom."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from dataset_samples import dataset_of, png, row
from phantoms import phantom

from radcap.datasets.checks import check_dataset
from radcap.datasets.leaks.images import compare_pictures, survey_of
from radcap.datasets.survey import crowds, find_duplicates, survey_images
from radcap.datasets.survey.crowds import LISTED, find_crowds
from radcap.datasets.survey.differences import differences
from radcap.datasets.survey.duplicates import Duplicates
from radcap.datasets.survey.survey import SMALL, Survey

HASH = np.uint64(7)


def copies(n: int, seed: int = 1, spread: int = 8) -> np.ndarray:
    """A little picture again and again, each time with some other noise."""
    noise = np.random.default_rng(seed).integers(0, spread, (n, SMALL, SMALL))
    return np.clip(phantom(seed, SMALL, SMALL).astype(int) + noise, 0, 255).astype(np.uint8)


def crowded(n: int, others: int) -> Survey:
    """A survey with a crowd of n and as many phantoms of other kinds as are wanted, in a mixed order."""
    files = [png(one) for one in copies(n)] + [
        png(phantom(seed, SMALL, SMALL)) for seed in range(2, 2 + others)
    ]
    order = np.random.default_rng(0).permutation(len(files)).tolist()
    rows = [row(f"i{place:03d}") for place in range(len(files))]
    data = dataset_of(rows, {f"i{place:03d}.png": files[at] for place, at in enumerate(order)})
    return survey_images(data, workers=1, keep=False)


def listed(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> Duplicates:
    """What is found where every pair is looked at."""
    with monkeypatch.context() as patch:
        patch.setattr(crowds, "LISTED", len(survey.ids))
        return find_duplicates(survey)


def test_every_two_of_a_crowd_are_nearly_the_same() -> None:
    small = copies(60)
    (crowd,) = find_crowds(small, np.full(60, HASH), 0.05)
    assert crowd == tuple(range(60))
    assert differences(small, np.array(list(combinations(crowd, 2)))).max() < 0.05


def test_few_pictures_are_no_crowd_and_other_hashes_none_either() -> None:
    assert find_crowds(copies(LISTED), np.full(LISTED, HASH), 0.05) == ()
    assert find_crowds(copies(99), np.arange(99, dtype=np.uint64), 0.05) == ()
    assert find_crowds(copies(0), np.zeros(0, np.uint64), 0.05) == ()


def test_pictures_of_one_hash_that_differ_are_crowds_apart() -> None:
    small = np.concatenate([copies(40), copies(40, seed=2), copies(5, seed=3)])
    found = find_crowds(small, np.full(85, HASH), 0.05)
    assert found == (tuple(range(40)), tuple(range(40, 80)))


def test_pictures_that_share_only_their_hash_are_no_crowd() -> None:
    small = np.stack([phantom(seed, SMALL, SMALL) for seed in range(40)])
    assert find_crowds(small, np.full(40, HASH), 0.05) == ()


def test_a_crowd_is_one_cluster_with_a_pair_for_each_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = crowded(120, others=20)
    found, whole = find_duplicates(survey), listed(survey, monkeypatch)
    assert found.clusters == whole.clusters
    assert len(found.clusters) == 1
    assert len(found.clusters[0]) == 120
    assert len(found.near) < len(whole.near) / 10
    pairs, all_pairs = ({tuple(pair) for pair in one.near.tolist()} for one in (found, whole))
    implied = {pair for crowd in found.crowds for pair in combinations(crowd, 2)}
    assert pairs | implied <= all_pairs
    assert (found.differences < 0.05).all()
    assert len(found.ways) == len(found.near)


def test_a_leak_of_a_crowd_is_counted_for_every_image(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = crowded(120, others=20)
    sides = survey_of(survey, np.arange(0, 50)), survey_of(survey, np.arange(50, 140))
    found = compare_pictures(*sides).near
    with monkeypatch.context() as patch:
        patch.setattr(crowds, "LISTED", 1000)
        wanted = compare_pictures(*sides).near
    assert found.seconds.tolist() == wanted.seconds.tolist()
    assert (found.images_first, found.asked, found.asked_first) == (wanted.images_first, 90, 50)


def test_a_near_picture_is_found_by_a_copy_of_its_partner_in_another_split() -> None:
    """`a1` and `b1` are in valid; that train has the very pixels of `a1` makes `b1` a leak as well."""
    near = phantom(0).copy()
    near[40:44, 40:44] = 255
    rows = [row("a1", "valid"), row("b1", "valid"), row("c1", "train")]
    files = {"a1.png": png(phantom(0)), "b1.png": png(near), "c1.png": png(phantom(0), compress_level=1)}
    data = dataset_of(rows, files)
    survey = survey_images(data, workers=1, keep=False)
    messages = [
        one.issue.message for one in check_dataset(data, survey=survey).findings if one.issue.code == "DAT404"
    ]
    assert len(messages) == 1
    assert "c1 (train)" in messages[0]
    assert "b1 (valid)" in messages[0]
