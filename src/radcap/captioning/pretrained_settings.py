"""`[pretrained]`: a model that others published, as a part of a captioner.

Invariant: nothing is fetched; a model is a folder here, a repository that the Hugging Face cache holds, or a
geometry with random weights.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from radcap.core import UsageError
from radcap.vision.ranges import ABOVE_ZERO, BELOW_ONE, ZERO_OR_MORE, check_ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PRETRAINED", "PretrainedSettings", "fits", "named_by"]

# Kinds of [decoder] that begin with a model of others, eyes and words in one.
PRETRAINED = ("encoder-decoder", "blip", "q-former", "chat")


_FROZEN = re.compile(r"[^\s:]+(:[1-9]\d{0,5})?")


@dataclass(frozen=True, slots=True)
class PretrainedSettings:
    """What it is, which of its weights learn, and how."""

    model: str = ""  # a folder, or a repository (OWNER/NAME) in the Hugging Face cache
    eyes: str = ""  # encoder-decoder: the same for the image encoder, where `model` is the text side alone
    geometry: Literal["", "tiny", "small"] = ""  # in place of a model: one of the kind with random weights
    # Weights that do not learn, by name: * is any part, and `decoder.*:300` the first 300 of those
    freeze: tuple[str, ...] = ()
    train: bool = True  # false asks the model as it is: nothing is learnt
    lora: int = 0  # rank of the weights that are learnt beside it, in place of its own; 0 learns its own
    lora_alpha: float = 16.0
    lora_drop: float = 0.05
    lora_layers: tuple[str, ...] = ()  # names of layers; none is those of attention

    def __post_init__(self) -> None:
        if self.model and self.geometry:
            raise UsageError(
                f"model is {self.model!r}, and geometry is {self.geometry!r}: one or the other. Delete one."
            )
        wrong = [
            f"freeze holds {one!r}. Write a name of weights, with * for any part and :300 for the first 300."
            for one in self.freeze
            if not _FROZEN.fullmatch(one)
        ]
        check_ranges(self, {"lora": ZERO_OR_MORE, "lora_alpha": ABOVE_ZERO, "lora_drop": BELOW_ONE}, wrong)


def fits(name: str, pattern: str) -> bool:
    """Whether a name is what a pattern says, where `*` is any part."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


def named_by(names: Sequence[str], pattern: str) -> list[str]:
    """The names that a pattern means: `*` is any part, and `:300` keeps the first 300 of them.

    >>> named_by(["eyes.a", "eyes.b", "text.a"], "eyes.*:1")
    ['eyes.a']
    """
    shape, _, count = pattern.partition(":")
    found = [name for name in names if fits(name, shape)]
    if not count:
        return found
    return found[: int(count)] if count.isdecimal() else []
