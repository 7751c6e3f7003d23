"""The tables of a system file that say how captions are read, learnt and written.

Invariant: a table is a frozen value with a default for every key; what a key means stands beside it, and a
number out of its range is refused. Those of image, backbone, head and loop are `vision.settings`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from radcap.core import UsageError
from radcap.detection.system import DataSettings
from radcap.vision.ranges import ABOVE_ZERO, BELOW_ONE, SHARE, ZERO_OR_MORE, Range, check_ranges
from radcap.vision.settings import TrainSettings

__all__ = [
    "CONCEPTS",
    "IMAGE",
    "MODALITY",
    "NEIGHBOURS",
    "CaptionDataSettings",
    "CaptionLossSettings",
    "CaptionTrainSettings",
    "ConditionSettings",
    "DecoderSettings",
    "DetectorSettings",
    "GenerateSettings",
    "JointSettings",
    "LanguageSettings",
    "PostSettings",
    "ScstSettings",
    "TokenizerSettings",
]

CONCEPTS = "{concepts}"  # what stands for their names in a prompt
NEIGHBOURS = "{neighbours}"  # the same for their captions
MODALITY = "{modality}"  # the same for the modality that is decided for
IMAGE = "{image}"  # where the image stands in the prompt of a chat

_COUNT = Range(1, float("inf"), "Give 1 or more.")
_FEW = Range(1, 64, "Give 1 to 64.")
_TOKENS = Range(4, 1024, "Give 4 to 1024 tokens.")
_VOCABULARY = Range(260, 100_000, "Give 260 (the bytes and the marks) to 100,000 tokens.")
_FACTOR = Range(0.25, 16, "Give a factor from 0.25 to 16.")


@dataclass(frozen=True, slots=True)
class CaptionDataSettings(DataSettings):
    """`[data]`: which images, captions and labels are learnt from."""

    captions: Literal["any", "original", "composed", "translated", "generated"] = "any"  # any: the first one
    words: int = 200  # a longer caption is cut there, and counted
    english: bool = True  # captions in other languages are left out, and counted
    least: int = 0  # only captions of so many words are learnt from
    most: int = 0  # and of no more than so many; 0 is any
    memory: str = ""  # nearest: the dataset that is remembered; none is the training split

    def __post_init__(self) -> None:
        DataSettings.__post_init__(self)  # super() does not know its class where slots are made
        lot = f"monte_carlo is {self.monte_carlo}, and captioners choose epochs on the held split. Delete it."
        empty = f"least is {self.least}, and most is {self.most}. Give the smaller first."
        wrong = [lot] * bool(self.monte_carlo) + [empty] * (0 < self.most < self.least)
        check_ranges(self, {"words": _COUNT, "least": ZERO_OR_MORE, "most": ZERO_OR_MORE}, wrong)


@dataclass(frozen=True, slots=True)
class TokenizerSettings:
    """`[tokenizer]`: pieces of words; learnt from the captions, or somebody else's."""

    size: int = 2000  # of the vocabulary that is learnt
    file: str = ""  # a tokenizer.json, or a folder that holds one, in place of learning

    def __post_init__(self) -> None:
        check_ranges(self, {"size": _VOCABULARY})


