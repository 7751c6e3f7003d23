"""Fills, masks, baselines and the audience: what is taken away, and who is asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from explain_lens_samples import SIZE, TinyLens, TinyNetwork, concepts, picture_of, shown
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from radcap.explanation.faithfulness.baselines import edge_map, noise_map, seed_of
from radcap.explanation.faithfulness.fills import Fill, black, blurred, grey
from radcap.explanation.faithfulness.masks import cells_of, first_masks, grid_of, last_masks, ranks_of
from radcap.explanation.faithfulness.perturbing import Audience, Voice, alone, inside_of
from radcap.explanation.lenses.frame import Frame
from radcap.explanation.targets import Target

HIGH = Frame(left=0.25, right=0.75)  # a picture twice as high as wide, with a border on both sides


def lens_of(seed: int, frame: Frame | None = None) -> TinyLens:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return TinyLens(TinyNetwork().eval(), shown()[0], frame or Frame())


@pytest.mark.parametrize("fill", [blurred, grey, black])
def test_the_border_stays_and_what_is_kept_stays(fill: Fill) -> None:
    lens = lens_of(0, HIGH)
    inside = inside_of(lens)
    assert inside.sum() == SIZE * SIZE / 2
    removed = torch.stack([torch.zeros(SIZE, SIZE), inside.float()])
    kept, gone = fill(lens.pixels, inside)(removed)
    assert torch.equal(kept, lens.pixels[0])
    assert torch.equal(gone[:, ~inside], lens.pixels[0][:, ~inside])
    assert not torch.equal(gone[:, inside], lens.pixels[0][:, inside])


def test_blur_is_a_bell_that_does_not_see_the_border() -> None:
    pixels = shown()[0]
    whole = torch.ones(SIZE, SIZE, dtype=torch.bool)
    ours = blurred(pixels, whole)(torch.ones(1, SIZE, SIZE))[0, 0].numpy()
    plain, weight = (
        ndimage.gaussian_filter(one, SIZE / 16, mode="constant", radius=12)
        for one in (pixels[0, 0].numpy().astype(np.float64), np.ones((SIZE, SIZE)))
    )
    assert np.allclose(ours, plain / weight, atol=1e-3)
    half = whole.clone()
    half[:, 32:] = False
    loud = pixels.clone()
    loud[..., 32:] = 9000
    one, other = (blurred(one, half)(half[None].float())[..., :32] for one in (pixels, loud))
    assert torch.allclose(one, other)


def test_grey_is_the_mean_of_the_picture_and_black_is_nothing() -> None:
    pixels = torch.arange(48.0).view(1, 3, 4, 4)
    inside = torch.zeros(4, 4, dtype=torch.bool)
    inside[:2] = True
    gone = grey(pixels, inside)(inside[None].float())
    assert gone[0, :, 0, 0].tolist() == [3.5, 19.5, 35.5]
    assert black(pixels, inside)(inside[None].float())[0, :, :2].abs().max() == 0


@given(st.integers(1, 3000), st.integers(1, 3000))
def test_a_grid_is_no_finer_than_its_limit_or_the_picture(height: int, width: int) -> None:
    rows, columns = grid_of(height, width)
    assert 1 <= rows <= min(64, height)
    assert 1 <= columns <= min(64, width)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(0, 5))
def test_ranks_are_an_order_by_relevance(values: list[int], seed: int) -> None:
    cells = torch.tensor([[values]], dtype=torch.float32).view(1, 1, -1)
    ranks = ranks_of(cells, seed).flatten()
    assert sorted(ranks.tolist()) == list(range(len(values)))
    assert [values[place] for place in ranks.argsort()] == sorted(values, reverse=True)


def test_ties_are_shuffled_by_the_seed() -> None:
    flat = torch.zeros(1, 8, 8)
    assert not torch.equal(ranks_of(flat, 1), ranks_of(flat, 2))
    assert torch.equal(ranks_of(flat, 1), ranks_of(flat, 1))
    assert not torch.equal(ranks_of(flat, 1).flatten(), torch.arange(64))


def test_first_and_last_masks_hold_equal_shares() -> None:
    ranks = ranks_of(torch.randn(2, 8, 10, generator=torch.Generator().manual_seed(0)))
    first, last = first_masks(ranks, [0.25, 0.5]), last_masks(ranks, [0.25, 0.5])
    assert first.shape == (2, 2, 8, 10)
    assert first.sum((-2, -1)).tolist() == last.sum((-2, -1)).tolist() == [[20, 40]] * 2
    assert torch.equal(first[:, 1], 1 - last[:, 1])
    assert (first[:, 0] * last[:, 0]).max() == 0


def test_cells_are_means() -> None:
    values = np.arange(64.0).reshape(8, 8)
    assert np.allclose(cells_of([values], (4, 4))[0], values.reshape(4, 2, 4, 2).mean((1, 3)))
    assert cells_of([], (4, 4)).shape == (0, 4, 4)


def test_edges_are_those_of_sobel() -> None:
    picture = picture_of(shown()[0])
    light = picture.astype(np.float32).mean(axis=2)
    theirs = np.hypot(ndimage.sobel(light, 0), ndimage.sobel(light, 1))
    assert np.allclose(edge_map(picture), theirs, atol=1e-3)


def test_noise_is_smooth_and_its_own_for_each_image() -> None:
    one, same, other = (noise_map(60, 80, seed_of(name)) for name in ("a", "a", "b"))
    assert one.shape == (60, 80)
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert np.abs(np.diff(one, axis=0)).max() < 0.5 * one.std()
    assert seed_of("a", "b") != seed_of("a b")


def test_an_audience_is_the_mean_by_shares() -> None:
    lenses = [lens_of(0), lens_of(1, HIGH)]
    keep = torch.rand(11, 16, 16, generator=torch.Generator().manual_seed(0))
    shares = ((1.0, 0.0, 0.25), (3.0, 2.0, 0.25))
    both = Audience(tuple(map(Voice, lenses, shares)), concepts(), chunk=4)(keep)
    one, other = (alone(lens, concepts())(keep) for lens in lenses)
    expected = [
        0.25 * one[:, 0] + 0.75 * other[:, 0],
        other[:, 1],
        0.5 * (one[:, 2] + other[:, 2]),
    ]
    assert torch.allclose(both, torch.stack(expected, dim=1))
    assert torch.equal(alone(lenses[0], concepts()).among([2])(keep), one[:, 2:])


def test_a_network_without_a_share_is_not_asked() -> None:
    class Deaf(TinyLens):
        def chances(self, pixels: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
            assert list(targets) == [concepts()[1]]
            return torch.ones(len(pixels), 1)

    deaf = Deaf(lens_of(0).network, shown()[0])
    audience = Audience((Voice(lens_of(0), (1.0, 0.0)), Voice(deaf, (0.0, 1.0))), concepts(2))
    assert audience(torch.ones(2, 4, 4))[:, 1].tolist() == [1.0, 1.0]


def test_an_audience_sees_the_image_when_all_is_kept_and_the_fill_when_nothing_is() -> None:
    lens = lens_of(0, HIGH)
    told = alone(lens, concepts()).through(black)(torch.stack([torch.ones(8, 4), torch.zeros(8, 4)]))
    dark = lens.pixels.clone()
    dark[..., 16:48] = 0
    expected = lens.chances(torch.cat([lens.pixels, dark]), concepts())
    assert torch.allclose(told, expected, atol=1e-6)
