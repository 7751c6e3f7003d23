"""What editions measure, one file per metric, per-image values first."""

from radcap.metrics.aggregates import AGGREGATES, aggregate
from radcap.metrics.bleu_rules import BleuRule
from radcap.metrics.boards import BOARDS, BoardRow, board
from radcap.metrics.caption_metrics import CAPTION_METRICS, CaptionMetric, caption_metric
from radcap.metrics.captions import CaptionScorer, LoadedCaptions, load_captions, score_captions
from radcap.metrics.comparing import RefusedRuns, RunComparison, ScoredRun, compare
from radcap.metrics.concept_sets import ConceptRules, EmptyTruth
from radcap.metrics.concepts import LoadedConcepts, load_concepts, score_concepts, score_loaded
from radcap.metrics.differences import Difference, differences
from radcap.metrics.editions import EDITIONS, Edition, Profile, ProfileName, edition
from radcap.metrics.explainability import ExplainabilityRow, explainability
from radcap.metrics.loading import Labels
from radcap.metrics.preparation import Preparation, prepare
from radcap.metrics.reports import NotScored, ScoreReport
from radcap.metrics.text_pairs import Measured, Resources, TextPairs

__all__ = [
    "AGGREGATES",
    "BOARDS",
    "CAPTION_METRICS",
    "EDITIONS",
    "BleuRule",
    "BoardRow",
    "CaptionMetric",
    "CaptionScorer",
    "ConceptRules",
    "Difference",
    "Edition",
    "EmptyTruth",
    "ExplainabilityRow",
    "Labels",
    "LoadedCaptions",
    "LoadedConcepts",
    "Measured",
    "NotScored",
    "Preparation",
    "Profile",
    "ProfileName",
    "RefusedRuns",
    "Resources",
    "RunComparison",
    "ScoreReport",
    "ScoredRun",
    "TextPairs",
    "aggregate",
    "board",
    "caption_metric",
    "compare",
    "differences",
    "edition",
    "explainability",
    "load_captions",
    "load_concepts",
    "prepare",
    "score_captions",
    "score_concepts",
    "score_loaded",
]
