"""Several members, one answer: means of logits, votes and sets, and the search for the members to take."""

from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.fitting import fit_weights, fitted
from radcap.detection.ensembles.members import Aligned, Member, align, placed
from radcap.detection.ensembles.rules import ENSEMBLES, combine, ensemble_rule
from radcap.detection.ensembles.subsets import RankedSubset, SubsetSearch, search_subsets
from radcap.detection.ensembles.values import ABSENT, EnsembleRule

__all__ = [
    "ABSENT",
    "ENSEMBLES",
    "Aligned",
    "Ensemble",
    "EnsembleRule",
    "Member",
    "RankedSubset",
    "SubsetSearch",
    "align",
    "combine",
    "ensemble_rule",
    "fit_weights",
    "fitted",
    "placed",
    "search_subsets",
]
