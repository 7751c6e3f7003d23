"""A vision-language model of transformers, asked about pictures.

Invariant: it answers greedily, so the same picture and question have the same answer.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from radcap.core import RadcapError
from radcap.detection.text.transformers_library import transformers_module, unopened
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from PIL.Image import Image

    from radcap.vision.training.devices import Place

__all__ = ["Question", "VisionLanguageModel", "turn"]

# their processors put the picture in front of the words themselves
_WITHOUT_SIGN = ("blip", "blip-2", "instructblip", "git", "pix2struct", "kosmos-2", "florence2")


@dataclass(frozen=True, slots=True)
class Question:
    """What a user says before a picture is shown, and after it."""

    before: str = ""
    after: str = ""


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
        with self.refusing():
            given = self.prepared(pictures, [Question(after=question)] * len(pictures))
            out = self.model.generate(**given, max_new_tokens=tokens, do_sample=False, num_beams=1)
        asked = given.get("input_ids")
        if asked is not None and torch.equal(out[:, : asked.shape[1]], asked):
            out = out[:, asked.shape[1] :]
        said = self.processor.batch_decode(out, skip_special_tokens=True)
        return [_without(question, one).strip() for one in said]

    @contextmanager
    def refusing(self) -> Generator[None]:
        """Parts of the folder that do not fit each other are refused when they are used."""
        try:
            with quiet(transformers_module()):
                yield
        except (RadcapError, torch.OutOfMemoryError):
            raise
        except Exception as error:  # transformers raises what its many parts raise
            raise unopened(self.folder, error) from error

    @property
    def chats(self) -> bool:
        """Whether the folder says how a chat looks."""
        return getattr(self.processor, "chat_template", None) is not None

    @property
    def has_sign(self) -> bool:
        """Whether the words say where the picture goes."""
        return self.chats or not (
            self.kind in _WITHOUT_SIGN or getattr(self.processor, "image_token", None) is None
        )

    def prepared(self, pictures: Sequence[Image], questions: Sequence[Question]) -> Any:  # noqa: ANN401 - of transformers
        """Pictures and questions as the model wants them, where it is, padded in front."""
        return self._given(pictures, questions).to(self.place.device, self.model.dtype)

    def _given(self, pictures: Sequence[Image], questions: Sequence[Question]) -> Any:  # noqa: ANN401 - of transformers
        """As a chat, where the folder says how one looks."""
        if not self.chats:
            texts = [self.plainly(one) for one in questions]
            return self.processor(images=list(pictures), text=texts, padding=True, return_tensors="pt")
        chats = [[turn(*both)] for both in zip(questions, pictures, strict=True)]
        return self.processor.apply_chat_template(
            chats,
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        )

    def plainly(self, question: Question) -> str:
        """The words before an answer, as LLaVA 1.5 has them; the sign stands where the picture goes."""
        if not self.has_sign:
            return " ".join(filter(None, (question.before, question.after)))
        before = f"{question.before} " if question.before else ""
        return f"USER: {before}{self.processor.image_token}\n{question.after} ASSISTANT:"


def turn(question: Question, picture: Image | None = None) -> dict[str, Any]:
    """What a user says, in the parts of a chat."""
    shown: dict[str, Any] = {"type": "image"} if picture is None else {"type": "image", "image": picture}
    words = [{"type": "text", "text": one} if one else None for one in (question.before, question.after)]
    return {"role": "user", "content": [one for one in (words[0], shown, words[1]) if one]}


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
