"""Statistics over scores: ranks, intervals, tests of every pair, letters, and agreement of raters.

What needs numpy is loaded on first use, so that scoring a run stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from radcap.stats.comparison import (
    Comparison,
    Interval,
    MetricComparison,
    PairTest,
    Procedure,
    RankRange,
    Standing,
)
from radcap.stats.confusion import ConfusionMatrix
from radcap.stats.draws import draws_needed, takes_all_patterns
from radcap.stats.holm import holm_adjusted
from radcap.stats.letters import compact_letters
from radcap.stats.ranks import ranks

if TYPE_CHECKING:
    from radcap.stats.alpha import Scale, krippendorff_alpha
    from radcap.stats.arrays import sums_by_group
    from radcap.stats.bootstrap import paired_bootstrap_p, percentile_interval, resampled_means
    from radcap.stats.kappa import Kappa, Weighting, chance_corrected, cohen_kappa, rater_kappa
    from radcap.stats.permutation import SignFlipTest, sign_flip_test
    from radcap.stats.rank_ranges import resampled_rank_ranges
    from radcap.stats.score_comparison import compare_scores
    from radcap.stats.wins import Wins, count_wins

__all__ = [
    "Comparison",
    "ConfusionMatrix",
    "Interval",
    "Kappa",
    "MetricComparison",
    "PairTest",
    "Procedure",
    "RankRange",
    "Scale",
    "SignFlipTest",
    "Standing",
    "Weighting",
    "Wins",
    "chance_corrected",
    "cohen_kappa",
    "compact_letters",
    "compare_scores",
    "count_wins",
    "draws_needed",
    "holm_adjusted",
    "krippendorff_alpha",
    "paired_bootstrap_p",
    "percentile_interval",
    "ranks",
    "rater_kappa",
    "resampled_means",
    "resampled_rank_ranges",
    "sign_flip_test",
    "sums_by_group",
    "takes_all_patterns",
]

_HOMES = {
    "alpha": ("Scale", "krippendorff_alpha"),
    "arrays": ("sums_by_group",),
    "bootstrap": ("paired_bootstrap_p", "percentile_interval", "resampled_means"),
    "kappa": ("Kappa", "Weighting", "chance_corrected", "cohen_kappa", "rater_kappa"),
    "permutation": ("SignFlipTest", "sign_flip_test"),
    "rank_ranges": ("resampled_rank_ranges",),
    "score_comparison": ("compare_scores",),
    "wins": ("Wins", "count_wins"),
}
_HOME_OF = {name: f"radcap.stats.{home}" for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"radcap.stats has no {name!r}. It has {', '.join(__all__)}.")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
