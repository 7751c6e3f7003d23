"""A causal language model that is asked in words: as a chat, where its tokenizer has a template for one."""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from radcap.captioning.base_models.pretrained import load_language_model
from radcap.captioning.language.local_model import IGNORED, Example, LocalModel, on_device
from radcap.core import InputError

if TYPE_CHECKING:
    import torch

    from radcap.captioning.language.generator import Question

__all__ = ["CausalModel", "make_causal"]


class CausalModel(LocalModel):
    """What it writes follows the prompt, so a batch is filled up on the left."""

    SIDE: ClassVar[Literal["left", "right"]] = "left"

    @property
    def is_instructed(self) -> bool:
        return True

    @property
    def longest(self) -> int:
        """Prompt and text share the positions."""
        wanted = self.question.settings.longest
        return wanted if self.positions is None else min(wanted, self.positions // 2)

    @property
    def most(self) -> int | None:
        return None if self.positions is None else self.positions - self.longest

    def asked(self, prompt: str) -> list[int]:
        text = self.plain(prompt)
        if not self.words.chat_template:
            return self.words(text).input_ids
        said = [{"role": "user", "content": text}]
        try:
            return self.words.apply_chat_template(said, add_generation_prompt=True, return_dict=False)
        except Exception as error:  # a template is a program, and may end anyhow
            why = str(error).partition("\n")[0][:200].rstrip(".")
            raise InputError(
                f"The chat template of {self.question.folder} is refused: {why}. Give another model.",
                path=str(self.question.folder),
            ) from error

    def example(self, prompt: str, text: str) -> Example | None:
        before, after = self.asked(prompt), self.words(self.plain(text), add_special_tokens=False).input_ids
        after += [] if self.end is None else [self.end]
        if self.positions is not None and len(before) + len(after) > self.positions:
            return None
        return Example((*before, *after), (*[IGNORED] * len(before), *after))

    def written(self, found: torch.Tensor, width: int) -> torch.Tensor:
        return found[:, width:]


def make_causal(question: Question) -> CausalModel:
    """The model of a folder."""
    return on_device(CausalModel, load_language_model(question.folder), question)
