"""Whether a system can be trained here as it was published, or what it needs first.

Invariant: nothing is loaded or fetched to find out.
>>> what_is_needed(("service:gpt-4o",))
'needs service gpt-4o'
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["what_is_needed"]


def what_is_needed(needs: Sequence[str]) -> str:
    """`runs here`, or what must be had, of each kind in one place."""
    parts: dict[str, list[str]] = {}
    for one in needs:
        kind, _, name = one.partition(":")
        if kind == "timm":  # what follows the dot says where the weights come from
            kind, name = "weights", name.partition(".")[0]
        if kind != "package" or find_spec(name.replace("-", "_")) is None:
            parts.setdefault(kind, []).append(name)
    told = [f"{kind} {', '.join(dict.fromkeys(names))}" for kind, names in parts.items()]
    return f"needs {'; '.join(told)}" if told else "runs here"
