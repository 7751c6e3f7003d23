"""Words of a caption by the log probabilities of its tokens: what all lenses of captioners have in common.

Invariant: a span scores the sum over its tokens, a contrast the difference of two; its chance is the
geometric mean of the tokens' probabilities, so that long spans are no less sure.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from radcap.core import UsageError
from radcap.explanation.targets import Contrast, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.explanation.targets import Target

__all__ = ["chances_of", "span_scores"]


def span_scores(
    targets: Sequence[Target], log_probabilities: Callable[[tuple[int, ...]], torch.Tensor]
) -> torch.Tensor:
    """Rows x targets; `log_probabilities` gives those of the tokens of a caption, rows x tokens."""
    captions = dict.fromkeys(one.tokens for target in targets for one in _parts(target))
    found = {tokens: log_probabilities(tokens) for tokens in captions}
    return torch.stack([_score(found, one) for one in targets], dim=1)


def chances_of(scores: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
    """How probable each span is, from what it scores."""
    lengths = scores.new_tensor([_length(one) for one in targets])
    contrasts = scores.new_tensor([isinstance(one, Contrast) for one in targets], dtype=torch.bool)
    return torch.where(contrasts, scores.sigmoid(), (scores / lengths).exp())


def _parts(target: Target) -> tuple[Span, ...]:
    if isinstance(target, Span):
        return (target,)
    if isinstance(target, Contrast):
        return (*_parts(target.this), *_parts(target.other))
    raise UsageError(f"A captioner has no score for {target}. Ask for words of its caption.")


def _score(found: dict[tuple[int, ...], torch.Tensor], target: Target) -> torch.Tensor:
    sums = [found[one.tokens][:, one.first : one.last].sum(dim=1) for one in _parts(target)]
    return sums[0] if len(sums) == 1 else sums[0] - sums[1]


def _length(target: Target) -> int:
    return max(1, target.last - target.first) if isinstance(target, Span) else 1
