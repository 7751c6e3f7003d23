"""The tables of a system file that say how another model is asked for boxes.

Invariant: a table is a frozen value with a default for every key, and a number out of its range is refused.
Nothing here is secret: a key for an endpoint comes from the environment and never from a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from radcap.vision.ranges import ABOVE_ZERO, SHARE, Range, check_ranges

__all__ = ["PHRASES", "EntitySettings", "ProviderSettings", "SegmenterSettings", "SpatialSettings"]

PHRASES = "{phrases}"  # what stands for the phrases in a prompt

_COUNT = Range(1, 100, "Give 1 to 100.")
_FEW = Range(0, 10, "Give 0 to 10.")
_POINTS = Range(0, 32, "Give 0 to 32.")
_SIDE = Range(64, 4096, "Give 64 to 4096 pixels.")
_PART = Range(0, 1, "Give a number above 0, and 1 at most.", open_low=True)


@dataclass(frozen=True, slots=True)
class EntitySettings:
    """`[entities]`: which words of a caption are looked for in the picture."""

    extractor: Literal["vocabulary"] = "vocabulary"  # the linker of radcap
    groups: tuple[str, ...] = ("ANAT", "DISO", "DEVI")  # semantic groups; without a type is always in
    negated: bool = False  # look for what the caption says is not there
    most: int = 12  # entities of one caption

    def __post_init__(self) -> None:
        check_ranges(self, {"most": _COUNT})


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """`[provider]`: who gives the boxes."""

    kind: str = ""  # openai, detector or spatial
    model: str = ""  # openai: its name at the endpoint; detector: a folder
    endpoint: str = ""  # openai: the address; else RADCAP_ENDPOINT of the environment
    plain_http: bool = False  # openai: allow http to another machine, where anybody may listen
    prompt: str = ""  # openai: in place of ours; {phrases} stands for what is looked for
    timeout_s: float = 60.0  # openai: of one request
    retries: int = 2  # openai: when it is busy or broken
    side: int = 1024  # openai: a larger picture is sent smaller
    threshold: float = 0.1  # boxes below this score are left out
    most: int = 3  # boxes of one phrase

    def __post_init__(self) -> None:
        ranges = {"timeout_s": ABOVE_ZERO, "retries": _FEW, "side": _SIDE, "threshold": SHARE, "most": _COUNT}
        told = not self.prompt or PHRASES in self.prompt
        wrong = f"The prompt does not say what to look for. Write {PHRASES} where the phrases belong."
        check_ranges(self, ranges, () if told else (wrong,))


@dataclass(frozen=True, slots=True)
class SegmenterSettings:
    """`[segmenter]`: a model that makes a mask of each box."""

    model: str = ""  # a folder of SAM; no masks without one
    points: int = 0  # key points in the box that it is told too

    def __post_init__(self) -> None:
        check_ranges(self, {"points": _POINTS})


@dataclass(frozen=True, slots=True)
class SpatialSettings:
    """`[spatial]`: places that words and drawn arrows name."""

    words: bool = False  # boxes lie where side and level words say; without a box the place stands for it
    arrows: bool = False  # where the caption names an arrow, what it points at counts
    overlap: float = 0.25  # words: part of a box that has to lie in the place
    size: float = 0.2  # arrows: side of the box around what one points at, as a part of the picture
    score: float = 0.2  # of a box that words or an arrow stand for

    def __post_init__(self) -> None:
        check_ranges(self, {"overlap": SHARE, "size": _PART, "score": _PART})
