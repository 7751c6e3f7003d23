"""Randomisation, likeness of maps, pointing and intervals."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import torch
from explain_lens_samples import TinyLens, TinyNetwork, concepts, grad_cam, picture_of, planted, trained
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from torch import nn

from radcap.core import UsageError
from radcap.explanation.faithfulness.baselines import edge_map
from radcap.explanation.faithfulness.intervals import FIGURES, mean_of, summary
from radcap.explanation.faithfulness.labels import label_test
from radcap.explanation.faithfulness.pointing import overlap, points
from radcap.explanation.faithfulness.randomisation import (
    mean_sanity,
    sanity,
    shuffle_weights,
    stages_of,
)
from radcap.explanation.faithfulness.similarity import mean_ranks, rank_correlation
from radcap.explanation.faithfulness.values import Curve, Faithfulness, Sanity
from radcap.explanation.lenses.lens import Lens
from radcap.explanation.methods.method import Relevance
from radcap.stats.comparison import Procedure


def edges(lens: Lens, targets: object) -> Relevance:
    """An edge detector: looks fine, and knows nothing of the model."""
    found = torch.from_numpy(edge_map(picture_of(lens.pixels)))
    return Relevance(found.expand(len(concepts()), -1, -1))


def nothing(lens: Lens, targets: object) -> Relevance:
    return Relevance(torch.full((len(concepts()), 4, 4), float("nan")))


def several(method: object, images: int = 6) -> Sanity:
    pixels, _, _ = planted(images, seed=11)
    return mean_sanity(
        [
            sanity(method, lambda net, one=one: TinyLens(net, one[None]), trained(), concepts(), seed=place)  # pyright: ignore[reportArgumentType]
            for place, one in enumerate(pixels)
        ]
    )


def test_a_method_that_looks_at_the_model_passes() -> None:
    before = deepcopy(trained().state_dict())
    found = several(grad_cam)
    assert found.stages == ("head", "backbone 1/3", "backbone 2/3", "backbone 3/3")
    assert found.passed
    assert abs(found.likeness[-1]) < 0.3
    assert all(torch.equal(one, before[name]) for name, one in trained().state_dict().items())


def test_an_edge_detector_fails() -> None:
    found = several(edges, images=2)
    assert found.likeness == pytest.approx((1.0,) * 4)
    assert not found.passed


def test_a_layer_that_gives_one_number_has_no_spread_to_keep() -> None:
    network = TinyNetwork(labels=1)
    found = sanity(grad_cam, lambda held: TinyLens(held, planted(1, 5)[0]), network, concepts(1), stages=1)  # type: ignore[arg-type]
    assert found.stages[0] == "head"


def test_maps_that_break_are_like_nothing() -> None:
    assert several(nothing, images=1).likeness == (0.0,) * 4


@pytest.mark.parametrize(
    ("backbone", "stages", "expected"),
    [
        ("backbone", 4, [("head", 1), ("backbone 1/3", 1), ("backbone 2/3", 1), ("backbone 3/3", 1)]),
        ("backbone", 2, [("head", 1), ("backbone 1/2", 2), ("backbone 2/2", 1)]),
        ("", 2, [("backbone 1/2", 2), ("backbone 2/2", 2)]),
        (None, 1, [("backbone 1/1", 4)]),
    ],
)
def test_stages_go_from_the_head_down(
    backbone: str | None, stages: int, expected: list[tuple[str, int]]
) -> None:
    plan = stages_of(TinyNetwork(), backbone, stages)
    assert [(stage.name, len(stage.modules)) for stage in plan] == expected
    names = [name for stage in plan for name in stage.modules]
    assert names == ["head", "backbone.body.4", "backbone.body.2", "backbone.body.0"]


def test_a_network_without_a_backbone_of_weights_has_a_head_alone() -> None:
    plan = stages_of(nn.ModuleDict({"backbone": nn.ReLU(), "head": nn.Linear(2, 2)}), "backbone", 4)
    assert [stage.name for stage in plan] == ["head"]


def test_shuffled_weights_keep_their_values() -> None:
    network = TinyNetwork()
    before = deepcopy(network)
    shuffle_weights(network, ["backbone.body.2"], seed=1)
    old, new = before.backbone.body[2].weight, network.backbone.body[2].weight  # pyright: ignore[reportIndexIssue]
    assert not torch.equal(old, new)
    assert torch.equal(old.flatten().sort().values, new.flatten().sort().values)
    assert torch.equal(before.head.weight, network.head.weight)


def test_a_twin_with_shuffled_labels_has_other_maps() -> None:
    pixels, _, _ = planted(6, seed=12)
    own, twin = (
        [one for image in pixels for one in grad_cam(TinyLens(net, image[None]), concepts()).maps.numpy()]
        for net in (trained(), trained(shuffled=True))
    )
    found = label_test(own, twin)
    assert found.pairs == 18
    assert found.passed
    same = label_test(own, own)
    assert not same.passed
    assert same.to_json() == {
        "test": "label randomisation",
        "likeness": 1.0,
        "pairs": 18,
        "most": 0.5,
        "passed": False,
    }


@pytest.mark.parametrize(("maps", "twins"), [(1, 0), (0, 0)])
def test_maps_without_a_twin_are_refused(maps: int, twins: int) -> None:
    with pytest.raises(UsageError, match="Give one of each"):
        label_test([np.ones((2, 2))] * maps, [np.ones((2, 2))] * twins)


@given(arrays(np.float64, (2, 12), elements=st.integers(0, 5).map(float)))
def test_rank_correlation_is_that_of_scipy(values: np.ndarray) -> None:
    one, other = values
    assert np.allclose(mean_ranks(one), stats.rankdata(one))
    if np.ptp(one) and np.ptp(other):
        assert rank_correlation(one, other) == pytest.approx(stats.spearmanr(one, other)[0])
    else:
        assert rank_correlation(one, other) == 0


small = arrays(np.float64, (4, 5), elements=st.integers(-3, 9).map(float))


@given(small, arrays(np.bool_, (4, 5)))
def test_pointing_and_overlap_are_sets_of_pixels(cam: np.ndarray, truth: np.ndarray) -> None:
    true = {tuple(place) for place in np.argwhere(truth)}
    places = [tuple(map(int, place)) for place in np.ndindex(cam.shape)]
    peak = max(places, key=lambda place: cam[place])
    assert points(cam, truth) == (cam[peak] > 0 and peak in true)
    half = {place for place in places if cam[place] > 0 and cam[place] >= cam.max() / 2}
    union = half | true
    assert overlap(cam, truth) == pytest.approx(len(half & true) / len(union) if union else 0.0)


def faithfulness(area: float, road: float | None = None, pointing: bool | None = None) -> Faithfulness:
    flat = Curve((0.0, 1.0), (area, area))
    return Faithfulness(flat, flat, 0.5, 0.5, 0.5, 0.6, road=road, pointing=pointing)


def test_a_summary_has_what_was_measured_over_images() -> None:
    found = [faithfulness(0.2, road=0.1), faithfulness(0.4, pointing=True), faithfulness(0.9, pointing=False)]
    done = summary(found, ["a", "a", "b"])
    assert set(done) == set(FIGURES) - {"infidelity", "sensitivity", "overlap"}
    assert done["deletion"].value == pytest.approx(0.5)
    assert (done["deletion"].low, done["deletion"].high) == pytest.approx((0.3, 0.9))  # whole images
    assert (done["road"].maps, done["road"].images) == (1, 1)
    assert done["pointing"].value == 0.5
    assert done["better_than_both"].value == 0
    assert done["gain"].to_json() == {"value": -0.1, "low": -0.1, "high": -0.1, "maps": 3, "images": 2}


def test_an_interval_is_that_of_scipy() -> None:
    values = np.random.default_rng(0).random(40)
    ours = mean_of(list(values), [str(place) for place in range(40)], Procedure(resamples=4000))
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=4000, rng=1)
    assert ours is not None
    assert [ours.low, ours.high] == pytest.approx(list(theirs.confidence_interval), abs=0.01)
    assert mean_of([None], ["a"]) is None
