"""What two datasets, or two splits, share that they should not."""

from radcap.datasets.leaks.evidence import Evidence
from radcap.datasets.leaks.finding import find_leaks, leaks_within
from radcap.datasets.leaks.values import Leaks, write_pairs

__all__ = ["Evidence", "Leaks", "find_leaks", "leaks_within", "write_pairs"]