@dataclass(frozen=True, slots=True)
class DecoderSettings:
    """`[decoder]`: what writes the caption."""

    kind: str = "transformer"
    width: int = 256
    layers: int = 3
    heads: int = 4  # transformer, prefix
    factor: float = 4.0  # transformer, prefix: the inner width of a layer, in widths
    drop: float = 0.1
    attention: bool = True  # lstm, gru: look at the image anew for each word
    longest: int = 80  # tokens a caption may have
    grid: int = 0  # the image is told in so many by so many vectors; 0 in as many as the backbone gives
    bridge: Literal["linear", "q-former"] = "linear"  # from what the image looks like to what is read
    queries: int = 32  # q-former: vectors that the image is told in
    bridge_layers: int = 2  # q-former
    model: str = ""  # lm: zoo name or folder of the language model
    lora: int = 8  # lm: rank of the weights that are learnt beside it; 0 learns none
    lora_alpha: float = 16.0  # lm
    lora_mlp: bool = False  # lm: beside the layers after attention too, at 2.6 times the size
    words: int = 26  # words: so many of the most probable
    neighbours: int = 1  # nearest: of more than one, the caption that agrees most with the others

    def __post_init__(self) -> None:
        counts = ("width", "layers", "words", "neighbours", "queries", "bridge_layers")
        others = {"heads": _FEW, "factor": _FACTOR, "drop": BELOW_ONE, "longest": _TOKENS}
        more = {"lora": ZERO_OR_MORE, "lora_alpha": ABOVE_ZERO, "grid": ZERO_OR_MORE}
        ranges = dict.fromkeys(counts, _COUNT) | others | more
        whole = self.heads < 1 or self.width % self.heads == 0
        wrong = f"width is {self.width}, and heads is {self.heads}. Heads must divide the width."
        check_ranges(self, ranges, () if whole else (wrong,))


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """`[detector]`: a concept model whose answers, and perhaps eyes, the captioner uses."""

    model: str = ""  # zoo name or folder; none without one
    share: bool = True  # its backbone looks for the captioner too, and is not trained
    system: str = ""  # in place of a model a concept system, by name or file, which is trained first


@dataclass(frozen=True, slots=True)
class ConditionSettings:
    """`[condition]`: what the decoder is told beside the image."""

    concepts: Literal["none", "modality", "all"] = "none"  # those that the detector decides for
    drop: float = 0.0  # training: part of the true concepts that it is not told
    add: float = 0.0  # training: probability of a wrong concept
    neighbours: int = 0  # captions of so many nearest training images
    alike: float = 0.0  # neighbours: only images whose concepts have at least this cosine with those decided
    clusters: int = 0  # neighbours: looked for inside of so many clusters of concepts; 0 looks everywhere
    # lm, and models of others: words before the caption; {concepts}, {neighbours} and {modality} stand for
    # their texts, and in a chat {image} for the image
    prompt: str = ""

    def __post_init__(self) -> None:
        shares = dict.fromkeys(("drop", "add", "alike"), SHARE)
        check_ranges(self, shares | {"neighbours": ZERO_OR_MORE, "clusters": ZERO_OR_MORE})

    @property
    def tells_modality(self) -> bool:
        """Whether the prompt names it."""
        return MODALITY in self.prompt

    @property
    def asks(self) -> bool:
        """Whether any of it is a detector's word."""
        return self.concepts != "none" or self.neighbours > 0 or self.tells_modality


@dataclass(frozen=True, slots=True)
class CaptionLossSettings:
    """`[loss]`: cross-entropy of the next token."""

    smoothing: float = 0.1

    def __post_init__(self) -> None:
        check_ranges(self, {"smoothing": BELOW_ONE})


@dataclass(frozen=True, slots=True)
class JointSettings:
    """`[joint]`: what the encoder learns beside the caption, by weight; 0 is not learnt."""

    caption: float = 1.0
    concepts: float = 0.0
    types: float = 0.0  # the semantic types of the concepts
    modality: float = 0.0
    region: float = 0.0
    direction: float = 0.0

    def __post_init__(self) -> None:
        names = ("caption", "concepts", "types", "modality", "region", "direction")
        check_ranges(self, dict.fromkeys(names, ZERO_OR_MORE))


@dataclass(frozen=True, slots=True)
class CaptionTrainSettings(TrainSettings):
    """`[train]`: the loop, with what is measured after each epoch."""

    watch: Literal["f1", "score", "loss"] = "loss"  # f1 is a score too
    score: str = ""  # a caption metric of greedy captions of the held-out split; none is quicker

    def __post_init__(self) -> None:
        wrong = self.watch != "loss" and not self.score
        TrainSettings.__post_init__(self)  # super() does not know its class where slots are made
        if wrong:
            raise UsageError(f"watch is {self.watch!r}, and no score is measured. Give score, like rouge1.")


