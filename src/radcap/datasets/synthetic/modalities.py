"""How each modality shows a body: its grey curve, its texture and the shape of its frame.

Invariant: a picture is grey values from 0 to 1; findings are drawn between `ground` and `finish`, so that the
frame and the noise of the modality cover them too.
"""

# ruff: noqa: PLR2004, since the numbers are those of a drawing

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

from radcap.datasets.synthetic.bodies import Body, Plane, clouds, oval

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LOOKS", "Look", "Scene", "hot_spots"]

_THINNEST = 0.016  # vessels that branch no further


@dataclass(frozen=True, slots=True)
class Scene:
    """What a modality looks at, and the chance by which it errs."""

    body: Body
    x: Plane
    y: Plane
    rng: np.random.Generator

    @property
    def size(self) -> int:
        return len(self.x)


@dataclass(frozen=True, slots=True)
class Look:
    """The two halves of a picture: what is under the findings, and what lies over them."""

    ground: Callable[[Scene], Plane]
    finish: Callable[[Plane, Scene], Plane]
    coloured: bool = False


def _noisy(grey: Plane, strength: float, rng: np.random.Generator) -> Plane:
    return grey + rng.standard_normal(grey.shape, np.float32) * np.float32(strength)


def _plain_ground(scene: Scene) -> Plane:
    tissue = 0.42 + 0.12 * clouds(scene.size, 5, scene.rng)
    return (0.05 + scene.body.soft * tissue * (1 - 0.7 * scene.body.air) + 0.42 * scene.body.bone).astype(
        np.float32
    )


def _plain_finish(grey: Plane, scene: Scene) -> Plane:
    return _noisy(grey, 0.015, scene.rng)


def _ct_ground(scene: Scene) -> Plane:
    """A slice: a ring of fat, organs of even grey, bright bone, black air."""
    organs = np.zeros_like(scene.x)
    for _ in range(5):
        at = scene.rng.uniform(-0.45, 0.45), scene.rng.uniform(-0.4, 0.4)
        organ = oval(scene.x, scene.y, at, (scene.rng.uniform(0.1, 0.26), scene.rng.uniform(0.1, 0.22)))
        organs = np.maximum(organs, organ * np.float32(scene.rng.uniform(0.05, 0.22)))
    rim = np.clip(1 - np.abs(scene.body.soft - 0.5) * 2, 0, 1)
    grey = scene.body.soft * (0.42 + organs) + 0.3 * rim
    grey = grey * (1 - 0.97 * (scene.body.air > 0.5))
    return np.maximum(grey, np.clip(scene.body.bone * 1.1, 0, 0.98) * (scene.body.bone > 0.3)).astype(
        np.float32
    )


def _ct_finish(grey: Plane, scene: Scene) -> Plane:
    table = (np.abs(scene.y - 0.93 + 0.08 * scene.x * scene.x) < 0.012) * np.float32(
        0.5
    )  # the couch below the patient
    field = np.hypot(scene.x, scene.y) < 0.99
    return _noisy(np.maximum(grey, table), 0.025, scene.rng) * field


def _mr_ground(scene: Scene) -> Plane:
    """Smooth folds, dark bone, a bright skin line; one coil is nearer than the other."""
    folds = np.sin(clouds(scene.size, 7, scene.rng) * 10)
    tissue = 0.5 + 0.16 * folds + 0.1 * clouds(scene.size, 4, scene.rng)
    skin = np.clip(1 - np.abs(scene.body.soft - 0.6) * 3, 0, 1)
    grey = scene.body.soft * tissue * (1 - 0.8 * np.clip(scene.body.bone, 0, 1)) * (1 - 0.6 * scene.body.air)
    return ((grey + 0.35 * skin) * (1.05 - 0.2 * scene.x)).astype(np.float32)


def _mr_finish(grey: Plane, scene: Scene) -> Plane:
    return np.abs(_noisy(grey, 0.02, scene.rng)) + 0.02


def _fan(x: Plane, y: Plane) -> Plane:
    """The sector below the probe."""
    depth = np.hypot(x, y + 1.25)
    angle = np.abs(np.arctan2(x, y + 1.25))
    return ((depth > 0.3) & (depth < 2.12) & (angle < 0.66)).astype(np.float32)


def _us_ground(scene: Scene) -> Plane:
    depth = np.hypot(scene.x, scene.y + 1.25)
    layers = 0.08 * np.sin(depth * 17 + 3 * clouds(scene.size, 3, scene.rng))
    holes = clouds(scene.size, 5, scene.rng) > 0.78
    grey = (0.4 + layers + 0.35 * scene.body.bone) * (1 - 0.8 * holes) * (1.15 - 0.3 * depth)
    return grey.astype(np.float32)


