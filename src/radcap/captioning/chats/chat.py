"""A chat model with its tokenizer: pictures and questions in, logits of answers out.

Invariant: pictures are n x 3 x h x w, 0 to 255, as a view shows them; how they are scaled and cut into
patches is the matter of the model's own processor.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from PIL import Image

from radcap.captioning.chats.appending import appended
from radcap.captioning.chats.chat_tokenizer import ChatTokenizer, chat_tokenizer, without_marks
from radcap.core import UsageError
from radcap.detection.text.vlm import Question
from radcap.detection.text.vlm_folder import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.captioning.chats.appending import Answered
    from radcap.detection.text.vlm import VisionLanguageModel
    from radcap.vision.training import Place

__all__ = ["Chat", "chat_of", "image_token"]


@dataclass(frozen=True, eq=False)
class Chat:
    """Any model of transformers that is shown images and writes text."""

    vlm: VisionLanguageModel
    tokenizer: ChatTokenizer

    @property
    def model(self) -> Any:  # noqa: ANN401 - of transformers
        return self.vlm.model

    @property
    def place(self) -> Place:
        return self.vlm.place

    def over(self, model: Any) -> Chat:  # noqa: ANN401 - of transformers
        """The same over another network of the same shape."""
        return replace(self, vlm=replace(self.vlm, model=model))

    def asked(self, pixels: torch.Tensor, questions: Sequence[Question]) -> dict[str, Any]:
        """What the network is given of a batch; prompts are padded in front."""
        clean = [Question(*(self._clean(one) for one in (some.before, some.after))) for some in questions]
        with self.vlm.refusing():
            return dict(self.vlm.prepared(_pictures(pixels), clean))

    def _clean(self, text: str) -> str:
        return " ".join(without_marks(self.tokenizer.tokenizer, text).split())

    def answered(
        self, pixels: torch.Tensor, questions: Sequence[Question], answers: Sequence[Sequence[int]]
    ) -> Answered:
        """The same with the tokens of an answer behind each question."""
        self.check_reads()
        return appended(self.asked(pixels, questions), answers, self.tokenizer.pad)

    def logits(self, network: Callable[..., Any], answered: Answered, **more: object) -> Any:  # noqa: ANN401 - as above
        """What the network, this one or a wrapped one, says; logits are rows x kept x size."""
        if "logits_to_keep" in inspect.signature(self.model.forward).parameters:
            more["logits_to_keep"] = answered.kept
        with self.vlm.refusing(), self.place.autocast():
            told = network(**answered.given, use_cache=False, return_dict=True, **more)
        told.logits = told.logits[:, -answered.kept :]
        return told

    def check_reads(self) -> None:
        """Refuse a model whose answers cannot be read at once with their prompts."""
        if not self.vlm.has_sign or getattr(self.model.config, "is_encoder_decoder", False):
            raise UsageError(
                f"A {self.vlm.kind} looks at the picture beside its words, and not inside of them: it can be"
                ' asked, and no more. Write [decoder] kind = "blip", "q-former" or "encoder-decoder" to train'
                " or explain it."
            )


def chat_of(vlm: VisionLanguageModel) -> Chat:
    """A model that was opened, as a chat; one whose processor marks the image as another model would is
    refused."""
    model: Any = vlm.model
    # what a folder says of how to write is for [generate] to say
    kept = {name: getattr(model.generation_config, name) for name in ("bos_token_id", "eos_token_id")}
    kept |= {"pad_token_id": model.generation_config.pad_token_id}
    kept |= {"decoder_start_token_id": getattr(model.generation_config, "decoder_start_token_id", None)}
    model.generation_config = type(model.generation_config)(**kept)
    chat = Chat(vlm, chat_tokenizer(vlm))
    if vlm.has_sign:
        _check_sign(chat)
    return chat


def image_token(chat: Chat) -> int | None:
    """The token in whose places the network puts the image."""
    config = chat.model.config
    found = getattr(config, "image_token_id", None)
    return getattr(config, "image_token_index", None) if found is None else found


def _check_sign(chat: Chat) -> None:
    """Of one grey picture."""
    grey = torch.full((1, 3, 64, 64), 128.0)
    given, token = chat.asked(grey, [Question(after="?")]), image_token(chat)
    if token is not None and not bool((given["input_ids"] == token).any()):
        known = chat.tokenizer.tokenizer.convert_ids_to_tokens(token)
        why = f"its config.json puts the image where token {token} ({known!r}) stands, and its processor"
        raise refused(chat.vlm.folder, f"{why} writes none", "Get config and processor of one model")


def _pictures(pixels: torch.Tensor) -> list[Image.Image]:
    """As processors like them."""
    values = pixels.detach().float().round().clamp(0, 255).to("cpu", torch.uint8)
    return [Image.fromarray(np.ascontiguousarray(one.permute(1, 2, 0).numpy())) for one in values]
