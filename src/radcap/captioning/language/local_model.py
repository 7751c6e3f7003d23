"""What local language models have in common: a folder in the layout of Hugging Face, asked batch by batch.

Invariant: prompts of about one length are asked together, and the replies come in the order of the prompts; a
prompt never holds a mark of the tokenizer, whatever is spelled in it. What is too long for the model is told,
and not cut.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import torch

from radcap.captioning.base_models.pretrained import transformers_module
from radcap.captioning.language.generator import Reply
from radcap.core import InputError
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from radcap.captioning.language.generator import Question

__all__ = ["IGNORED", "Example", "LocalModel", "on_device", "open_words"]

Model = TypeVar("Model", bound="LocalModel")
IGNORED = -100  # in place of a token that is not to be written, as transformers has it
_BEAMS = 16  # no folder makes a model follow more
# What a folder may say of how its model writes; all else is the settings' to say.
_OF_THE_FOLDER = (
    *("bos_token_id", "eos_token_id", "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id"),
    *("suppress_tokens", "begin_suppress_tokens", "no_repeat_ngram_size", "repetition_penalty"),
    *("length_penalty", "early_stopping"),
)


@dataclass(frozen=True, slots=True)
class Example:
    """The tokens that are read, and those that are to be written."""

    read: tuple[int, ...]
    written: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class LocalModel(ABC):
    """A model with its tokenizer (`words`) on a device; `own` is what its folder says of how it writes."""

    model: Any
    words: Any
    own: Any
    question: Question

    SIDE: ClassVar[Literal["left", "right"]]  # where a batch is filled up

    @property
    def name(self) -> str:
        return self.question.name

    @property
    @abstractmethod
    def is_instructed(self) -> bool:
        """Whether it does what a prompt says."""

    @property
    @abstractmethod
    def longest(self) -> int:
        """The tokens that may be written."""

    @property
    @abstractmethod
    def most(self) -> int | None:
        """The tokens that a prompt may have; none where there is no end."""

    @abstractmethod
    def asked(self, prompt: str) -> list[int]:
        """The tokens of a prompt."""

    @abstractmethod
    def example(self, prompt: str, text: str) -> Example | None:
        """A prompt with the text that is the right one; nothing where they are too long."""

    @abstractmethod
    def written(self, found: torch.Tensor, width: int) -> torch.Tensor:
        """The new tokens, of those that came of prompts of this width."""

    def replies(
        self, prompts: Sequence[str], progress: Callable[[str, int], None] | None = None
    ) -> list[Reply]:
        """The longest first: what is too much for the device shows at once."""
        rows = [self.asked(one) for one in prompts]
        found = [self._too_long(len(row)) for row in rows]
        fitting = [place for place, reply in enumerate(found) if not reply.failed]
        order = sorted(fitting, key=lambda place: -len(rows[place]))
        size = self.question.settings.batch
        for start in range(0, len(order), size):
            places = order[start : start + size]
            answered = self._answered([rows[one] for one in places], self.question.seed + start)
            for place, reply in zip(places, answered, strict=True):
                found[place] = reply
            if progress is not None:
                progress("refined", len(rows) - len(order) + start + len(places))
        return found

    def _too_long(self, length: int) -> Reply:
        if self.most is None or length <= self.most:
            return Reply()
        return Reply(failed=f"the prompt has {length:,} tokens, and the model reads {self.most:,}")

    @torch.inference_mode()
    def _answered(self, rows: Sequence[list[int]], seed: int) -> list[Reply]:
        place = self.question.place
        tokens, there = self._filled(rows)
        devices = [place.device] if place.device.type == "cuda" else []
        try:
            with torch.random.fork_rng(devices), place.autocast(), quiet(transformers_module()):
                torch.manual_seed(seed % 2**63)
                found = self.model.generate(
                    input_ids=tokens, attention_mask=there, generation_config=self._way
                )
        except RuntimeError as error:  # no memory for it, or numbers that are none
            why = str(error).partition("\n")[0][:200].rstrip(".")
            return [Reply(failed=f"the model failed: {why}")] * len(rows)
        texts = self.words.batch_decode(self.written(found, tokens.shape[1]), skip_special_tokens=True)
        return [Reply(text) if text.strip() else Reply(failed="it answered nothing") for text in texts]

    def _filled(self, rows: Sequence[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Rows of one width, and which of their tokens are there."""
        width = max(map(len, rows))
        tokens = torch.full((len(rows), width), self.pad)
        there = torch.zeros_like(tokens)
        for n, row in enumerate(rows):
            held = slice(width - len(row), width) if self.SIDE == "left" else slice(0, len(row))
            tokens[n, held] = torch.tensor(row)
            there[n, held] = 1
        return tokens.to(self.question.place.device), there.to(self.question.place.device)

    @cached_property
    def pad(self) -> int:
        return int(next(one for one in (self.words.pad_token_id, self.end, 0) if one is not None))

    @cached_property
    def end(self) -> int | None:
        """What ends a text."""
        told = self.own.eos_token_id
        return self.words.eos_token_id if told is None else told[0] if isinstance(told, list) else told

    @cached_property
    def positions(self) -> int | None:
        """How many tokens the model has places for; none where it counts distances alone."""
        told = getattr(self.model.config, "max_position_embeddings", None)
        return told if isinstance(told, int) and told > 0 else None

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        added = [str(one) for one in self.words.added_tokens_decoder.values() if one.special]
        names = {*self.words.all_special_tokens, *added} - {""}
        return re.compile("|".join(map(re.escape, sorted(names))) if names else "(?!)")

    def plain(self, text: str) -> str:
        """A text in which no mark is spelled."""
        return self._marks.sub(" ", text)

    @cached_property
    def _way(self) -> Any:  # noqa: ANN401 - of transformers
        told = {name: getattr(self.own, name, None) for name in _OF_THE_FOLDER}
        told = {name: value for name, value in told.items() if value is not None}
        told |= {"max_new_tokens": self.longest, "pad_token_id": self.pad, "eos_token_id": self._ends()}
        temperature = self.question.settings.temperature
        if temperature:
            told |= {"do_sample": True, "temperature": temperature, "top_k": 0, "num_beams": 1}
        else:
            told |= {"do_sample": False, "num_beams": min(self.own.num_beams or 1, _BEAMS)}
        return transformers_module().GenerationConfig(**told)

    def _ends(self) -> int | list[int] | None:
        told = self.own.eos_token_id
        return self.end if told is None else told


