"""The words of the domain as frozen values: run, score, issue, errors, sets of concepts.

Standard library only, so that everything else may lean on it.
"""

from radcap.core.caches import cache_root
from radcap.core.counts import counted
from radcap.core.cui_sets import CUI_SETS, DIRECTIONS, MODALITIES, NAMES, REGIONS, CuiSet, cui_set
from radcap.core.errors import InputError, Missing, RadcapError, ToolFailed, UsageError, unknown_name
from radcap.core.issues import Issue, Level
from radcap.core.runs import Cui, ImageId, Run, Task
from radcap.core.scores import Score, mean_in_order, signature
from radcap.core.version import VERSION

__all__ = [
    "CUI_SETS",
    "DIRECTIONS",
    "MODALITIES",
    "NAMES",
    "REGIONS",
    "VERSION",
    "Cui",
    "CuiSet",
    "ImageId",
    "InputError",
    "Issue",
    "Level",
    "Missing",
    "RadcapError",
    "Run",
    "Score",
    "Task",
    "ToolFailed",
    "UsageError",
    "cache_root",
    "counted",
    "cui_set",
    "mean_in_order",
    "signature",
    "unknown_name",
]