def _us_finish(grey: Plane, scene: Scene) -> Plane:
    """Speckle multiplies, and nothing is seen outside the fan."""
    size = scene.size
    spots = np.abs(scene.rng.standard_normal((size // 2 + 1, size // 2 + 1), np.float32))
    speckle = np.asarray(Image.fromarray(spots).resize((size, size), Image.Resampling.BILINEAR), np.float32)
    return grey * (0.25 + speckle) * _fan(scene.x, scene.y)


def _vessels(size: int, rng: np.random.Generator) -> Plane:
    """A tree of vessels: each branch winds on, gives off thinner ones and gets thinner itself."""
    tree = Image.new("L", (size, size))
    pen = ImageDraw.Draw(tree)
    branches = [(-0.55, -0.8, 0.9, 0.05)]
    while branches:
        px, py, angle, width = branches.pop()
        angles = angle + np.cumsum(rng.normal(0, 0.13, int(rng.integers(14, 26))))
        xs = px + np.append(0, np.cumsum(0.045 * np.cos(angles)))
        ys = py + np.append(0, np.cumsum(0.045 * np.sin(angles)))
        line = (np.stack([xs, ys], axis=1) + 1) / 2 * size
        pen.line([tuple(point) for point in line.tolist()], 255, max(1, round(width * size)), "curve")
        if width > _THINNEST:
            for at in range(7, len(angles), 8):
                turn = rng.choice((-1.0, 1.0)) * rng.uniform(0.4, 0.9)
                branches.append((xs[at], ys[at], angles[at] + turn, width * 0.68))
        if width > 2 * _THINNEST:
            branches.append((xs[-1], ys[-1], angles[-1], width * 0.72))
    return np.asarray(tree, np.float32) / 255


def _an_ground(scene: Scene) -> Plane:
    """Contrast medium is dark on a light ground."""
    ground = 0.66 + 0.1 * clouds(scene.size, 4, scene.rng) - 0.1 * scene.body.bone - 0.06 * scene.body.soft
    return (ground * (1 - 0.72 * _vessels(scene.size, scene.rng))).astype(np.float32)


def _an_finish(grey: Plane, scene: Scene) -> Plane:
    blades = (np.abs(scene.x) < 0.97) & (np.abs(scene.y) < 0.97) & (np.abs(scene.x) + np.abs(scene.y) < 1.75)
    return _noisy(grey, 0.03, scene.rng) * blades


def hot_spots(scene: Scene) -> Plane:
    """Uptake: a faint body and a few hot spots."""
    uptake = 0.16 * scene.body.soft
    for _ in range(int(scene.rng.integers(2, 5))):
        at = scene.rng.normal(0, 0.28, 2)
        spread = scene.rng.uniform(0.05, 0.1)
        uptake = uptake + scene.rng.uniform(0.5, 0.9) * np.exp(
            -((scene.x - at[0]) ** 2 + (scene.y - at[1]) ** 2) / spread**2
        )
    return np.clip(uptake, 0, 1).astype(np.float32)


def _pet_ground(scene: Scene) -> Plane:
    return 0.96 - 0.9 * hot_spots(scene)


def _pet_finish(grey: Plane, scene: Scene) -> Plane:
    """Few counts: coarse noise."""
    return grey + 0.1 * (clouds(scene.size, max(8, scene.size // 4), scene.rng) - 0.5)


def _oct_ground(scene: Scene) -> Plane:
    """Layers of the retina, one below the other, with a pit in the middle."""
    wave = 0.1 * np.sin(1.5 * scene.x + scene.rng.uniform(0, 6)) + 0.22 * np.exp(-((scene.x / 0.25) ** 2)) * (
        scene.y < 0.1
    )
    depth = scene.y - wave
    layers = 0.45 + 0.35 * np.sin(depth * 21)
    inside = (depth > -0.35) & (depth < 0.55)
    below = np.exp(-np.clip(depth - 0.55, 0, 2) * 4) * 0.35 * (depth >= 0.55)
    return (0.04 + layers * inside + below).astype(np.float32)


def _oct_finish(grey: Plane, scene: Scene) -> Plane:
    return grey * (0.55 + 0.6 * scene.rng.random(grey.shape, np.float32))


# in the order of `MODALITY_CODES`
LOOKS = (
    Look(_ct_ground, _ct_finish),
    Look(_plain_ground, _plain_finish),
    Look(_mr_ground, _mr_finish),
    Look(_us_ground, _us_finish),
    Look(_an_ground, _an_finish),
    Look(_ct_ground, _ct_finish, coloured=True),
    Look(_pet_ground, _pet_finish),
    Look(_oct_ground, _oct_finish),
)
