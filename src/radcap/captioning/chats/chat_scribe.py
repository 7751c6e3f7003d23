"""From pixels to captions by a chat: questions, drafts, and an editor that chooses among them.

Invariant: a batch that does not fit into memory is asked in halves; one image that does not fit is told with
what to lower.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch

from radcap.captioning.chats.writing import answers_of
from radcap.captioning.models.editor import Editor
from radcap.captioning.models.page import decided_of
from radcap.captioning.models.writer_model import PageModel
from radcap.core import Missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.chats.chat import Chat
    from radcap.captioning.chats.chat_tokenizer import ChatTokenizer
    from radcap.captioning.chats.questions import Brief, Questions
    from radcap.captioning.generation import Candidate
    from radcap.captioning.models.answers import Line
    from radcap.captioning.models.editor import Guide
    from radcap.captioning.models.page import Page
    from radcap.captioning.models.support import Judge
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.system import CaptionSystem
    from radcap.core import Cui

__all__ = ["ChatModel", "ChatScribe", "no_room"]

_ON_CPU, _ON_GPU = 8, 64  # answers that are written at once


@dataclass(frozen=True, eq=False)
class ChatScribe:
    """A chat in evaluation mode with all that it writes by."""

    system: CaptionSystem
    chat: Chat
    labels: tuple[Cui, ...]
    questions: Questions
    judge: Judge | None = None
    guide: Guide | None = None
    reranker: Reranker | None = None

    @property
    def tokenizer(self) -> ChatTokenizer:
        return self.chat.tokenizer

    @property
    def editor(self) -> Editor:
        """What chooses among the drafts."""
        return Editor(self.system, self.tokenizer, self.judge, self.guide, self.reranker)

    @torch.inference_mode()
    def lines(self, page: Page) -> list[Line]:
        """A caption for each image, with how it came about."""
        copies = max(1, self.system.generate.beams, self.system.generate.samples)
        most = _ON_GPU if self.chat.place.device.type == "cuda" else _ON_CPU
        at_once = max(1, most // copies)
        lines: list[Line] = []
        for start in range(0, len(page.ids), at_once):
            some = page.some(start, start + at_once)
            lines += self.editor.lines(some, self._asked(some, self.briefs(some)))
        return lines

    def plainly(self, page: Page, briefs: Sequence[Brief]) -> list[str]:
        """The best draft of each image, from what is told already."""
        return [self.tokenizer.decode(one[0].tokens) for one in self._asked(page, briefs)]

    def _asked(self, page: Page, briefs: Sequence[Brief]) -> list[list[Candidate]]:
        """The drafts of each image; in halves where all together have no room."""
        try:
            return self._written(page, briefs)
        except torch.OutOfMemoryError as error:
            if len(page.ids) == 1:
                raise no_room("Lower [generate] beams or samples, or the size of [image].") from error
        torch.cuda.empty_cache()
        half = len(page.ids) // 2
        first = self._asked(page.some(0, half), briefs[:half])
        return first + self._asked(page.some(half, len(page.ids)), briefs[half:])

    def _written(self, page: Page, briefs: Sequence[Brief]) -> list[list[Candidate]]:
        questions = [self.questions.question(one) for one in briefs]
        given = self.chat.asked(page.features, questions)
        editor, controls = self.editor, self.editor.controls(page)
        weights, seeds = editor.weights(page), editor.seeds(page)
        return answers_of(self.chat, given, self.system.generate, controls, weights=weights, seeds=seeds)

    def briefs(self, page: Page) -> list[Brief]:
        """What is told beside each image, labels in their order."""
        decided = decided_of(page, self.labels)
        rows = [cast("list[int]", row.nonzero()[:, 0].tolist()) for row in decided]
        near = [[one.caption for one in page.near[row]] if page.near else [] for row in range(len(rows))]
        return [self.questions.brief(*both) for both in zip(rows, near, strict=True)]


class ChatModel(PageModel[ChatScribe]):
    """A chat is shown the image inside of a question."""


def no_room(how: str) -> Missing:
    """The refusal of work that the device has no memory for."""
    return Missing("Memory of the device", "The chat and its pictures do not fit.", how)
