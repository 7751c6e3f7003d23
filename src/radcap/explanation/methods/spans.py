"""Targets of a captioner taken apart: spans by the caption they stand in, contrasts as two spans.

Invariant: what is computed for spans of one caption at a time comes back in the order of the targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from radcap.core import UsageError
from radcap.explanation.targets import Contrast, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.explanation.targets import Target

__all__ = ["by_caption"]


def by_caption(targets: Sequence[Target], maps_of: Callable[[Sequence[Span]], torch.Tensor]) -> torch.Tensor:
    """targets x ... x h x w; a contrast is the difference of its maps."""
    spans = dict.fromkeys(one for target in targets for one in _parts(target))
    maps: dict[Span, torch.Tensor] = {}
    for tokens in dict.fromkeys(one.tokens for one in spans):
        some = [one for one in spans if one.tokens == tokens]
        maps |= dict(zip(some, maps_of(some), strict=True))
    return torch.stack([_joined([maps[one] for one in _parts(target)]) for target in targets])


def _parts(target: Target) -> tuple[Span, ...]:
    if isinstance(target, Contrast):
        return (*_parts(target.this), *_parts(target.other))
    if isinstance(target, Span):
        return (target,)
    raise UsageError(f"Attention of a captioner explains words of its caption, and {target} is none.")


def _joined(maps: Sequence[torch.Tensor]) -> torch.Tensor:
    return maps[0] if len(maps) == 1 else maps[0] - maps[1]
