"""Values as JSON has them.

Invariant: nothing is rounded; a value gives the same JSON every time.
>>> plain((1, {"a": 2.5}))
[1, {'a': 2.5}]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """Frozen values as dictionaries, tuples as lists, everything else as it is."""
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, tuple | list):
        return [plain(part) for part in cast("tuple[Any, ...]", value)]
    return value
