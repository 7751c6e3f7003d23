"""Files of packages that hold nothing but weights.

Invariant: nothing of a package is imported or run, only found.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

__all__ = ["package_file"]


def package_file(package: str, pattern: str) -> Path | None:
    """The first file of an installed package whose path in it fits the pattern.

    >>> package_file("radcap", "no-such-folder/*.pth") is None
    True
    """
    spec = importlib.util.find_spec(package)
    places = (spec.submodule_search_locations or ()) if spec is not None else ()
    return next((file for place in places for file in sorted(Path(place).glob(pattern))), None)
