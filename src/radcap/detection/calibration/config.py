"""What `[calibration]` of a system file may say.

Invariant: a value that exists can be used.
>>> Calibration(method="platt", groups="label").shrinkage
50.0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from radcap.core.errors import UsageError, unknown_name

__all__ = ["GROUPS", "METHODS", "Calibration", "Groups", "Method"]

Method: TypeAlias = Literal["none", "temperature", "platt", "isotonic"]
Groups: TypeAlias = Literal["all", "kind", "label"]
METHODS: tuple[Method, ...] = get_args(Method)
GROUPS: tuple[Groups, ...] = get_args(Groups)
_MOST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Calibration:
    """How logits become probabilities.

    `groups`: which labels share a fit: all, those of a kind (modality, region, direction, rest), or each
    label alone, drawn towards its kind. `shrinkage`: with so many positives a label counts as much as its
    kind.
    """

    method: Method = "platt"
    groups: Groups = "kind"
    shrinkage: float = 50.0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown_name("calibration method", str(self.method), METHODS)
        if self.groups not in GROUPS:
            raise unknown_name("calibration group", str(self.groups), GROUPS)
        if not 0 <= self.shrinkage <= _MOST:  # so written, NaN fails too
            raise UsageError(f"shrinkage = {self.shrinkage} is no number of positives. Give 0 to {_MOST:,}.")
