"""The parts of classical features: each against a plain loop or scikit-learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from sklearn import cluster

from radcap.core import UsageError
from radcap.vision.backbones.dense_descriptors import DESCRIBED, centres_along, describe
from radcap.vision.backbones.k_means import k_means, nearest
from radcap.vision.backbones.quad_tree import cells_of, finest_cells, tree_histograms
from radcap.vision.backbones.reservoir import drawn_rows

torch.set_num_threads(1)

KMeans: Any = cluster.KMeans


def heaps(count: int = 6, each: int = 40) -> torch.Tensor:
    """Points around corners that lie far apart."""
    draw = np.random.default_rng(0)
    corners = draw.permutation(count)[:, None] * np.array([[10.0, -7.0, 3.0]])
    points = (corners[:, None] + draw.normal(0, 0.3, (count, each, 3))).reshape(-1, 3)
    return torch.from_numpy(points).float()


def by_rows(points: np.ndarray) -> np.ndarray:
    return points[np.lexsort(points.T)]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_centres_of_heaps_are_those_of_scikit_learn(seed):
    points = heaps()
    wanted = KMeans(6, n_init=5, random_state=0).fit(points.numpy()).cluster_centers_
    np.testing.assert_allclose(by_rows(k_means(points, 6, seed).numpy()), by_rows(wanted), atol=1e-4)


def test_no_centre_is_worse_than_that_of_scikit_learn_from_one_start():
    points = torch.randn(500, 4, generator=torch.Generator().manual_seed(0))

    def error(centres: torch.Tensor) -> float:
        return float(torch.cdist(points, centres).amin(dim=1).square().sum())

    theirs = KMeans(8, n_init=1, random_state=0, max_iter=300).fit(points.numpy()).inertia_
    assert error(k_means(points, 8, 0, rounds=300)) < 1.1 * theirs
    assert error(k_means(points, 8, 0, rounds=300)) <= error(k_means(points, 8, 0, rounds=0))


def test_the_same_seed_gives_the_same_centres_and_another_gives_others():
    points = torch.randn(200, 3, generator=torch.Generator().manual_seed(0))
    assert torch.equal(k_means(points, 5, 3), k_means(points, 5, 3))
    assert not torch.equal(k_means(points, 5, 3), k_means(points, 5, 4))


def test_fewer_points_than_centres_repeat():
    points = torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0]])
    centres = k_means(points, 5, 0)
    assert centres.shape == (5, 2)
    assert torch.equal(centres[nearest(points, centres)], points)


def test_nearest_is_nearest_and_of_equal_ones_the_first():
    draw = torch.Generator().manual_seed(1)
    points, centres = torch.randn(70, 5, generator=draw), torch.randn(9, 5, generator=draw)
    assert torch.equal(nearest(points, centres), torch.cdist(points, centres).argmin(dim=1))
    assert nearest(points, torch.cat([centres, centres])).max() < 9


def test_a_centre_that_loses_all_its_points_stays():
    from radcap.vision.backbones.k_means import _means

    before = torch.tensor([[0.0], [9.0]])
    assert _means(torch.tensor([[1.0], [3.0]]), torch.tensor([0, 0]), before).tolist() == [[2.0], [9.0]]


def test_rows_are_drawn_evenly_whatever_their_batch():
    hits = torch.zeros(40)
    for seed in range(400):
        rows = torch.arange(40.0)[:, None]
        hits[drawn_rows([rows[:3], rows[3:30], rows[30:]], 10, seed).flatten().long()] += 1
    assert hits.sum() == 4000
    assert abs(float(hits[:3].mean()) - 100) < 25
    assert abs(float(hits[30:].mean()) - 100) < 15


def test_few_rows_are_all_drawn_and_none_are_refused():
    rows = torch.arange(12.0).view(6, 2)
    assert torch.equal(drawn_rows([rows[:4], rows[4:]], 10, 0), rows)
    with pytest.raises(UsageError, match="no images to learn from"):
        drawn_rows([], 10, 0)


def plain_histogram(words, down, right, count, levels):
    """Counts by loops over levels, cells and places."""
    found = []
    for level in range(levels):
        side = 2**level
        for row in range(side):
            for column in range(side):
                cell = [0.0] * count
                for i, y in enumerate(down):
                    for j, x in enumerate(right):
                        if int(y * side) == row and int(x * side) == column:
                            cell[words[i * len(right) + j]] += 1
                found += cell
    roots = np.sqrt(found)
    return roots / np.linalg.norm(roots)


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_histograms_are_those_of_a_plain_loop(levels):
    down, right = (torch.arange(7) + 0.5) / 7, (torch.arange(5) + 0.5) / 5
    words = torch.randint(4, (3, 35), generator=torch.Generator().manual_seed(levels))
    cells = finest_cells(down, right, levels)
    found = tree_histograms(words, cells.expand_as(words), 4, levels)
    assert found.shape == (3, 4 * cells_of(levels))
    for one, mine in zip(words, found, strict=True):
        wanted = plain_histogram(one.tolist(), down.tolist(), right.tolist(), 4, levels)
        np.testing.assert_allclose(mine.numpy(), wanted, atol=1e-6)


def test_each_level_weighs_the_same():
    words = torch.randint(6, (1, 64), generator=torch.Generator().manual_seed(0))
    along = (torch.arange(8) + 0.5) / 8
    found = tree_histograms(words, finest_cells(along, along, 3).expand_as(words), 6, 3)[0].square()
    np.testing.assert_allclose([found[:6].sum(), found[6:30].sum(), found[30:].sum()], 1 / 3, atol=1e-6)


def plain_descriptor(grey: np.ndarray, top: int, left: int, cell: int) -> np.ndarray:
    """One patch by loops: Lowe's histograms with flat windows, shares under a root."""
    high, wide = grey.shape
    found = np.zeros((4, 4, 8))
    for y in range(top, top + 4 * cell):
        for x in range(left, left + 4 * cell):
            dx = (grey[y, min(x + 1, wide - 1)] - grey[y, max(x - 1, 0)]) / 2
            dy = (grey[min(y + 1, high - 1), x] - grey[max(y - 1, 0), x]) / 2
            turn = math.atan2(dy, dx) % (2 * math.pi) / (math.pi / 4)
            first = int(turn) % 8
            part = turn - int(turn)
            place = (y - top) // cell, (x - left) // cell
            found[(*place, first)] += math.hypot(dx, dy) * (1 - part)
            found[(*place, (first + 1) % 8)] += math.hypot(dx, dy) * part
    return np.sqrt(found / found.sum()).ravel()


@pytest.mark.parametrize("cell", [4, 5])
def test_descriptors_are_those_of_a_plain_loop(cell):
    grey = np.random.default_rng(cell).random((43, 38)).astype(np.float32)
    found = describe(torch.from_numpy(grey)[None], cell)[0].numpy()
    corners = [
        (top, left)
        for top in range(0, 43 // cell * cell - 4 * cell + 1, 2 * cell)
        for left in range(0, 38 // cell * cell - 4 * cell + 1, 2 * cell)
    ]
    assert found.shape == (len(corners), DESCRIBED)
    for (top, left), mine in zip(corners, found, strict=True):
        np.testing.assert_allclose(mine, plain_descriptor(grey, top, left, cell), atol=2e-4)
    middles = {round(float(y) * 43, 3) for y in centres_along(43, cell)}
    assert middles == {float(top + 2 * cell) for top, _ in corners}


def test_a_patch_with_nothing_in_it_has_no_direction():
    faint = torch.full((1, 16, 16), 0.5)
    faint[0, :, 8:] += 0.4 / 255
    assert not describe(faint, 4).any()
    faint[0, :, 8:] += 0.5
    assert float(describe(faint, 4).norm()) == pytest.approx(1)
