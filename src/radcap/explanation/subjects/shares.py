"""How much each member of an ensemble had in a concept, as their joint decision has it.

Invariant: shares are never negative and sum to one. Where scores are joined, a member counts as much as it
added to the joint score; where decisions are, those that said yes count alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.platt import sigmoid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.detection.ensembles import Ensemble

__all__ = ["member_shares"]


def member_shares(
    ensemble: Ensemble, logits: NDArray[np.float32], decided: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """members x labels, from each member's logits and decisions (members x labels)."""
    exact = logits.astype(np.float64)
    if ensemble.rule in ("mean-logit", "weighted"):
        weights = np.array(ensemble.weights or [1.0] * len(logits))[:, None]
        added = np.maximum(weights * exact, 0)
        return _shares(added, np.broadcast_to(weights, logits.shape))
    chances = sigmoid(exact)
    if ensemble.rule == "mean-probability":
        return _shares(chances, chances)
    spoke = decided.any(axis=1)
    if ensemble.rule == "fallback":  # the first that says anything answers alone
        decided = decided & (np.arange(len(decided)) == spoke.argmax())[:, None]
    return _shares(decided.astype(np.float64), chances)


def _shares(parts: NDArray[np.floating], otherwise: NDArray[np.floating]) -> NDArray[np.float64]:
    """Parts of one; where nobody has a part, by something else."""
    told = np.where(parts.sum(axis=0) > 0, parts, otherwise)
    return told / np.maximum(told.sum(axis=0), np.finfo(np.float64).tiny)
