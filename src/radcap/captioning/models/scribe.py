"""From feature maps to captions: hints, and drafts, among which an editor chooses."""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch

from radcap.captioning.generation import marks_of, write
from radcap.captioning.hints import Hints, told_concepts
from radcap.captioning.models.editor import Editor
from radcap.captioning.models.page import Page, decided_of
from radcap.captioning.prompting import modality_of

if TYPE_CHECKING:
    from radcap.captioning.generation.dmmcs import Guide
    from radcap.captioning.models.answers import Line
    from radcap.captioning.models.support import Judge
    from radcap.captioning.prompting import Prompter
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.tokens import Tokenizer
    from radcap.captioning.writer import AnyWriter
    from radcap.core import Cui
    from radcap.vision.training import Place

__all__ = ["Page", "Scribe"]

_MOST = 16  # concepts that are told of one image


@dataclass(frozen=True, eq=False)
class Scribe:
    """A writer in evaluation mode with all that it writes by."""

    system: CaptionSystem
    writer: AnyWriter
    tokenizer: Tokenizer
    labels: tuple[Cui, ...]
    place: Place
    prompter: Prompter | None = None
    judge: Judge | None = None
    guide: Guide | None = None
    reranker: Reranker | None = None

    @property
    def editor(self) -> Editor:
        """What chooses among the drafts."""
        return Editor(self.system, self.tokenizer, self.judge, self.guide, self.reranker)

    @torch.inference_mode()
    def lines(self, page: Page) -> list[Line]:
        """A caption for each image, with how it came about."""
        hints, editor, marks = self.hints(page), self.editor, marks_of(self.tokenizer)
        with self.place.autocast():
            memory = self.writer.memory(page.features, hints.concepts, hints.words, rows=len(page.ids))
            found = write(
                self.writer.decoder,
                memory,
                self.system.generate,
                marks,
                editor.controls(page),
                weights=editor.weights(page),
                seeds=editor.seeds(page),
            )
        return editor.lines(page, found)

    def hints(self, page: Page) -> Hints:
        """What is told beside the image."""
        wanted, device = self.system.condition, page.features.device
        concepts = None
        if wanted.concepts != "none":
            decided = decided_of(page, self.labels, only_modality=wanted.concepts == "modality")
            concepts = told_concepts(decided.to(device), _MOST)
        if self.prompter is None:
            return Hints(concepts)
        rows = len(page.ids)
        none: list[list[int]] = [[] for _ in range(rows)]
        numbers = none if concepts is None else cast("list[list[int]]", concepts.tolist())
        near = [[one.caption for one in page.near[row]] if page.near else [] for row in range(rows)]
        modalities = [modality_of(one.decided) for one in page.grounds]
        words = self.prompter(numbers, near, modalities).to(device)
        return Hints(None if self.prompter.tells_concepts else concepts, words)
