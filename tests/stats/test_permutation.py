"""The sign-flip test: against full enumeration in exact fractions, SciPy, and a known null."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from itertools import combinations, product
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from radcap.stats import arrays, draws_needed, holm_adjusted, sign_flip_test

QUARTERS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])  # so that ties happen, and fractions are exact


def enumerated_p(first: list[float], second: list[float]) -> Fraction:
    """All sign patterns, one after the other, without rounding."""
    differences = [Fraction(a) - Fraction(b) for a, b in zip(first, second, strict=True) if not isnan(a)]
    observed = abs(sum(differences))
    far = [
        abs(sum(sign * one for sign, one in zip(signs, differences, strict=True))) >= observed
        for signs in product((1, -1), repeat=len(differences))
    ]
    return Fraction(sum(far), len(far))


def assert_enumerated(values: np.ndarray, permutations: int = 4096) -> None:
    test = sign_flip_test(values, permutations=permutations, seed=0)
    assert test.exact
    for metric in range(values.shape[1]):
        for one, other in combinations(range(values.shape[2]), 2):
            expected = float(enumerated_p(values[:, metric, one].tolist(), values[:, metric, other].tolist()))
            assert test.p[metric, one, other] == test.p[metric, other, one] == expected


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.tuples(*[QUARTERS] * 6), min_size=n, max_size=n)))
def test_small_cases_equal_full_enumeration(rows: list[tuple[float, ...]]) -> None:
    assert_enumerated(np.array(rows).reshape(len(rows), 2, 3))


@pytest.mark.parametrize("step", [4, 3, 7, 1_000_003])
def test_twelve_images_equal_full_enumeration(step: int) -> None:
    """Thirds and sevenths do not add up exactly in binary; the ties must be seen all the same."""
    counts = np.random.default_rng(step).integers(0, step + 1, size=(12, 1, 2))
    test = sign_flip_test(counts / step, permutations=4096, seed=0)
    expected = enumerated_p(*counts[:, 0].T.astype(float).tolist())
    assert (test.exact, test.draws, float(test.p[0, 0, 1])) == (True, 4096, float(expected))


def test_an_image_that_a_metric_leaves_out_takes_no_part_in_it() -> None:
    values = np.random.default_rng(2).integers(0, 5, size=(8, 2, 3)) / 4
    values[[1, 4], 1] = np.nan
    assert_enumerated(values)
    alone = sign_flip_test(np.delete(values[:, 1:], [1, 4], axis=0), permutations=4096, seed=0)
    both = sign_flip_test(values, permutations=4096, seed=0)
    assert (alone.draws, both.draws) == (64, 256)
    assert np.array_equal(alone.p[0], both.p[1])


def test_an_image_that_counts_nowhere_adds_no_pattern() -> None:
    values = np.random.default_rng(2).random((5, 1, 2))
    values[3] = np.nan
    assert sign_flip_test(values, permutations=100, seed=0).draws == 16


def test_without_any_image_nothing_differs() -> None:
    test = sign_flip_test(np.full((3, 1, 2), np.nan), permutations=10, seed=0)
    assert (test.draws, test.p.tolist()) == (1, [[[1.0, 1.0], [1.0, 1.0]]])


def test_runs_that_leave_out_different_images_are_refused() -> None:
    values = np.zeros((4, 1, 2))
    values[2, 0, 1] = np.nan
    with pytest.raises(ValueError, match="the same images"):
        sign_flip_test(values, permutations=10, seed=0)


@pytest.mark.parametrize(("images", "exact", "draws"), [(10, True, 1024), (11, False, 1024)])
def test_the_result_says_whether_all_patterns_were_taken(images: int, exact: bool, draws: int) -> None:
    values = np.random.default_rng(1).random((images, 1, 2))
    test = sign_flip_test(values, permutations=1024, seed=0)
    assert (test.exact, test.draws) == (exact, draws)


def test_random_draws_come_near_the_enumeration() -> None:
    values = np.random.default_rng(3).random((14, 1, 2))
    exact = sign_flip_test(values, permutations=2**14, seed=0).p[0, 0, 1]
    drawn = sign_flip_test(values, permutations=2**14 - 1, seed=0).p[0, 0, 1]
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 2**14))


def mean_difference(first: np.ndarray, second: np.ndarray, axis: int = -1) -> np.ndarray:
    return (first - second).mean(axis=axis)


@pytest.mark.parametrize(("images", "resamples", "error"), [(9, 1_000, 0.0), (60, 9_999, 4.0)])
def test_p_equals_that_of_scipy(images: int, resamples: int, error: float) -> None:
    generator = np.random.default_rng(6)
    first, second = generator.random(images), generator.random(images) * 1.1
    theirs = scipy_stats.permutation_test(
        (first, second),
        mean_difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        rng=1,
    ).pvalue
    ours = sign_flip_test(np.stack([first, second], axis=1)[:, None], permutations=resamples, seed=1)
    assert 0.01 < theirs < 0.99
    spread = sqrt(2 * theirs * (1 - theirs) / resamples)  # of the difference of two such estimates
    assert ours.p[0, 0, 1] == pytest.approx(theirs, abs=error * spread + 1e-12)


def test_a_true_null_gives_every_p_equally_often() -> None:
    values = np.random.default_rng(10).beta(0.5, 0.5, size=(60, 400, 2))
    p = sign_flip_test(values, permutations=1_999, seed=4).p[:, 0, 1]
    assert scipy_stats.kstest(p, "uniform").pvalue > 0.05
    assert np.histogram(p, bins=10, range=(0, 1))[0] == pytest.approx(40, abs=20)


def test_p_is_never_0_and_runs_with_equal_values_have_p_1() -> None:
    generator = np.random.default_rng(1)
    values = generator.random((300, 1, 3)) * 0.1
    values[:, 0, 1] += 0.9
    values[:, 0, 2] = values[:, 0, 0]
    p = sign_flip_test(values, permutations=500, seed=0).p[0]
    assert p[0, 1] == p[1, 2] == 1 / 501
    assert p[0, 2] == 1.0
    assert np.diag(p).tolist() == [1.0, 1.0, 1.0]


def test_runs_with_equal_means_have_p_1_though_their_sums_are_rounded() -> None:
    values = np.zeros((40, 1, 2))
    values[:20, 0, 0] = 0.1
    values[20:, 0, 1] = 0.1
    assert sign_flip_test(values, permutations=500, seed=0).p[0, 0, 1] == 1.0


def test_a_large_level_that_all_runs_share_costs_no_precision() -> None:
    small = np.random.default_rng(1).integers(0, 4, size=(12, 1, 3)) / 4
    near = sign_flip_test(small, permutations=4096, seed=0).p
    far = sign_flip_test(small + 2.0**50, permutations=4096, seed=0).p
    assert np.array_equal(near, far)


def test_the_order_of_runs_and_metrics_is_of_no_influence() -> None:
    values = np.random.default_rng(9).integers(0, 3, size=(200, 2, 5)) / 3
    straight = sign_flip_test(values, permutations=400, seed=3).p
    turned = sign_flip_test(values[:, ::-1, ::-1], permutations=400, seed=3).p
    assert np.array_equal(straight, turned[::-1, ::-1, ::-1])


def test_a_seed_means_the_same_draws_whatever_the_size_of_the_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.random.default_rng(9).random((75, 1, 6))
    whole = sign_flip_test(values, permutations=300, seed=3).p
    assert not np.array_equal(whole, sign_flip_test(values, permutations=300, seed=4).p)
    monkeypatch.setattr(arrays, "CELLS_AT_ONCE", 75 * 7)
    assert np.array_equal(whole, sign_flip_test(values, permutations=300, seed=3).p)


def test_all_patterns_are_taken_once_whatever_the_size_of_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "CELLS_AT_ONCE", 50)
    assert_enumerated(np.random.default_rng(2).integers(0, 5, size=(6, 1, 3)) / 4)


def test_memory_is_bounded_by_the_pieces_not_by_the_permutations() -> None:
    values = np.random.default_rng(0).random((19_267, 1, 2))
    tracemalloc.start()
    sign_flip_test(values, permutations=600, seed=0)  # 600 rows of float64 are 88 MiB
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * 2**20


@pytest.mark.parametrize("pairs", [1, 55, 496, 500, 4_753])
def test_the_draws_needed_are_the_fewest_that_can_separate_a_pair(pairs: int) -> None:
    enough = draws_needed(pairs, 0.05)
    lowest = [holm_adjusted([1 / (draws + 1)] + [1.0] * (pairs - 1))[0] for draws in (enough, enough - 1)]
    assert lowest[0] < 0.05 <= lowest[1] + 1e-15


# --- groups of images ---


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(QUARTERS, QUARTERS, st.sampled_from("abcd")), min_size=1, max_size=12))
def test_groups_are_flipped_as_wholes(rows: list[tuple[float, float, str]]) -> None:
    """Against the enumeration over the sums of the groups."""
    groups = [group for *_, group in rows]
    names = sorted(set(groups))
    values = np.array([row[:2] for row in rows], dtype=float)[:, None]
    sums = [
        [float(values[[one == name for one in groups], 0, run].sum()) for name in names] for run in (0, 1)
    ]
    test = sign_flip_test(values, permutations=4096, seed=0, groups=groups)
    assert (test.exact, test.draws) == (True, 2 ** len(names))
    assert test.p[0, 0, 1] == float(enumerated_p(*sums))


def test_copies_of_images_separate_no_more_than_the_images_do() -> None:
    values = np.random.default_rng(5).normal([0.3, 0.1, 0.0], size=(40, 2, 3))
    groups = [f"{place:02d}" for place in range(40)]
    once = sign_flip_test(values, permutations=500, seed=1)
    copied = sign_flip_test(
        np.repeat(values, 9, axis=0), permutations=500, seed=1, groups=np.repeat(groups, 9).tolist()
    )
    alone = sign_flip_test(np.repeat(values, 9, axis=0), permutations=500, seed=1)
    assert np.array_equal(copied.p, once.p)
    assert alone.p[0, 0, 1] < once.p[0, 0, 1]  # what the groups are there to prevent


def test_a_group_whose_images_a_metric_leaves_out_takes_no_part_in_it() -> None:
    values = np.random.default_rng(2).integers(0, 5, size=(6, 2, 2)) / 4
    values[:3, 1] = np.nan
    groups = ["a", "b", "b", "b", "c", "c"]
    test = sign_flip_test(values, permutations=4096, seed=0, groups=groups)
    alone = sign_flip_test(values[3:, 1:], permutations=4096, seed=0, groups=groups[3:])
    assert test.p[1, 0, 1] == alone.p[0, 0, 1]
