"""Where a captioner looks while it writes: its attention over what it knows of the image.

Invariant: entries of the memory are those that are always there, then the image place by place, then what is
told beside; a query at place i stands for the token at place i of the caption.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.core import UsageError
from radcap.explanation.lenses.attention import Attended, recorded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.writer_lens import WriterLens
    from radcap.explanation.targets import Span

__all__ = ["Looks", "looked"]


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What was recorded while spans were scored, a row each; layers in their order."""

    scores: torch.Tensor
    seen: tuple[Attended, ...]
    entries: int  # of the memory
    side: tuple[int, int]  # of the image in the memory
    always: int = 1  # entries before it

    @property
    def reads(self) -> bool:
        """Whether memory and words are read as one, and nothing is looked at beside."""
        return not any(one.cross for one in self.seen)

    def weights(self) -> list[Attended]:
        """rows x heads x askers x asked of each layer."""
        return self._layers([one.weights.detach().float() for one in self.seen])

    def relevances(self) -> list[Attended]:
        """The same as gradient times weight, where above zero: what of it speaks for the row's span."""
        held = [one.weights for one in self.seen]
        slopes = torch.autograd.grad(self.scores.sum(), held, allow_unused=True, materialize_grads=True)
        return self._layers(
            [(slope * one).relu().detach().float() for one, slope in zip(held, slopes, strict=True)]
        )

    def image(self, entries: torch.Tensor) -> torch.Tensor:
        """Of values over entries (... x entries) those of the image, as maps."""
        height, width = self.side
        return entries[..., self.always : self.always + height * width].unflatten(-1, (height, width))

    def _layers(self, values: list[torch.Tensor]) -> list[Attended]:
        """A decoder that only looks beside asks anew for each word: its steps are one layer."""
        if all(one.cross for one in self.seen):
            return [Attended(torch.cat(values, dim=2), cross=True)]
        return [Attended(one, seen.cross) for one, seen in zip(values, self.seen, strict=True)]


def looked(lens: WriterLens, spans: Sequence[Span]) -> Looks:
    """Spans of one caption, scored with all attention in the graph."""
    with torch.no_grad():
        features = lens.backbone(lens.pixels).float()
    with torch.enable_grad(), recorded(lens.writer.decoder) as seen:
        rows = features.repeat(len(spans), 1, 1, 1).requires_grad_()
        scores = lens.scores(rows, spans).diagonal()
    if not seen:
        raise UsageError("This decoder looks at the image once and has no attention to show. Use grad-cam.")
    told = sum(0 if one is None else one.shape[1] for one in (lens.told.concepts, lens.told.words))
    side = _side(lens.writer.grid, *features.shape[2:])
    return Looks(scores, tuple(seen), 1 + side[0] * side[1] + told, side)


def _side(grid: int, height: int, width: int) -> tuple[int, int]:
    return (grid, grid) if grid and width > grid else (height, width)
