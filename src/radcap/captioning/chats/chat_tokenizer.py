"""The pieces of words of a chat, as its answers are made of them.

An answer follows the words of the prompt: some chats put a blank before it, and every chat has a mark of its
own that ends it, which its template tells.
Invariant: text never becomes a mark, whatever is spelled in it; the first piece is that which stands after
the prompt.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError
from radcap.detection.text.vlm import Question, turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.detection.text.vlm import VisionLanguageModel

__all__ = ["ChatTokenizer", "chat_tokenizer", "without_marks"]

_WORD = "Radiograph"  # an answer, to see what a template puts around one
_CONTEXT = 24  # letters of the prompt that an answer's first piece may lean on


@dataclass(frozen=True, slots=True)
class ChatTokenizer:
    """`context` is the end of every prompt, and `lead` the blank between it and the answer."""

    tokenizer: Any  # of transformers
    end: int
    never: tuple[int, ...] = ()  # marks that no answer holds
    context: str = ""
    lead: str = ""

    @property
    def size(self) -> int:
        return len(self.tokenizer)

    @property
    def pad(self) -> int:
        """What fills up; where the chat has no such mark, that of the end."""
        found: int | None = self.tokenizer.pad_token_id
        return self.end if found is None else found

    @property
    def begin(self) -> int:
        """No mark stands before an answer, so this is one that is never written."""
        return self.pad

    def encode(self, text: str) -> list[int]:
        clean = without_marks(self.tokenizer, text)
        before, whole = self._pieces(self.context), self._pieces(f"{self.context}{self.lead}{clean}")
        if whole[: len(before)] == before:
            return whole[len(before) :]
        return self._pieces(f"{self.lead}{clean}")

    def decode(self, tokens: Sequence[int]) -> str:
        kept = [int(token) for token in tokens]
        said: str = self.tokenizer.decode(kept, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return said.lstrip()

    def save(self, path: Path) -> None:
        """Beside the file the others that transformers keeps."""
        self.tokenizer.save_pretrained(path.parent)

    def _pieces(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def without_marks(tokenizer: Any, text: str) -> str:  # noqa: ANN401 - of transformers
    """A text in which no mark of the tokenizer is spelled: a caption must not show a second image."""
    plain = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
    marks = {str(one) for one in tokenizer.added_tokens_decoder.values()} | set(tokenizer.all_special_tokens)
    spelled = [re.escape(one) for one in sorted(marks, key=len, reverse=True) if one.strip() and one in plain]
    while spelled and (found := re.search("|".join(spelled), plain)):
        plain = f"{plain[: found.start()]} {plain[found.end() :]}"
    return plain


def chat_tokenizer(model: VisionLanguageModel) -> ChatTokenizer:
    """The tokenizer of a model, with what its template says of answers."""
    tokenizer, stops = model.processor.tokenizer, _stops(model)
    asked, lead, tail = _around(model)
    marks = cast("list[int]", tokenizer(tail, add_special_tokens=False)["input_ids"]) if tail else []
    special = {*stops, *tokenizer.all_special_ids}
    named = [tokenizer.sep_token_id] if tokenizer.eos_token_id is None else [*stops, tokenizer.eos_token_id]
    ends = [*(one for one in marks if one in special), *(one for one in named if one is not None)]
    end = next(iter(ends), None)
    if end is None:
        raise InputError(
            f"{model.folder} cannot be used: its tokenizer has no mark that ends an answer. Get the model"
            " again, the whole folder.",
            path=str(model.folder),
        )
    marks = {number for number, one in tokenizer.added_tokens_decoder.items() if one.special}
    never = tuple(sorted({*special, *marks} - {end}))
    return ChatTokenizer(tokenizer, end, never, asked.rpartition("\n")[2][-_CONTEXT:], lead)


def _stops(model: VisionLanguageModel) -> list[int]:
    """The marks that its settings of generation name."""
    named: Any = model.model.generation_config.eos_token_id
    return [] if named is None else [named] if isinstance(named, int) else list(named)


def _around(model: VisionLanguageModel) -> tuple[str, str, str]:
    """The end of a prompt, the blank before an answer, and what follows it."""
    question = Question(after="Describe it.")
    if not model.chats:
        return (model.plainly(question), " ", "") if model.has_sign else ("", "", "")
    chat = [turn(question)]
    answer = {"role": "assistant", "content": [{"type": "text", "text": _WORD}]}
    with model.refusing():
        asked = str(model.processor.apply_chat_template(chat, add_generation_prompt=True))
        whole = str(model.processor.apply_chat_template([*chat, answer]))
    before, found, tail = whole.rpartition(_WORD)
    lead = before.removeprefix(asked) if found and before.startswith(asked) else ""
    return asked, "" if lead.strip() else lead, tail
