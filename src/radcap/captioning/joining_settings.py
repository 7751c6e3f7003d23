"""The tables that make one caption of several: `[join]`, `[rerank]`, `[refine]`.

Invariant: an endpoint is asked only where a system or its user names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from radcap.vision.ranges import ABOVE_ZERO, SHARE, ZERO_OR_MORE, Range, check_ranges

__all__ = ["JoinSettings", "RefineSettings", "RerankSettings"]

_COUNT = Range(1, float("inf"), "Give 1 or more.")
_PARALLEL = Range(1, 64, "Give 1 to 64.")


@dataclass(frozen=True, slots=True)
class JoinSettings:
    """`[join]`: how the captions of members become one.

    pool: all of them are drafts, and [rerank] or [refine] chooses; without one, the draft that agrees most
    with the others. router: a learner says by the image which member is asked: the one that learnt from
    captions as long (its [data] least and most) as the image's would be. concatenate: one after another.
    """

    rule: Literal["pool", "router", "concatenate"] = "pool"
    learner: str = "svm"  # router: by a name of the table of learners
    append: tuple[str, ...] = ()  # members whose captions follow the one that was chosen


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """`[rerank]`: which of several drafts is taken, by a name of the table of rerankers."""

    by: str = "none"  # none, alignment (image and text), consensus (drafts agree), centroid (mean of vectors)
    model: str = ""  # alignment: folder of a dual encoder; centroid: of a text encoder; none learns its own
    metric: str = "rouge1"  # consensus


@dataclass(frozen=True, slots=True)
class RefineSettings:
    """`[refine]`: a language model has the last word.

    rewrite: of the caption, or of the nearest image's where that is similar enough. summarise: of the
    neighbours' captions. fuse: of the drafts. align: from a caption to what the true one would be, learnt.
    """

    kind: Literal["none", "rewrite", "summarise", "fuse", "align"] = "none"
    # folder of a language model, a repository (OWNER/NAME) in the Hugging Face cache, a base by name, or the
    # endpoint's name of one; `consensus` needs none: the text is taken that agrees most with the others
    model: str = ""
    endpoint: str = ""  # an OpenAI-compatible address, asked in place of a local model
    # in place of ours; {caption}, {captions}, {neighbours}, {concepts} and {modality} stand for their texts
    prompt: str = ""
    similar: float = 0.0  # rewrite: from this cosine on, the nearest image's caption is what is rewritten
    longest: int = 100  # tokens
    temperature: float = 0.0  # 0 writes what is likeliest
    epochs: int = 0  # learns from the captions of the training split; 0 asks the model as it is
    batch: int = 16
    lr: float = 1e-4
    timeout_s: float = 60.0  # endpoint
    retries: int = 3  # endpoint
    parallel: int = 4  # endpoint: questions at a time
    plain_http: bool = False  # endpoint: allow http beyond this machine

    def __post_init__(self) -> None:
        ranges = dict.fromkeys(("longest", "batch"), _COUNT) | dict.fromkeys(("lr", "timeout_s"), ABOVE_ZERO)
        ranges |= dict.fromkeys(("temperature", "epochs", "retries"), ZERO_OR_MORE)
        check_ranges(self, ranges | {"similar": SHARE, "parallel": _PARALLEL})
