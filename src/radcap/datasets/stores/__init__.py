"""Where images lie: files of a folder, members of a zip or tar, cells of a Parquet file.

Invariant: a store reads nothing before it is asked, and travels to another process by its paths alone.
"""

from radcap.datasets.stores.memory import MemoryImages
from radcap.datasets.stores.store import ImageStore, NoImages

__all__ = ["ImageStore", "MemoryImages", "NoImages"]
