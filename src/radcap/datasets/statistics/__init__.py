"""The figures of the ROCOv2 paper for any dataset, and of several side by side."""

from radcap.datasets.statistics.comparison import DatasetComparison, compare_datasets
from radcap.datasets.statistics.figures import Statistics, statistics
from radcap.datasets.statistics.semantic_types import read_semantic_types, semantic_types_of
from radcap.datasets.statistics.tables import statistic_tables

__all__ = [
    "DatasetComparison",
    "Statistics",
    "compare_datasets",
    "read_semantic_types",
    "semantic_types_of",
    "statistic_tables",
    "statistics",
]
