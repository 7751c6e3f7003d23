"""What `[text]` of a system file may say: concepts by way of words.

Words come from a captioner, from a vision-language model that is asked, or from the dataset itself; concepts
come from an extractor, from a classifier of texts, or from a parser of lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from radcap.core import UsageError

__all__ = ["Text"]

_MOST_TOKENS = 10_000


@dataclass(frozen=True, slots=True)
class Text:
    """`words` says what an image is told by: `dataset` (its own captions), a captioner (`zoo:NAME` or the
    path of a model folder), or `vlm:PATH`, a folder of a vision-language model of transformers."""

    words: str = "zoo:captions"
    reader: Literal["extractor", "classifier", "parser"] = "extractor"
    extractor: str = "dictionary"  # extractor: its name, as `radcap vocab link --extractor` has it
    options: Mapping[str, str] = field(default_factory=dict[str, str])  # extractor: as on the command line
    captions: str = "any"  # dataset and classifier: which source of captions is learnt from
    prompt: str = ""  # vlm: what the model is asked; empty is radcap's own question
    tokens: int = 96  # vlm: the most that are written
    cutoff: float = 0.85  # parser: how like a name must be to be taken for it, from 0 to 1

    def __post_init__(self) -> None:
        if not self.words:
            raise UsageError("words is empty. Write dataset, zoo:NAME, a model folder, or vlm:FOLDER.")
        if not 1 <= self.tokens <= _MOST_TOKENS:
            raise UsageError(f"tokens is {self.tokens}. Give 1 to {_MOST_TOKENS:,}.")
        if not 0 < self.cutoff <= 1:
            raise UsageError(f"cutoff is {self.cutoff}. Give a number above 0, and 1 at most.")
