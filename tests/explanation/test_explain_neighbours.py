"""A lens whose scores are likeness to neighbours, against numpy over the index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from explain_model_samples import (
    CHEST,
    CPU,
    EFFUSION,
    NAMES,
    PNEUMONIA,
    TRUTH,
    WIDTH,
    XRAY,
    detector,
    index,
    photo,
    retrieving,
)

from radcap.core import UsageError
from radcap.detection.retrieval.vectors import prepared
from radcap.explanation.families import family_of
from radcap.explanation.lenses.neighbour_lens import NeighbourLens
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.methods.grad_cam import GradCam
from radcap.explanation.subjects.concept_lenses import concept_lens, vector_of
from radcap.explanation.targets import Concept, Contrast, Neighbour, Span

AXES = np.linalg.qr(np.random.default_rng(1).normal(size=(WIDTH, WIDTH)))[0][:, :4].astype(np.float32)


def _lens(metric: str, *, reduced: bool, half: bool = False) -> NeighbourLens:
    held = index(metric)
    if reduced:
        held = replace(held, axes=AXES, vectors=prepared(held.vectors @ AXES, held.metric))
    if half:
        held = replace(held, vectors=held.vectors.astype(np.float16))
    one = concept_lens(retrieving(), photo(), "photo.png")
    assert isinstance(one, NeighbourLens)
    found = held.search(vector_of(one)[None], 3)
    return replace(one, index=held, near=tuple(found.places[0].tolist()))


def _likeness(lens: NeighbourLens) -> np.ndarray:
    """Of the image to each image of the index, in double precision."""

    def unit(rows: np.ndarray) -> np.ndarray:
        return rows / np.linalg.norm(rows, axis=-1, keepdims=True)

    asked, held = vector_of(lens).astype(np.float64), lens.index.vectors.astype(np.float64)
    if lens.index.metric == "euclid":
        asked = asked if lens.index.axes is None else asked @ lens.index.axes
        return -np.sqrt(((asked - held) ** 2).sum(axis=1))
    asked = asked if lens.index.axes is None else unit(asked) @ lens.index.axes
    return unit(held) @ unit(asked)


CASES = [(metric, reduced) for metric in ("cosine", "euclid") for reduced in (False, True)]


@pytest.mark.parametrize(("metric", "reduced"), CASES)
def test_scores_are_likeness_to_neighbours_that_speak(metric, reduced):
    lens = _lens(metric, reduced=reduced)
    likeness = _likeness(lens)
    order = np.argsort(-likeness)[:3].tolist()
    assert list(lens.near) == order
    places = {cui: number for number, cui in enumerate(NAMES)}
    targets = [Neighbour(4), Neighbour(order[0]), Concept(XRAY), Concept(CHEST)]
    targets.append(Contrast(Concept(XRAY), Concept(CHEST)))
    wanted = [likeness[4], likeness[order[0]]]
    for cui in (XRAY, CHEST):
        speakers = [one for one in order if TRUTH[one, places[cui]]]
        assert lens.speakers(cui) == tuple(speakers)
        wanted.append(float(np.mean(likeness[speakers])))
    wanted.append(wanted[2] - wanted[3])
    found = lens.scores(lens.backbone(lens.pixels), targets)
    np.testing.assert_allclose(found[0].detach().numpy(), wanted, atol=1e-5)


@pytest.mark.parametrize(("metric", "reduced"), CASES)
def test_chances_are_shares_of_likeness_with_neighbours_searched_anew(metric, reduced):
    lens = _lens(metric, reduced=reduced)
    targets = [Concept(one) for one in NAMES] + [Neighbour(1), Contrast(Concept(XRAY), Concept(PNEUMONIA))]
    noise = torch.rand(lens.pixels.shape, generator=torch.Generator().manual_seed(9)) * 255
    found = lens.chances(torch.cat([lens.pixels, noise]), targets)
    assert found.shape == (2, 6)
    for row, pixels in enumerate((lens.pixels, noise)):
        likeness = _likeness(replace(lens, pixels=pixels))
        weights = np.maximum(likeness, 0) if metric == "cosine" else 1 / (1 - likeness)
        near = np.argsort(-likeness)[:3]
        shares = [weights[near] @ TRUTH[near, label] / weights[near].sum() for label in range(4)]
        pair = shares[0] / (shares[0] + shares[2])
        np.testing.assert_allclose(found[row], [*shares, weights[1], pair], atol=1e-5)


def test_vectors_in_half_precision_are_as_near():
    whole, half = _lens("cosine", reduced=False), _lens("cosine", reduced=False, half=True)
    targets = [Neighbour(place) for place in range(len(TRUTH))]
    features = whole.backbone(whole.pixels)
    both = [one.scores(features, targets)[0] for one in (whole, half)]
    torch.testing.assert_close(both[0], both[1], atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("target", [Concept(EFFUSION), Concept("C9999999"), Span((1,), 0, 1)])
def test_what_no_neighbour_has_is_refused(target):
    lens = _lens("cosine", reduced=False)
    with pytest.raises(UsageError, match="No neighbour of the image speaks for"):
        lens.scores(lens.backbone(lens.pixels), [target])


def test_likeness_can_be_derived():
    lens = _lens("cosine", reduced=True)
    maps = GradCam()(lens, [Concept(XRAY), Neighbour(0)]).maps
    assert maps.shape == (2, 3, 3)
    assert maps.abs().sum() > 0
    assert family_of(lens) == "neighbours"


def test_a_model_without_neighbours_is_seen_through_its_head():
    model = detector()
    lens = concept_lens(model, photo(), "photo.png")
    assert isinstance(lens, NetworkLens)
    wanted = model.network.embed(lens.pixels)[0].detach().numpy()
    np.testing.assert_allclose(vector_of(lens), wanted, atol=1e-6)
    without = replace(retrieving(), index=None)
    assert isinstance(concept_lens(without, photo(), "photo.png"), NetworkLens)
    assert lens.pixels.device == CPU.device


def test_neighbours_that_are_not_there_are_none():
    lens = concept_lens(retrieving(k=9), photo(), "photo.png")
    assert isinstance(lens, NeighbourLens)
    assert sorted(lens.near) == list(range(len(TRUTH)))
