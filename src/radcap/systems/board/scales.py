"""How large the systems of a board are made, so that all of them fit one machine.

Invariant: a scale only makes things smaller or puts what can be had in the place of what cannot; what it does
to a system is told with the result.
>>> stand_in("densenet161.tv_in1k"), stand_in("swin_base_patch4_window7_224.ms_in22k")
('tf_efficientnet_lite2', 'tf_efficientnet_lite2')
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from radcap.core import unknown_name

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["SCALES", "Scale", "Writing", "scale_of", "stand_in"]

_SIZES = ("tf_efficientnet_lite0", "tf_efficientnet_lite1", "tf_efficientnet_lite2")
# Published networks begin with weights of ImageNet that come from a hub. These begin with such weights too,
# and come as packages: three sizes, so that members of an ensemble that differed differ still.
_STAND_INS = (
    ("tf_efficientnet_lite0*", "tf_efficientnet_lite0"),
    ("tf_efficientnet_lite1*", "tf_efficientnet_lite1"),
    ("alexnet*", "tf_efficientnet_lite0"),
    ("*mobilenet*", "tf_efficientnet_lite0"),
    ("inception*", "tf_efficientnet_lite0"),
    ("resnet18*", "tf_efficientnet_lite0"),
    ("resnet50*", "tf_efficientnet_lite0"),
    ("*efficientnet_b0*", "tf_efficientnet_lite0"),
    ("*efficientnetv2_b0*", "tf_efficientnet_lite0"),
    ("densenet121*", "tf_efficientnet_lite1"),
    ("*efficientnet_b1*", "tf_efficientnet_lite1"),
    ("*efficientnetv2_s*", "tf_efficientnet_lite1"),
    ("resnext50*", "tf_efficientnet_lite1"),
    ("resnet101*", "tf_efficientnet_lite1"),
    ("convnext_tiny*", "tf_efficientnet_lite1"),
    ("*", "tf_efficientnet_lite2"),  # larger networks, transformers, towers of CLIP
)


@dataclass(frozen=True, slots=True)
class Writing:
    """The most of what captioners do beside looking."""

    epochs: int  # over captions, of a network that begins with weights
    rewarded: int = 1  # epochs of self-critical training, and of what refines captions
    samples: int = 4  # captions that are drawn for one image, or followed
    members: int = 3


@dataclass(frozen=True, slots=True)
class Scale:
    """The most of everything. Networks from nothing have limits of their own: they need more epochs."""

    name: str
    size: int  # pixels
    epochs: int
    members: int  # of an ensemble, the first of each architecture before the second
    frozen: bool  # whether networks that begin with weights keep them, and only what is above them is learnt
    batch: int  # the least
    rate: float  # the least learning rate from weights of ImageNet: stand-ins and short training want more
    scratch_size: int
    scratch_epochs: int
    spares_packaged: bool = False  # whether networks that need no stand-in are trained as their files say
    writing: Writing = field(default=Writing(epochs=10))


SCALES = {
    "small": Scale("small", 128, 20, 4, True, 64, 1e-3, 48, 5, writing=Writing(5, samples=2, members=2)),
    "large": Scale("large", 128, 10, 4, False, 64, 5e-4, 96, 20, spares_packaged=True),
    "published": Scale("published", 100_000, 100_000, 100_000, False, 1, 0.0, 100_000, 100_000),
}


def scale_of(name: str) -> Scale:
    """By its name; an unknown one is refused with the nearest."""
    if name not in SCALES:
        raise unknown_name("scale", name, SCALES)
    return SCALES[name]


def stand_in(name: str, beside: Collection[str] = ()) -> str:
    """The network with packaged weights that takes the place of a published one.

    Beside others it is the nearest in size that is not there yet.
    """
    nearest = next(one for pattern, one in _STAND_INS if fnmatch(name, pattern))
    place = _SIZES.index(nearest)
    order = sorted(_SIZES, key=lambda one: abs(_SIZES.index(one) - place))
    return next((one for one in order if one not in beside), nearest)
