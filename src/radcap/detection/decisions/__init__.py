"""Probabilities become decisions: which labels an image gets."""

from radcap.detection.decisions.config import Decision
from radcap.detection.decisions.crossfit import CrossFitted, cross_fit
from radcap.detection.decisions.f1 import sample_f1
from radcap.detection.decisions.gfm import Answer, gfm, gfm_of_sets
from radcap.detection.decisions.reading import rule_from_json
from radcap.detection.decisions.rescue import CountRescue, rescue_from_json
from radcap.detection.decisions.rescue_config import Rescue
from radcap.detection.decisions.rule import Rule, fit_rule
from radcap.detection.decisions.rules import RULES, Evidence, Fitted, RuleMaker

__all__ = [
    "RULES",
    "Answer",
    "CountRescue",
    "CrossFitted",
    "Decision",
    "Evidence",
    "Fitted",
    "Rescue",
    "Rule",
    "RuleMaker",
    "cross_fit",
    "fit_rule",
    "gfm",
    "gfm_of_sets",
    "rescue_from_json",
    "rule_from_json",
    "sample_f1",
]
