"""Borders and local contrast, against slow versions of the same."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from radcap.vision.pictures.preparing import equalised, trimmed

LOTS = np.random.default_rng(11)


def whole(side: int, n: int = 1) -> torch.Tensor:
    return torch.tensor([0.0, 0.0, side, side]).expand(n, 4)


def noise(side: int = 40, channels: int = 1) -> torch.Tensor:
    return torch.from_numpy(LOTS.integers(0, 256, (1, side, side, channels), dtype=np.uint8))


# borders


@pytest.mark.parametrize("grey", [0, 128, 255])
@pytest.mark.parametrize(
    ("top", "left", "bottom", "right"), [(5, 0, 0, 0), (3, 4, 6, 2), (0, 0, 0, 0), (15, 15, 15, 15)]
)
def test_drawn_borders_are_cut_away(grey, top, left, bottom, right):
    held = noise()
    held[:, :top] = held[:, :, :left] = grey
    held[:, 40 - bottom :] = held[:, :, 40 - right :] = grey
    expected = [[top, left, 40 - top - bottom, 40 - left - right]]
    assert trimmed(held, whole(40)).tolist() == expected


def test_a_border_may_vary_a_little_but_not_more():
    held = noise()
    held[:, :6] = torch.from_numpy(LOTS.integers(100, 112, (1, 6, 40, 1), dtype=np.uint8))
    assert trimmed(held, whole(40)).tolist() == [[6, 0, 34, 40]]
    held[:, 2, 7] = 130
    assert trimmed(held, whole(40)).tolist() == [[2, 0, 38, 40]]


def test_only_the_picture_is_looked_at():
    held = noise()
    held[:, 10:13, :30] = 7
    box = torch.tensor([[10.0, 0.0, 20.0, 30.0]])
    assert trimmed(held, box).tolist() == [[13, 0, 17, 30]]


def test_a_picture_that_is_nearly_all_border_stays():
    held = torch.zeros(3, 40, 40, 1, dtype=torch.uint8)
    held[1, 18:21, 5:35] = noise()[0, :3, :30]  # 3 of 40 rows: too little is left
    held[2] = noise()[0]
    boxes = trimmed(held, whole(40, 3))
    assert boxes[0].tolist() == [0, 0, 40, 40]
    assert boxes[1].tolist() == [0, 5, 40, 30]
    assert boxes[2].tolist() == [0, 0, 40, 40]
    assert boxes.dtype == torch.float32


def test_a_bright_line_in_the_border_ends_it():
    held = noise()
    held[:, :10] = 0
    held[:, 4, 20:25] = 255
    assert trimmed(held, whole(40)).tolist() == [[4, 0, 36, 40]]


# contrast


def slowly(grey: np.ndarray, limit: float) -> np.ndarray:
    """Zuiderveld's algorithm pixel by pixel, for sides that eight divides."""
    height, width = grey.shape
    high, wide = height // 8, width // 8
    tables = np.zeros((8, 8, 256))
    for row in range(8):
        for column in range(8):
            tile = grey[row * high : (row + 1) * high, column * wide : (column + 1) * wide]
            counts = np.bincount(tile.ravel(), minlength=256).astype(float)
            most = max(limit * tile.size / 256, 1.0)
            over = sum(max(count - most, 0) for count in counts)
            clipped = [min(count, most) + over / 256 for count in counts]
            tables[row, column] = np.cumsum(clipped) * 255 / tile.size
    done = np.zeros((height, width))
    for y in range(height):
        for x in range(width):
            down, right = (y + 0.5) / high - 0.5, (x + 0.5) / wide - 0.5
            above, before = int(np.floor(down)), int(np.floor(right))
            part_y, part_x = down - above, right - before
            value = 0.0
            for row, weight_y in ((above, 1 - part_y), (above + 1, part_y)):
                for column, weight_x in ((before, 1 - part_x), (before + 1, part_x)):
                    table = tables[min(max(row, 0), 7), min(max(column, 0), 7)]
                    value += weight_y * weight_x * table[grey[y, x]]
            done[y, x] = value
    return done


def scene(height: int, width: int) -> np.ndarray:
    """Soft shapes and noise in a narrow range, as faint images have."""
    y, x = np.mgrid[:height, :width]
    soft = 90 + 30 * np.sin(x / 9.0) * np.cos(y / 7.0) + LOTS.normal(0, 4, (height, width))
    return np.clip(soft, 1, 255).astype(np.uint8)


@pytest.mark.parametrize("limit", [1.0, 2.0, 40.0, 1e9])
@pytest.mark.parametrize(("height", "width"), [(64, 64), (40, 64)])
def test_contrast_is_evened_out_as_the_slow_version_does(limit, height, width):
    grey = scene(height, width)
    held = torch.zeros(1, 64, 64, 1, dtype=torch.uint8)
    top = (64 - height) // 2
    held[0, top : top + height, :width, 0] = torch.from_numpy(grey)
    box = torch.tensor([[top, 0.0, height, width]])
    done = equalised(held, box, limit)[0, top : top + height, :width, 0].numpy()
    expected = np.clip(slowly(grey, limit), 0, 255)
    assert np.abs(done - expected).max() <= 0.51
    assert done.std() > grey.std() or limit <= 1


def test_what_lies_outside_stays_black():
    held = torch.zeros(1, 64, 64, 1, dtype=torch.uint8)
    held[0, 16:48] = torch.from_numpy(scene(32, 64))[:, :, None]
    done = equalised(held, torch.tensor([[16.0, 0.0, 32.0, 64.0]]), 3.0)
    assert int(done[0, :16].max()) == int(done[0, 48:].max()) == 0
    assert done.dtype == torch.uint8


def test_colours_keep_their_ratio():
    grey = torch.from_numpy(scene(64, 64))[:, :, None].float()
    held = torch.cat([grey * 0.5, grey * 0.25, grey * 0.125], 2).round().to(torch.uint8)[None]
    done = equalised(held, whole(64), 2.0)[0].float()
    bright = done[:, :, 0] < 255
    ratio = (done[:, :, 1] / done[:, :, 0].clamp(min=1))[bright]
    assert float(ratio.median()) == pytest.approx(0.5, abs=0.03)


def test_small_and_even_pictures():
    small = noise(40)
    assert torch.equal(equalised(small, torch.tensor([[0.0, 0.0, 7.0, 40.0]]), 2.0), small)
    assert equalised(small[:0], whole(40)[:0], 2.0).shape == (0, 40, 40, 1)


@pytest.mark.parametrize(("side", "top"), [(41, 0), (50, 7)])
def test_sides_that_eight_does_not_divide(side, top):
    grey = scene(side, side)
    held = torch.zeros(1, 64, 64, 1, dtype=torch.uint8)
    held[0, top : top + side, :side, 0] = torch.from_numpy(grey)
    done = equalised(held, torch.tensor([[top, 0.0, side, side]]), 4.0)[0, top : top + side, :side, 0]
    assert float(done.float().std()) > 1.2 * grey.std()
