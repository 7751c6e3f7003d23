"""Where a picture lies in what a network sees: there, back again, and against the pixels themselves."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from radcap.core import InputError
from radcap.explanation.lenses import Frame
from radcap.explanation.lenses.sighting import sighted
from radcap.explanation.subjects.picture import LONGEST, picture_of
from radcap.vision.pictures import View
from radcap.vision.settings import ImageSettings

torch.set_num_threads(1)  # networks this small only wait for threads

CPU = torch.device("cpu")
LOW, HIGH = st.floats(-0.4, 0.4), st.floats(0.6, 1.4)
FRAMES = st.builds(Frame, left=LOW, top=LOW, right=HIGH, bottom=HIGH)


def _smooth(height: int, width: int) -> torch.Tensor:
    rows = (torch.arange(height)[:, None] + 0.5) / height
    columns = (torch.arange(width) + 0.5) / width
    return torch.stack([torch.sin(2 * rows) + columns, torch.cos(3 * rows * columns)])


@settings(max_examples=40)
@given(frame=FRAMES, height=st.integers(20, 40), width=st.integers(20, 40))
def test_a_smooth_map_comes_back_where_the_picture_is_seen(frame: Frame, height: int, width: int) -> None:
    maps = _smooth(height, width)
    back = frame.over_picture(frame.over_pixels(maps, 96), height, width)
    down = frame.top + (torch.arange(height) + 0.5) / height * (frame.bottom - frame.top)
    across = frame.left + (torch.arange(width) + 0.5) / width * (frame.right - frame.left)
    seen = ((down >= 0) & (down <= 1))[:, None] & ((across >= 0) & (across <= 1))
    well = ((down > 0.03) & (down < 0.97))[:, None] & ((across > 0.03) & (across < 0.97))
    well[[0, 1, -2, -1]] = False  # at its edges a picture borders on nothing
    well[:, [0, 1, -2, -1]] = False
    assert (back[:, ~seen] == 0).all()
    assert torch.allclose(back[:, well], maps[:, well], atol=0.03)


@settings(max_examples=40)
@given(frame=FRAMES, size=st.integers(8, 64))
def test_what_is_no_picture_is_nothing_in_the_pixels(frame: Frame, size: int) -> None:
    pixels = frame.over_pixels(torch.ones(1, 16, 24), size)[0]
    middles = (np.arange(size) + 0.5) / size
    for value, inside in (
        (pixels.amax(1), (frame.top, frame.bottom)),
        (pixels.amax(0), (frame.left, frame.right)),
    ):
        clear = np.abs(middles - inside[0]) > 1e-5, np.abs(middles - inside[1]) > 1e-5
        within = (middles >= inside[0]) & (middles <= inside[1])
        np.testing.assert_allclose(value.numpy()[clear[0] & clear[1]], within[clear[0] & clear[1]], atol=1e-6)


def test_a_picture_that_fills_the_pixels_is_the_pixels() -> None:
    maps = torch.rand(2, 8, 8)
    torch.testing.assert_close(Frame().over_picture(maps, 8, 8), maps)
    torch.testing.assert_close(Frame().over_pixels(maps, 8), maps)


def _png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def _dotted(width: int, height: int, x: float, y: float, *, border: int = 0) -> tuple[bytes, float, float]:
    """A grey picture with a soft bright dot at these shares; where it is in shares of the whole."""
    rows, columns = np.mgrid[:height, :width]
    cx = border + x * (width - 2 * border)
    cy = border + y * (height - 2 * border)
    light = np.exp(-((columns + 0.5 - cx) ** 2 + (rows + 0.5 - cy) ** 2) / (2 * 5.0**2))
    grey = 60 + 190 * light + 10 * ((rows // 4 + columns // 4) % 2)  # so that no line of it is one grey
    if border:
        grey[:border] = grey[-border:] = 0
        grey[:, :border] = grey[:, -border:] = 0
    stored = np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=2)
    return _png(stored), cx / width, cy / height


def _middle(values: torch.Tensor) -> tuple[float, float]:
    """Where the light is, across and down, in shares."""
    light = (values - 150).clamp(min=0)
    rows, columns = values.shape
    down = (light.sum(1) * (torch.arange(rows) + 0.5)).sum() / light.sum() / rows
    across = (light.sum(0) * (torch.arange(columns) + 0.5)).sum() / light.sum() / columns
    return float(across), float(down)


VIEWS = {
    "pad": {},
    "pad, loaded larger": {"load": 1.15},
    "crop": {"fit": "crop"},
    "crop, loaded larger": {"fit": "crop", "load": 1.15},
    "squash": {"fit": "squash"},
    "squash, loaded larger": {"fit": "squash", "load": 1.15},
    "trimmed": {"trim": True},
    "trimmed, squashed": {"trim": True, "fit": "squash", "load": 1.15},
    "trimmed, cropped": {"trim": True, "fit": "crop"},
    "evened out, grey": {"clahe": 2.0, "grey": True},
}


@pytest.mark.parametrize(("width", "height"), [(300, 180), (140, 260), (200, 200)])
@pytest.mark.parametrize("options", VIEWS.values(), ids=VIEWS)
def test_a_planted_dot_is_found_again(options: dict, width: int, height: int) -> None:
    view = View(ImageSettings(size=64, **options))
    for x, y in ((0.42, 0.62), (0.6, 0.41)):
        data, across, down = _dotted(width, height, x, y, border=20 if "trim" in options else 0)
        seen = sighted(data, "dot.png", view, CPU)
        assert seen.pixels.shape == (1, 3, 64, 64)
        assert seen.pixels.dtype == torch.float32
        bright = seen.pixels[0].mean(0)
        there = _middle(bright)
        frame = seen.frame  # the dot stands in the pixels where the frame says that its place is
        wanted = (
            frame.left + across * (frame.right - frame.left),
            frame.top + down * (frame.bottom - frame.top),
        )
        np.testing.assert_allclose(there, wanted, atol=1.2 / 64)
        picture = picture_of(data, "dot.png")
        back = frame.over_picture(bright[None], *picture.shape[:2])[0]
        np.testing.assert_allclose(_middle(back), (across, down), atol=1.5 / 64)
        single = np.zeros((1, 64, 64), np.float32)
        brightest = np.unravel_index(int(bright.argmax()), (64, 64))
        single[(0, *brightest)] = 1.0
        mapped = frame.over_picture(torch.from_numpy(single), *picture.shape[:2])[0]
        row, column = np.unravel_index(int(mapped.argmax()), mapped.shape)
        # a dot of five pixels that is shrunk, and evened out, is brightest within three of its middle
        assert abs((column + 0.5) / mapped.shape[1] - across) < 3 / 64 * max(1, height / width)
        assert abs((row + 0.5) / mapped.shape[0] - down) < 3 / 64 * max(1, width / height)


def test_what_is_cut_off_has_no_relevance_and_the_border_is_no_picture() -> None:
    data, _, _ = _dotted(300, 150, 0.5, 0.5)
    cropped = sighted(data, "dot.png", View(ImageSettings(size=32, fit="crop")), CPU).frame
    ones = cropped.over_picture(torch.ones(1, 4, 4), 10, 40)[0]
    assert ones[:, :9].sum() == 0
    assert (ones[:, 12:28] == 1).all()
    padded = sighted(data, "dot.png", View(ImageSettings(size=32)), CPU)
    assert padded.frame == Frame(0, 0.25, 1, 0.75)
    pixels = padded.frame.over_pixels(torch.ones(1, 5, 10), 32)[0]
    assert torch.equal(pixels > 0, padded.pixels[0, 0] > 0)


@pytest.mark.parametrize(
    ("size", "wanted"), [((640, 480), (240, 320)), ((100, 30), (30, 100)), ((9000, 16), (1, 320))]
)
def test_pictures_are_small_enough_to_be_shown(size: tuple[int, int], wanted: tuple[int, int]) -> None:
    picture = picture_of(_png(np.full((size[1], size[0]), 90, np.uint8)), "grey.png")
    assert picture.shape == (*wanted, 3)
    assert picture.dtype == np.uint8
    assert max(picture.shape) <= LONGEST
    assert (picture == 90).all()


def test_a_picture_without_places_is_refused() -> None:
    with pytest.raises(InputError, match="40 x 15 pixels"):
        picture_of(_png(np.zeros((15, 40), np.uint8)), "small.png")
