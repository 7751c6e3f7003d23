"""How the systems of a board are compared: as every comparison is, with draws enough for so many pairs."""

from __future__ import annotations

from radcap.stats import Procedure, draws_needed

__all__ = ["procedure_for"]

_SURE = 5  # times as many draws of the tests as could separate a pair


def procedure_for(runs: int) -> Procedure:
    """The usual one, with more draws for many runs.

    With the fewest that can separate a pair at all, one draw decides for many pairs.
    """
    pairs, usual = runs * (runs - 1) // 2, Procedure()
    draws = _SURE * draws_needed(pairs, usual.alpha) if pairs else 0
    return Procedure(permutations=max(usual.permutations, draws))
