"""Attention as it happens, in any network that computes it by torch's own function or by our additive one.

Invariant: what is recorded can be derived: the weights stand in the graph of the scores. Only what runs
inside the `with` is recorded, and only by the thread that runs it. Modules may be named as rooms: what runs
in them is told by the name.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import math
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it
from torch.overrides import TorchFunctionMode

from radcap.captioning.decoders.additive import AdditiveAttention

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from torch import nn

__all__ = ["Attended", "recorded"]


@dataclass(frozen=True, slots=True, eq=False)
class Attended:
    """Who looked at what: rows x heads x askers x asked; `cross` where they are not of one kind.

    `room` is where it happened, "" outside of all that were named.
    """

    weights: torch.Tensor
    cross: bool
    room: str = ""


@contextmanager
def recorded(
    network: nn.Module, rooms: Mapping[str, Sequence[nn.Module]] | None = None
) -> Generator[list[Attended]]:
    """The attention of what runs inside, in its order; no room stands in another one."""
    seen: list[Attended] = []
    recorder = _Recorder(seen)

    def note(_: nn.Module, __: object, shares: torch.Tensor) -> torch.Tensor:
        weights = shares[:, None, None]
        seen.append(Attended(weights, cross=True))
        return weights[:, 0, 0]  # what is recorded is what goes on, or no slope would reach it

    with ExitStack() as stack:
        for module in network.modules():
            if isinstance(module, AdditiveAttention):
                stack.callback(module.shares.register_forward_hook(note).remove)
        for room, modules in (rooms or {}).items():
            for module in modules:
                stack.callback(module.register_forward_pre_hook(partial(recorder.enter, room)).remove)
                stack.callback(module.register_forward_hook(recorder.leave, always_call=True).remove)
        stack.enter_context(recorder)
        yield seen


class _Recorder(TorchFunctionMode):
    """Does the attention of torch step by step, and keeps its weights."""

    def __init__(self, seen: list[Attended]) -> None:
        super().__init__()
        self.seen = seen
        self.room = ""

    def enter(self, room: str, *_: object) -> None:
        self.room = room

    def leave(self, *_: object) -> None:
        self.room = ""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the function gives
        if func is not F.scaled_dot_product_attention:
            return func(*args, **(kwargs or {}))
        views, attended = _attended(*args, **(kwargs or {}))
        self.seen.append(replace(attended, room=self.room))
        return views


def _attended(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,  # noqa: ARG001 - a network that is explained drops nothing
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> tuple[torch.Tensor, Attended]:
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(times, -3), value.repeat_interleave(times, -3)
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    if attn_mask is not None:
        masked = attn_mask.dtype == torch.bool
        scores = scores.masked_fill(~attn_mask, -torch.inf) if masked else scores + attn_mask
    # who may look at nothing sees nothing, as torch has it; a softmax alone would give no number
    blind = scores.isneginf().all(-1, keepdim=True)
    weights = scores.masked_fill(blind, 0).softmax(-1).masked_fill(blind, 0)
    # a mask that is alike for every asker is one of a memory beside them
    beside = attn_mask is not None and attn_mask.shape[-2] == 1 and query.shape[-2] > 1
    cross = beside or query.shape[-2] != key.shape[-2]
    return weights @ value, Attended(weights, cross)
