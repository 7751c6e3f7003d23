"""The whole comparison: its parts fit together, and what must not matter does not."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scored import score

from radcap.core import UsageError
from radcap.stats import (
    Comparison,
    Interval,
    PairTest,
    Procedure,
    RankRange,
    compare_scores,
    holm_adjusted,
    percentile_interval,
    resampled_means,
    sign_flip_test,
)

if TYPE_CHECKING:
    from radcap.core import Score

QUICK = Procedure(resamples=300, permutations=600, seed=3)
NAMES = ("ash", "birch", "cedar", "date", "elm")
IMAGES = 120
SECOND = 45  # images that the second metric counts


def board() -> dict[str, dict[str, Score]]:
    """Five runs: ash and elm are equal, cedar is clearly last; the second metric skips images."""
    generator = np.random.default_rng(12)
    base = generator.random((IMAGES, 1))
    level = np.array([0.12, 0.1, -0.3, 0.02, 0.12])
    values = np.clip(base + generator.normal(0, 0.15, (IMAGES, 5)) + level, 0, 1)
    values = np.round(values * 12) / 12
    values[:, 4] = values[:, 0]
    ids = [f"image{place:03d}" for place in range(IMAGES)]
    return {
        name: {
            "f1": score(dict(zip(ids, values[:, run].tolist(), strict=True))),
            "f1_manual": score(
                dict(zip(ids[:SECOND], (1 - values[:SECOND, run]).tolist(), strict=True)), "f1_manual"
            ),
        }
        for run, name in enumerate(NAMES)
    }


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return compare_scores(board(), procedure=QUICK)


def matrix(metric: str) -> np.ndarray:
    return np.array([scores[metric].values for scores in board().values()]).T


def pair_of(comparison: Comparison, metric: int, *names: str) -> PairTest:
    return next(one for one in comparison.metrics[metric].pairs if {one.first, one.second} == set(names))


def test_metrics_come_in_the_order_of_the_first_run(compared: Comparison) -> None:
    assert [one.metric for one in compared.metrics] == ["f1", "f1_manual"]
    assert compared.primary.metric == "f1"
    assert compared.primary.signature == board()["ash"]["f1"].signature


def test_standings_are_best_first_and_equal_values_by_name(compared: Comparison) -> None:
    assert [one.run for one in compared.primary.standings] == ["ash", "elm", "birch", "date", "cedar"]
    assert [one.rank for one in compared.primary.standings] == [1, 1, 3, 4, 5]
    assert compared.metrics[1].standings[0].run == "cedar"


def test_values_are_those_of_the_scores_and_each_metric_has_its_own_n(compared: Comparison) -> None:
    given = board()
    for metric, n in zip(compared.metrics, (IMAGES, SECOND), strict=True):
        for one in metric.standings:
            assert one.value == given[one.run][metric.metric].value
            assert one.n == n


def test_every_pair_is_there_once_in_the_order_of_the_standings(compared: Comparison) -> None:
    for metric in compared.metrics:
        order = [one.run for one in metric.standings]
        assert [(one.first, one.second) for one in metric.pairs] == list(combinations(order, 2))
        for one in metric.pairs:
            expected = metric.standing(one.first).value - metric.standing(one.second).value
            assert one.difference == expected >= 0


def test_intervals_are_those_of_resamples_shared_by_all(compared: Comparison) -> None:
    values = np.full((IMAGES, 2), np.nan)
    values[:, 0] = matrix("f1")[:, 1]
    values[:SECOND, 1] = matrix("f1_manual")[:, 2]
    means = resampled_means(values, resamples=300, seed=3)
    found = (compared.metrics[0].standing("birch").interval, compared.metrics[1].standing("cedar").interval)
    for ours, column in zip(found, means.T, strict=True):
        expected = percentile_interval(column, 0.95)
        assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_interval_of_a_difference_is_paired(compared: Comparison) -> None:
    pair = pair_of(compared, 0, "birch", "cedar")
    difference = matrix("f1")[:, 1] - matrix("f1")[:, 2]
    expected = percentile_interval(resampled_means(difference[:, None], resamples=300, seed=3)[:, 0], 0.95)
    assert (pair.interval.low, pair.interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_p_values_are_those_of_the_sign_flip_test_with_holm_within_a_metric(compared: Comparison) -> None:
    p = sign_flip_test(matrix("f1")[:, None], permutations=600, seed=3).p[0]
    place = {name: run for run, name in enumerate(NAMES)}
    found = [one.p for one in compared.primary.pairs]
    assert found == [p[place[one.first], place[one.second]] for one in compared.primary.pairs]
    for metric in compared.metrics:
        adjusted = holm_adjusted([one.p for one in metric.pairs])
        assert [one.p_holm for one in metric.pairs] == adjusted


def test_letters_say_who_differs(compared: Comparison) -> None:
    for metric in compared.metrics:
        for one in metric.pairs:
            shared = set(metric.standing(one.first).letters) & set(metric.standing(one.second).letters)
            assert bool(shared) is (one.p_holm >= QUICK.alpha)
    letters = {one.run: one.letters for one in compared.primary.standings}
    assert letters["ash"] == letters["elm"] == "a"
    assert not set(letters["cedar"]) & set(letters["ash"])


def test_a_corrected_p_that_equals_alpha_does_not_separate(compared: Comparison) -> None:
    smallest = min(one.p_holm for one in compared.primary.pairs)
    at = compare_scores(board(), procedure=replace(QUICK, alpha=smallest))
    assert {one.letters for one in at.primary.standings} == {"a"}


def test_equal_runs_are_not_separable_by_any_measure(compared: Comparison) -> None:
    for metric in (0, 1):
        pair = pair_of(compared, metric, "ash", "elm")
        assert (pair.difference, pair.interval) == (0.0, Interval(0.0, 0.0))
        assert (pair.p, pair.p_holm, pair.p_bootstrap) == (1.0, 1.0, 1.0)
        assert (pair.wins, pair.ties, pair.losses) == (0, (IMAGES, SECOND)[metric], 0)


def test_wins_ties_and_losses_are_of_the_images_that_count(compared: Comparison) -> None:
    for metric, n in zip(compared.metrics, (IMAGES, SECOND), strict=True):
        assert {one.wins + one.ties + one.losses for one in metric.pairs} == {n}
    first, second = matrix("f1")[:, 0], matrix("f1")[:, 2]
    pair = pair_of(compared, 0, "ash", "cedar")
    assert (pair.wins, pair.losses) == (int((first > second).sum()), int((first < second).sum()))


def test_ranges_hold_the_ranks_and_a_clear_last_is_always_last(compared: Comparison) -> None:
    assert compared.primary.standing("cedar").ranks == RankRange(5, 5)
    for one in compared.primary.standings:
        assert one.ranks.best <= one.rank <= one.ranks.worst


def test_the_order_of_runs_and_images_changes_nothing(compared: Comparison) -> None:
    given = board()
    turned = {
        name: {
            metric: replace(one, ids=one.ids[::-1], values=one.values[::-1]) if name != "elm" else one
            for metric, one in given[name].items()
        }
        for name in ("elm", "cedar", "ash", "date", "birch")
    }
    assert compare_scores(turned, procedure=QUICK) == compared


def test_a_seed_reproduces_and_another_one_draws_anew(compared: Comparison) -> None:
    assert compare_scores(board(), procedure=QUICK) == compared
    other = compare_scores(board(), procedure=replace(QUICK, seed=4))
    assert other.primary.standings[0].interval != compared.primary.standings[0].interval


def test_the_other_runs_leave_the_p_of_a_pair_alone(compared: Comparison) -> None:
    given = board()
    alone = compare_scores({name: given[name] for name in ("birch", "date")}, procedure=QUICK)
    assert alone.primary.pairs[0].p == pair_of(compared, 0, "birch", "date").p
    assert alone.primary.pairs[0].p_holm == alone.primary.pairs[0].p


def test_one_run_has_an_interval_and_no_pairs() -> None:
    found = compare_scores({"ash": board()["ash"]}, procedure=QUICK).primary
    assert found.pairs == ()
    (standing,) = found.standings
    assert (standing.rank, standing.ranks, standing.letters) == (1, RankRange(1, 1), "a")
    assert standing.interval.low < standing.value < standing.interval.high


def test_one_image_is_enough_and_separates_nothing() -> None:
    runs = {"a": {"f1": score({"x": 1.0})}, "b": {"f1": score({"x": 0.0})}}
    found = compare_scores(runs).primary
    assert (found.pairs[0].p, found.pairs[0].interval) == (1.0, Interval(1.0, 1.0))
    assert [one.letters for one in found.standings] == ["a", "a"]


def test_the_published_procedure_is_the_default() -> None:
    runs = {"a": {"f1": score({"x": 1.0, "y": 0.5})}}
    procedure = compare_scores(runs).procedure
    assert procedure == Procedure()
    assert (procedure.resamples, procedure.permutations, procedure.level) == (1_000, 10_000, 0.95)


def test_json_and_text_name_the_procedure(compared: Comparison) -> None:
    found = json.loads(json.dumps(compared.to_json(), allow_nan=False))
    assert found["procedure"] == QUICK.to_json()
    assert found["metrics"][0]["standings"][0]["run"] == "ash"
    assert str(QUICK) == "bootstrap:300|permutations:600|level:0.95|alpha:0.05|holm|seed:3"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"resamples": 0}, "resamples is 0"),
        ({"permutations": -5}, "permutations is -5"),
        ({"level": 95}, "level is 95"),
        ({"level": 0.0}, "level is 0.0"),
        ({"alpha": 1.0}, "alpha is 1.0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_a_procedure_that_cannot_be_followed_is_refused(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        compare_scores(board(), procedure=replace(QUICK, **wrong))  # pyright: ignore[reportArgumentType]


def test_one_draw_of_each_is_allowed() -> None:
    found = compare_scores(board(), procedure=Procedure(resamples=1, permutations=1)).primary
    assert {one.p for one in found.pairs} <= {0.5, 1.0}
    assert [one.rank for one in found.standings] == sorted(one.rank for one in found.standings)
    assert all(one.value >= other.value for one, other in pairwise(found.standings))


# --- groups of images ---


def copied(times: int) -> dict[str, dict[str, Score]]:
    """Each image of the board several times over."""
    return {
        run: {
            metric: score(
                {
                    f"{one}-{copy}": value
                    for one, value in zip(found.ids, found.values, strict=True)
                    for copy in range(times)
                },
                metric,
            )
            for metric, found in scores.items()
        }
        for run, scores in board().items()
    }


def test_copies_in_one_group_say_no_more_than_one_image(compared: Comparison) -> None:
    groups = {f"image{place:03d}-{copy}": f"{place:03d}" for place in range(IMAGES) for copy in range(3)}
    found = compare_scores(copied(3), procedure=QUICK, groups=groups)
    assert found.groups == IMAGES
    for metric, wanted in zip(found.metrics, compared.metrics, strict=True):
        for one, other in zip(metric.standings, wanted.standings, strict=True):
            assert (one.run, one.rank, one.letters, one.n) == (
                other.run,
                other.rank,
                other.letters,
                3 * other.n,
            )
            assert [one.interval.low, one.interval.high] == pytest.approx(
                [other.interval.low, other.interval.high]
            )
        assert [one.p for one in metric.pairs] == [one.p for one in wanted.pairs]
    alone = compare_scores(copied(3), procedure=QUICK)
    assert alone.groups is None
    assert sum(one.p for one in alone.primary.pairs) < sum(one.p for one in found.primary.pairs)


def test_an_image_without_a_group_stands_by_itself(compared: Comparison) -> None:
    found = compare_scores(
        board(), procedure=QUICK, groups={f"image{place:03d}": "" for place in range(IMAGES)}
    )
    assert found == replace(compared, groups=IMAGES)
    assert found.how == f"{compared.how}|groups:{IMAGES}"


def test_images_whose_group_is_not_known_are_refused() -> None:
    groups = {f"image{place:03d}": "one" for place in range(2, IMAGES)}
    with pytest.raises(
        UsageError, match=r"2 images of 120 that were scored have no group, e\.g\. image000\."
    ):
        compare_scores(board(), procedure=QUICK, groups=groups)
