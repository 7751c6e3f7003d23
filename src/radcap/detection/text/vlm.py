"""A vision-language model of transformers, asked about pictures.

Invariant: it answers greedily, so the same picture and question have the same answer.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from radcap.detection.text.transformers_library import transformers_module, unopened
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PIL.Image import Image

    from radcap.vision.training.devices import Place

__all__ = ["VisionLanguageModel"]

# their processors put the picture in front of the words themselves
_WITHOUT_SIGN = ("blip", "blip-2", "instructblip", "git", "pix2struct", "kosmos-2", "florence2")


@dataclass(frozen=True, eq=False)
class VisionLanguageModel:
    """A model with its processor. `kind` is its type, as config.json names it."""

    processor: Any
    model: Any
    kind: str
    place: Place
    folder: Path

    @torch.inference_mode()
    def ask(self, pictures: Sequence[Image], question: str, tokens: int) -> list[str]:
        """An answer for each picture, of so many tokens at most."""
        try:
            given, out = self._written(pictures, question, tokens)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise unopened(self.folder, error) from error
        asked = given.get("input_ids")
        if asked is not None and torch.equal(out[:, : asked.shape[1]], asked):
            out = out[:, asked.shape[1] :]
        said = self.processor.batch_decode(out, skip_special_tokens=True)
        return [_without(question, one).strip() for one in said]

    def _written(self, pictures: Sequence[Image], question: str, tokens: int) -> tuple[Any, torch.Tensor]:
        """What the model was given, and the tokens that it wrote."""
        given = self._prepared(pictures, question).to(self.place.device, self.model.dtype)
        with quiet(transformers_module()):
            return given, self.model.generate(**given, max_new_tokens=tokens, do_sample=False, num_beams=1)

    def _prepared(self, pictures: Sequence[Image], question: str) -> Any:  # noqa: ANN401 - of transformers
        """Pictures and question as the model wants them: as a chat, where its folder says how one looks."""
        if getattr(self.processor, "chat_template", None) is None:
            texts = [self._prompt(question)] * len(pictures)
            return self.processor(images=list(pictures), text=texts, padding=True, return_tensors="pt")
        chats = [
            [
                {
                    "role": "user",
                    "content": [{"type": "image", "image": one}, {"type": "text", "text": question}],
                }
            ]
            for one in pictures
        ]
        return self.processor.apply_chat_template(
            chats,
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        )

    def _prompt(self, question: str) -> str:
        """The words before an answer, as LLaVA 1.5 has them; the sign stands where the picture goes."""
        sign = getattr(self.processor, "image_token", None)
        if self.kind in _WITHOUT_SIGN or sign is None:
            return question
        return f"USER: {sign}\n{question} ASSISTANT:"


def _without(question: str, answer: str) -> str:
    """BLIP repeats what it is asked, in letters of its own."""
    letters = "".join(question.split()).casefold()
    place = 0
    for end, sign in enumerate(answer):
        if place == len(letters):
            return answer[end:]
        if not sign.isspace():
            if sign.casefold() != letters[place]:
                return answer
            place += 1
    return "" if letters and place == len(letters) else answer
