"""Where a captioner looks while it writes: its attention over what it knows of the image.

Invariant: entries of the memory are those that are always there, then the image place by place (or query by
query, where a bridge looks at the places), then what is told beside; a query at place `start` + i stands for
the token at place i of the caption.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch

from radcap.core import UsageError
from radcap.explanation.lenses.attention import Attended, recorded
from radcap.explanation.lenses.bridging import BRIDGE, LOOKING, bridge_rooms, side_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import nn

    from radcap.captioning.writer import AnyWriter
    from radcap.explanation.lenses.writer_lens import WriterLens
    from radcap.explanation.targets import Span

__all__ = ["Layers", "Looks", "looked"]

_ENCODER = "encoder"


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """Of each layer rows x heads x askers x asked, by where it happens, in their order."""

    writing: tuple[Attended, ...]  # of what writes
    encoding: tuple[Attended, ...] = ()  # of an encoder that reads the memory first
    bridge: tuple[Attended, ...] = ()  # of the queries of a bridge


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What was recorded while spans were scored, a row each."""

    scores: torch.Tensor
    layers: Layers
    entries: int  # of the memory
    side: tuple[int, int]  # of the image: the places in the memory, or those that queries look at
    always: int = 1  # entries before the image's
    told: int = 0  # the image's
    start: int = 0  # the place of what asks for the first token
    before: int = 0  # what queries look at before the places

    @property
    def reads(self) -> bool:
        """Whether memory and words are read as one, and nothing is looked at beside."""
        return not _looks_beside(self.layers)

    def weights(self) -> Layers:
        """Attention as it is."""
        return self._valued([one.weights.detach().float() for one in self._all()])

    def relevances(self) -> Layers:
        """The same as gradient times weight, where above zero: what of it speaks for the row's span."""
        held = [one.weights for one in self._all()]
        slopes = torch.autograd.grad(self.scores.sum(), held, allow_unused=True, materialize_grads=True)
        return self._valued(
            [(slope * one).relu().detach().float() for one, slope in zip(held, slopes, strict=True)]
        )

    def image(self, entries: torch.Tensor, handed: torch.Tensor | None = None) -> torch.Tensor:
        """Of values over entries (rows x ... x entries) those of the image, as maps.

        `handed` (rows x queries x all they look at) says what queries hand on, where the image is told so.
        """
        shown = entries[..., self.always : self.always + self.told]
        if handed is not None:
            shown = torch.einsum("r...q,rqp->r...p", shown, handed[:, : self.told, self.before :])
        return shown.unflatten(-1, self.side)

    def _all(self) -> tuple[Attended, ...]:
        return (*self.layers.writing, *self.layers.encoding, *self.layers.bridge)

    def _valued(self, values: list[torch.Tensor]) -> Layers:
        """A decoder that only looks beside asks anew for each word: its steps are one layer."""
        found = [Attended(value, one.cross, one.room) for value, one in zip(values, self._all(), strict=True)]
        writing, others = found[: len(self.layers.writing)], found[len(self.layers.writing) :]
        if all(one.cross for one in writing):
            writing = [Attended(torch.cat([one.weights for one in writing], dim=2), cross=True)]
        return _by_room((*writing, *others))


def looked(lens: WriterLens, spans: Sequence[Span]) -> Looks:
    """Spans of one caption, scored with all attention in the graph."""
    writer = lens.writer
    with torch.no_grad():
        features = lens.backbone(lens.pixels).float()
    with torch.enable_grad(), recorded(writer.decoder, _rooms(writer)) as seen:
        rows = features.repeat(len(spans), 1, 1, 1).requires_grad_()
        scores = lens.scores(rows, spans).diagonal()
    with torch.no_grad():
        memory = writer.memory(features, lens.told.concepts, lens.told.words, rows=1)
    entries = memory.there.shape[1]
    layers = _by_room(seen)
    if not layers.writing:
        raise UsageError("This decoder looks at the image once and has no attention to show. Use grad-cam.")
    if layers.encoding:
        layers = Layers(_in_turn(layers.writing), layers.encoding, layers.bridge)
    height, width = side_of(writer.grid, *cast("tuple[int, int]", features.shape[2:]))
    looks = [one.weights for one in layers.bridge if one.room == LOOKING]
    told = looks[0].shape[-2] if looks else height * width
    start = 0 if _looks_beside(layers) else entries - getattr(writer.decoder, "follows", False)
    before = 0 if writer.bridge is None else writer.bridge.before
    return Looks(scores, layers, entries, (height, width), writer.always, told, start, before)


def _looks_beside(layers: Layers) -> bool:
    return any(one.cross for one in layers.writing)


def _rooms(writer: AnyWriter) -> Mapping[str, Sequence[nn.Module]]:
    encoder: nn.Module | None = getattr(writer.decoder, "encoder", None)
    rooms = {} if writer.bridge is None else dict(bridge_rooms(writer.bridge))
    return rooms if encoder is None else {**rooms, _ENCODER: [encoder]}


def _by_room(seen: Sequence[Attended]) -> Layers:
    return Layers(
        tuple(one for one in seen if not one.room),
        tuple(one for one in seen if one.room == _ENCODER),
        tuple(one for one in seen if one.room in BRIDGE),
    )


def _in_turn(writing: Sequence[Attended]) -> tuple[Attended, ...]:
    """A layer over an encoder reads its words, then looks: as many words as entries do not tell which."""
    return tuple(Attended(one.weights, bool(place % 2)) for place, one in enumerate(writing))