@dataclass(frozen=True, slots=True)
class LanguageSettings:
    """`[language]`: what the decoder reads before it sees an image."""

    text: str = ""  # a text file, a caption a line, or a CSV with a column Caption
    epochs: int = 0
    batch: int = 64
    lr: float = 1e-3

    def __post_init__(self) -> None:
        check_ranges(self, {"epochs": ZERO_OR_MORE, "batch": _COUNT, "lr": ABOVE_ZERO})


@dataclass(frozen=True, slots=True)
class ScstSettings:
    """`[scst]`: self-critical training, with a metric of radcap as the reward."""

    epochs: int = 0
    metric: str = "cider"
    batch: int = 64
    lr: float = 1e-5
    samples: int = 1  # drawn for each image
    baseline: Literal["greedy", "mean"] = "greedy"  # held against the greedy caption, or the other samples
    top_k: int = 50  # 0 draws from all tokens
    temperature: float = 1.0
    mix: float = 0.0  # part of the loss that stays cross-entropy

    def __post_init__(self) -> None:
        ranges = {"epochs": ZERO_OR_MORE, "batch": _COUNT, "lr": ABOVE_ZERO, "samples": _FEW}
        alone = self.baseline == "mean" and self.samples == 1
        wrong = ("baseline is 'mean', and samples is 1: there is no other. Draw 2 or more.",) if alone else ()
        check_ranges(self, ranges | {"top_k": ZERO_OR_MORE, "temperature": ABOVE_ZERO, "mix": SHARE}, wrong)


@dataclass(frozen=True, slots=True)
class GenerateSettings:
    """`[generate]`: how a caption is chosen among all that could be written."""

    method: Literal["greedy", "beam", "sample", "mbr"] = "beam"
    beams: int = 4  # beam: captions that are followed; mbr without samples: those that are weighed
    length_penalty: float = 1.0  # beam: the sum of log probabilities is divided by length to this power
    samples: int = 0  # mbr: captions drawn; 0 takes the beams. sample: 1 unless more are asked for
    temperature: float = 1.0  # sample, mbr
    top_k: int = 0  # sample, mbr; 0 is off
    top_p: float = 1.0  # sample, mbr
    metric: str = "rouge1"  # mbr: how two captions agree
    no_repeat: int = 3  # words: no run of so many tokens comes twice; 0 is off
    shortest: int = 3  # tokens before a caption may end
    longest: int = 60  # tokens before it must
    seed: int = 0
    supported: bool = False  # no finding is named that the detector does not support
    support: float = 0.5  # probability from which it does
    dmmcs: float = 0.0  # weight of the distance to the decided concepts against likelihood; 0 is off

    def __post_init__(self) -> None:
        counts = ("length_penalty", "samples", "top_k", "no_repeat", "shortest")
        others = {"beams": _FEW, "temperature": ABOVE_ZERO, "longest": _COUNT, "support": SHARE}
        others |= {"dmmcs": BELOW_ONE}
        share = Range(0, 1, "Give a number above 0, and 1 at most.", open_low=True)
        wrong = f"shortest is {self.shortest}, and longest is {self.longest}. Give the smaller first."
        ranges = dict.fromkeys(counts, ZERO_OR_MORE) | others | {"top_p": share}
        check_ranges(self, ranges, () if self.shortest <= self.longest else (wrong,))


@dataclass(frozen=True, slots=True)
class PostSettings:
    """`[post]`: what is done to the words at the end."""

    words: int = 55  # a longer caption ends with its last whole sentence or clause before
    fallback: str = "Radiology image."  # where nothing else can be said
    prefixes: tuple[str, ...] = ()  # taken away where a caption begins with them, in any letters
    modality: bool = False  # other names of a modality become the one that most captions use

    def __post_init__(self) -> None:
        empty = () if self.fallback.strip() else ("fallback is empty. Give a sentence.",)
        check_ranges(self, {"words": _COUNT}, empty)
