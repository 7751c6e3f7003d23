"""Resampled means, percentile intervals, the paired bootstrap: against plain loops and SciPy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats as scipy_stats

from radcap.stats import Interval, arrays, paired_bootstrap_p, percentile_interval, resampled_means
from radcap.stats.arrays import distinct_columns

if TYPE_CHECKING:
    from radcap.stats.arrays import Floats


def with_gaps(images: int, columns: int) -> Floats:
    generator = np.random.default_rng(7)
    values = generator.random((images, columns))
    values[generator.random((images, columns)) < 0.3] = np.nan
    return values


def plain_means(values: Floats, drawn: list[int]) -> list[float]:
    """The mean of each column over the drawn images, one value after the other."""
    means: list[float] = []
    for column in values.T.tolist():
        known = [column[image] for image in drawn if not math.isnan(column[image])]
        means.append(sum(known) / len(known) if known else math.nan)
    return means


@pytest.mark.parametrize("images", [1, 3, 40])
def test_means_equal_a_plain_loop_over_the_same_draws(images: int) -> None:
    values = with_gaps(images, 4)
    drawn = np.random.default_rng(11).integers(0, images, size=(50, images)).tolist()
    expected = [plain_means(values, one) for one in drawn]
    found = resampled_means(values, resamples=50, seed=11)
    assert found == pytest.approx(np.array(expected), abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("images", [1, 7, 40])
def test_groups_are_drawn_whole(images: int) -> None:
    values = with_gaps(images, 3)
    groups = np.random.default_rng(9).choice(list("abcdefg"), images).tolist()
    names = sorted(set(groups))
    members = {name: [place for place, one in enumerate(groups) if one == name] for name in names}
    drawn = np.random.default_rng(11).integers(0, len(names), size=(50, len(names))).tolist()
    expected = [plain_means(values, [image for g in one for image in members[names[g]]]) for one in drawn]
    found = resampled_means(values, resamples=50, seed=11, groups=groups)
    assert found == pytest.approx(np.array(expected), abs=1e-14, nan_ok=True)


def test_groups_of_one_image_are_images() -> None:
    values = with_gaps(40, 2)
    groups = [f"{place:02}" for place in range(40)]
    alone = resampled_means(values, resamples=30, seed=3, groups=groups)
    assert np.array_equal(alone, resampled_means(values, resamples=30, seed=3), equal_nan=True)


def test_each_image_has_a_group() -> None:
    with pytest.raises(ValueError, match="2 groups came for 3 images"):
        resampled_means(np.ones((3, 1)), resamples=1, seed=0, groups=["a", "b"])


def test_a_resample_without_an_image_of_a_column_has_no_mean_there() -> None:
    values = np.array([[1.0, 0.25], [1.0, np.nan], [1.0, np.nan], [1.0, np.nan]])
    means = resampled_means(values, resamples=300, seed=2)
    assert (means[:, 0] == 1.0).all()
    absent = np.isnan(means[:, 1])
    assert absent.mean() == pytest.approx(0.75**4, abs=0.1)
    assert (means[~absent, 1] == 0.25).all()


def test_a_column_that_skips_images_has_its_own_n() -> None:
    generator = np.random.default_rng(3)
    few = generator.random(50)
    values = np.full((1_000, 2), np.nan)
    values[:, 0] = generator.random(1_000)
    values[:50, 1] = few
    spread = np.nanstd(resampled_means(values, resamples=2_000, seed=5)[:, 1])
    assert spread == pytest.approx(few.std() / math.sqrt(50), rel=0.1)


def test_a_seed_means_the_same_draws_and_another_seed_others() -> None:
    values = with_gaps(30, 2)
    first = resampled_means(values, resamples=20, seed=1)
    assert np.array_equal(first, resampled_means(values, resamples=20, seed=1), equal_nan=True)
    assert not np.array_equal(first, resampled_means(values, resamples=20, seed=2), equal_nan=True)


def test_the_size_of_the_pieces_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.round(with_gaps(31, 3) * 64) / 64  # sums of these are exact
    whole = resampled_means(values, resamples=23, seed=1)
    monkeypatch.setattr(arrays, "CELLS_AT_ONCE", 70)
    assert np.array_equal(whole, resampled_means(values, resamples=23, seed=1), equal_nan=True)


def test_equal_columns_have_equal_means_and_the_order_of_columns_is_of_no_influence() -> None:
    values = np.random.default_rng(4).random((999, 7))
    values[:, 5] = values[:, 2]
    means = resampled_means(values, resamples=50, seed=1)
    assert np.array_equal(means[:, 5], means[:, 2])
    assert np.array_equal(means[:, ::-1], resampled_means(values[:, ::-1], resamples=50, seed=1))


def test_distinct_columns_give_back_every_column() -> None:
    values = np.array([[0.0, 1.0, -0.0, np.nan], [0.5, 0.5, 0.5, 0.5]])
    columns, place = distinct_columns(values)
    assert columns.shape == (2, 3)
    assert np.array_equal(columns[:, place], values, equal_nan=True)


def test_the_interval_of_given_resamples_is_that_of_scipy() -> None:
    values = np.random.default_rng(8).random(60)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=999, method="percentile", confidence_level=0.9, rng=1
    )
    ours = percentile_interval(theirs.bootstrap_distribution, 0.9)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-15)


def test_the_interval_from_our_own_resamples_is_near_that_of_scipy() -> None:
    values = np.random.default_rng(8).beta(0.6, 0.5, size=150)
    theirs = scipy_stats.bootstrap((values,), np.mean, n_resamples=6_000, method="percentile", rng=1)
    means = resampled_means(values[:, None], resamples=6_000, seed=2)
    ours = percentile_interval(means[:, 0], 0.95)
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.04 * width)


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ([0.0, 1.0, 2.0, 3.0, 4.0], Interval(1.0, 3.0)),
        ([math.nan, 4.0, 3.0, math.nan, 2.0, 1.0, 0.0], Interval(1.0, 3.0)),
        ([0.5], Interval(0.5, 0.5)),
    ],
    ids=["the middle half", "NaN is left out", "one value"],
)
def test_intervals(means: list[float], expected: Interval) -> None:
    assert percentile_interval(np.array(means), 0.5) == expected


def test_without_any_value_there_is_no_interval() -> None:
    found = percentile_interval(np.array([math.nan, math.nan]), 0.95)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@pytest.mark.parametrize(
    ("differences", "observed", "expected"),
    [
        ([0.1, 0.2, 0.3, 0.2], 0.05, 3 / 5),
        ([0.1, 0.2, 0.3, 0.2], -0.05, 3 / 5),
        ([0.1, math.nan, 0.2, 0.3, 0.2], 0.05, 3 / 5),
        ([0.25, 0.5, 0.75], 0.25, 3 / 4),
        ([0.25, 0.5, 0.75], 0.26, 1 / 4),
        ([0.0, 0.0, 0.0], 0.0, 1.0),
        ([math.nan], 0.3, 1.0),
    ],
    ids=[
        "one of four lies further out on each side",
        "the sign of the observed difference is of no account",
        "a resample without a value does not count",
        "a distance that equals the difference counts",
        "none lies so far out",
        "no difference at all",
        "no resample at all",
    ],
)
def test_the_paired_bootstrap(differences: list[float], observed: float, expected: float) -> None:
    assert paired_bootstrap_p(np.array(differences), observed) == pytest.approx(expected, abs=1e-15)


def test_the_paired_bootstrap_rejects_a_true_null_about_as_often_as_its_level() -> None:
    generator = np.random.default_rng(5)
    rejected = 0
    for seed in range(300):
        pair = generator.normal(size=(80, 2))
        means = resampled_means(pair, resamples=400, seed=seed)
        observed = float(pair[:, 0].mean() - pair[:, 1].mean())
        rejected += paired_bootstrap_p(means[:, 0] - means[:, 1], observed) < 0.05
    assert 0.02 < rejected / 300 < 0.09
