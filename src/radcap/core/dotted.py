"""Functions that tables name as `module:function`, so that a table loads nothing it is not asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["load_dotted"]


def load_dotted(path: str) -> Any:  # noqa: ANN401 - what stands there is its table's to say
    """What stands at `module:name`.

    >>> load_dotted("math:isqrt")(9)
    3
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
