"""The comparison benchmark runs at a tiny size, and every p equals SciPy's there."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bench_files import run_script
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.slow
def test_bench_compare_agrees_with_scipy() -> None:
    done = run_script("bench_compare.py", "--quick", "--images", "200")
    assert done.returncode == 0, done.stderr
    assert "every p and SciPy's are equal to" in done.stdout
    assert "extrapolated" in done.stdout
    assert "| `radcap compare` |" in done.stdout


def test_what_chance_does_not_explain_fails_loudly(script: Callable[[str], Any]) -> None:
    bench, failed = script("bench_compare"), script("stopwatch").Failed
    bench._agree("p", 0.5, 0.54, error=0.01)
    for theirs in (0.56, float("nan")):
        with pytest.raises(failed, match=r"p: radcap says 0\.5, the other way"):
            bench._agree("p", 0.5, theirs, error=0.01)


def test_other_ways_are_extrapolated_to_all_pairs(script: Callable[[str], Any]) -> None:
    bench, work = script("bench_compare"), script("work")
    one, ours = work.Work(2.0, 1.0, [0.5]), work.Work(3.0, 5.0, [0.5])
    assert bench._other("tests", one, ours, 165) == ("tests", "*330*", "*165*", "*33x*")


def test_scores_come_from_the_seed_and_some_pairs_can_be_told_apart(script: Callable[[str], Any]) -> None:
    synthetic = script("synthetic_scores")
    values = synthetic.synthetic_scores(19_267, 11)
    assert values.shape == (19_267, synthetic.METRICS, 11)
    assert np.array_equal(values, synthetic.synthetic_scores(19_267, 11))
    assert values.min() >= 0
    assert values.max() <= 1
    runs = values[:, 0]
    p = [stats.ttest_rel(runs[:, a], runs[:, b]).pvalue for a, b in combinations(range(11), 2)]
    assert min(p) < 0.001
    assert max(p) > 0.2


def test_the_pair_tested_alone_is_found_among_all(script: Callable[[str], Any]) -> None:
    """`bench_compare` looks a pair and a mean up by place in what radcap gives for all."""
    ours, official = script("radcap_compare"), script("official_compare")
    synthetic = script("synthetic_scores")
    metric, (one, other), runs = synthetic.ONE_METRIC, synthetic.ONE_PAIR, 4
    values = synthetic.synthetic_scores(9, runs)
    [alone] = official.permutation(values, 10_000)
    place = (other - 1) * synthetic.METRICS + metric
    assert one == 0
    assert ours.permutation(values, 10_000)[place] == pytest.approx(alone, abs=1e-12)
    ends = ours.bootstrap(values, 50)
    low, high = ends[2 * (metric * runs + one) :][:2]
    assert low < values[:, metric, one].mean() < high


def test_the_test_by_hand_agrees_with_scipy(script: Callable[[str], Any]) -> None:
    official = script("official_compare")
    values = script("synthetic_scores").synthetic_scores(300, 3)
    [by_hand], [by_scipy] = official.by_numpy(values, 4_000), official.permutation(values, 4_000)
    assert by_hand == pytest.approx(by_scipy, abs=0.06)
