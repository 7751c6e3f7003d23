"""A score: per-image values first, their mean second, and a signature that says what was measured.

Invariant: `ids` and `values` run in parallel over the images that count; `n` is their number.
Two scores may be compared only if their signatures are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.core.errors import UsageError
from radcap.core.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.core.runs import ImageId

__all__ = ["Score", "mean_in_order", "signature"]


@dataclass(frozen=True, slots=True)
class Score:
    """One number with everything needed to trace it."""

    name: str
    value: float
    n: int
    signature: str
    ids: tuple[ImageId, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether every run gets this value, as the secondary score of some editions."""
        return "constant" in self._parameters()

    @property
    def truth(self) -> str:
        """The fingerprint of the truth it was measured on, if the signature has it."""
        return self._parameters().get("truth", "")

    @property
    def captions(self) -> str:
        """Who wrote the true captions it was measured on, if the signature has it."""
        return self._parameters().get("captions", "")

    def _parameters(self) -> dict[str, str]:
        return dict(part.split(":", 1) for part in self.signature.split("|") if ":" in part)

    def to_json(self) -> dict[str, str | float | int]:
        return {"name": self.name, "value": self.value, "n": self.n, "signature": self.signature}

    def _repr_html_(self) -> str:
        from radcap.core.notebooks import html_facts

        constant = " (constant)" if self.is_constant else ""
        facts = {"value": f"{self.value:.6f}{constant}", "images": f"{self.n:,}", "signature": self.signature}
        return html_facts(self.name, {**facts, **self._spread()})

    def _spread(self) -> dict[str, str]:
        """The worst, the middle and the best image, where there are values of images."""
        if not self.values:
            return {}
        from statistics import median  # slow to load, and few look at a score in a notebook

        order = sorted(self.values)
        found = {"lowest image": order[0], "median image": median(order), "highest image": order[-1]}
        return {name: f"{value:.6f}" for name, value in found.items()}

    def difference(self, other: Score) -> float:
        """This score less another one, refused unless both measure the same."""
        if self.signature != other.signature:
            raise UsageError(
                f"{self.signature} and {other.signature} measure different things. "
                "Their difference means nothing. Score both runs with the same settings."
            )
        return self.value - other.value


def mean_in_order(values: Iterable[float]) -> float:
    """The mean as the organisers' loop forms it: one addition after the other.

    `sum` compensates rounding since Python 3.12 and numpy adds pairwise; both change the last digit.
    >>> mean_in_order([0.1] * 10)
    0.09999999999999999
    """
    total = 0.0
    n = 0
    for value in values:
        total += value
        n += 1
    return total / n


def signature(metric: str, **parameters: str | int) -> str:
    """Metric, parameters and radcap's version in one line.

    >>> signature("f1", edition="2025", cuis="all").startswith("f1|edition:2025|cuis:all|radcap:")
    True
    """
    parts = [f"{key}:{value}" for key, value in parameters.items()]
    return "|".join([metric, *parts, f"radcap:{VERSION}"])