def on_device(kind: type[Model], model: Any, question: Question) -> Model:  # noqa: ANN401 - of transformers
    """A model ready to be asked. What its folder says of how it writes is taken from it, and asked apart."""
    words, size = open_words(question.folder), model.get_input_embeddings().weight.shape[0]
    largest = max(words.get_vocab().values(), default=-1)
    if largest >= size:
        path = str(question.folder / "tokenizer.json")
        why = f"it has a token {largest:,}, and the model {size:,} tokens"
        raise InputError(f"{path} is refused: {why}. Get the model again, the whole folder.", path=path)
    own = model.generation_config
    model.generation_config = type(own)()  # else all that is not set would be the folder's to say
    # half the memory where nothing is learnt, on a device that is quick with it
    half = question.place.precision == "bf16" and not question.settings.epochs
    kept = model.to(question.place.device, dtype=torch.bfloat16 if half else torch.float32)
    return kind(kept.eval(), words, own, question)


def open_words(folder: Path) -> Any:  # noqa: ANN401 - a tokenizer of transformers
    """The tokenizer of a folder, by its tokenizer.json alone."""
    path = folder / "tokenizer.json"
    if not path.is_file():
        how = "Save it anew: AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)."
        raise InputError(f"{path} is refused: it is not there. {how}", path=str(path))
    transformers = transformers_module()
    try:
        with quiet(transformers):
            return transformers.PreTrainedTokenizerFast.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
    except Exception as error:  # transformers and tokenizers raise what their many parts raise
        why = str(error).partition("\n")[0][:300].rstrip(".")
        how = "Get the model again, the whole folder."
        raise InputError(f"{path} is refused: {why}. {how}", path=str(path)) from error
