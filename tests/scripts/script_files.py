"""The scripts as modules, for tests of their parts."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

SCRIPTS = Path(__file__).parents[2] / "scripts"


def script(name: str) -> ModuleType:
    """A script, or a part of one, as it imports its own parts."""
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    return import_module(name)
