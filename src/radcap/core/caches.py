"""Where things are kept that can be made again.

Invariant: nothing is kept inside a dataset or the package; deleting the folder costs time and nothing else.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["cache_root"]


def cache_root() -> Path:
    """`$RADCAP_CACHE`, or radcap's part of the user's cache folder. It may not be there yet."""
    chosen = os.environ.get("RADCAP_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "radcap" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/radcap"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "radcap"
