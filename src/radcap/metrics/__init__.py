"""What editions measure, one file per metric, per-image values first."""

from radcap.metrics.boards import BOARDS, BoardRow, board
from radcap.metrics.concept_sets import ConceptRules, EmptyTruth
from radcap.metrics.concepts import Labels, LoadedConcepts, load_concepts, score_concepts, score_loaded
from radcap.metrics.differences import Difference, differences
from radcap.metrics.editions import EDITIONS, Edition, Profile, ProfileName, edition
from radcap.metrics.reports import NotScored, ScoreReport

__all__ = [
    "BOARDS",
    "EDITIONS",
    "BoardRow",
    "ConceptRules",
    "Difference",
    "Edition",
    "EmptyTruth",
    "Labels",
    "LoadedConcepts",
    "NotScored",
    "Profile",
    "ProfileName",
    "ScoreReport",
    "board",
    "differences",
    "edition",
    "load_concepts",
    "score_concepts",
    "score_loaded",
]
