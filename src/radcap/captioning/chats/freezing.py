"""Weights that do not learn, by patterns of their names: `*` is any part, `NAME:300` the first 300 of those.

Invariant: a pattern that meets no weight is refused, for it would freeze nothing in silence.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.pretrained_settings import named_by
from radcap.core import UsageError
from radcap.core.tables import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import nn

__all__ = ["freeze", "frozen_names"]


def freeze(model: nn.Module, patterns: Sequence[str]) -> None:
    """Let the weights that patterns meet stay as they are."""
    for name in frozen_names([name for name, _ in model.named_parameters()], patterns):
        model.get_parameter(name).requires_grad = False


def frozen_names(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """The names that patterns meet, in the order of the patterns.

    >>> frozen_names(["eyes.a", "eyes.b", "words.a"], ["eyes.*:1", "words*"])
    ['eyes.a', 'words.a']
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        met = named_by(names, pattern)
        if not met:
            near = nearest(pattern.partition(":")[0], names)
            told = f" A weight is {near or names[0]}." if names else ""
            raise UsageError(
                f"[pretrained] freeze holds {pattern!r:.80}, which meets no weight of the model.{told} Write"
                " a name with * for any part of it, like 'model.vision_tower.*', or 'NAME:300' for the first"
                " 300."
            )
        found |= dict.fromkeys(met)
    return list(found)
