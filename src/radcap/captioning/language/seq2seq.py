"""A language model that turns one text into another: T5 and Flan-T5, BART, Pegasus."""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from radcap.captioning.base_models.pretrained import load_model
from radcap.captioning.language.local_model import Example, LocalModel, on_device

if TYPE_CHECKING:
    import torch

    from radcap.captioning.language.generator import Question

__all__ = ["Seq2SeqModel", "make_seq2seq"]


class Seq2SeqModel(LocalModel):
    """What it writes stands alone."""

    SIDE: ClassVar[Literal["left", "right"]] = "right"

    @property
    def is_instructed(self) -> bool:
        """Flan-T5 is, and most are not: an instruction would become a part of the text."""
        return False

    @property
    def longest(self) -> int:
        """The mark that a text begins with has a position too."""
        wanted = self.question.settings.longest
        return wanted if self.positions is None else min(wanted, self.positions - 1)

    @property
    def most(self) -> int | None:
        return self.positions

    def asked(self, prompt: str) -> list[int]:
        return self.words(self.plain(prompt)).input_ids

    def example(self, prompt: str, text: str) -> Example | None:
        read, written = self.asked(prompt), self.words(self.plain(text), add_special_tokens=True).input_ids
        if self.positions is not None and max(len(read), len(written)) > self.positions:
            return None
        return Example(tuple(read), tuple(written))

    def written(self, found: torch.Tensor, width: int) -> torch.Tensor:  # noqa: ARG002 - as of all models
        return found


def make_seq2seq(question: Question) -> Seq2SeqModel:
    """The model of a folder."""
    model = load_model(question.folder, "AutoModelForSeq2SeqLM", "an encoder-decoder language model")[0]
    return on_device(Seq2SeqModel, model, question)
