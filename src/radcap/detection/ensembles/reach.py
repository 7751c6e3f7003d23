"""Whether members that were trained on different labels can be joined by a rule.

Invariant: a rule is refused before training where a label that some member learns could never be decided, or
where a mean would be of members that have nothing in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from radcap.core import UsageError
from radcap.detection.ensembles.config import Ensemble

__all__ = ["check_labels", "joins_any_labels"]

_SETS = ("union", "fallback", "partial-intersection")


def joins_any_labels(ensemble: Ensemble) -> bool:
    """Whether members may have no label in common: each says what it has to say."""
    return ensemble.rule in _SETS


def check_labels(ensemble: Ensemble, labels: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse members, by name, whose labels the rule cannot join."""
    known = Counter(cui for one in labels.values() for cui in one)
    needed = _needed(ensemble, len(labels))
    few = [cui for cui, times in known.items() if times < needed]
    if few:
        raise UsageError(
            f"The members learn different labels: {few[0]} is known to {known[few[0]]} of {len(labels)}, and"
            f" the rule {ensemble.rule!r} asks for {needed}. Give all the same [data], or join them by union."
        )
    names = list(labels)
    alone = [one for one in names[1:] if not set(labels[one]) & set(labels[names[0]])]
    if alone and not joins_any_labels(ensemble):
        raise UsageError(
            f"The members {names[0]} and {alone[0]} have no label in common, and the rule {ensemble.rule!r}"
            " has nothing to join. Give all the same [data], or join them by union."
        )


def _needed(ensemble: Ensemble, members: int) -> int:
    """How many members must know a label for it ever to be decided."""
    votes = {"intersection": members, "majority": members // 2 + 1, "votes": ensemble.votes}
    return votes.get(ensemble.rule, 1)
