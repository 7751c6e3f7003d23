"""Blocks by name: one table per kind, and plug-ins beside it.

Invariant: a table holds dotted paths, so listing names loads nothing; a plug-in (an entry point of the group
`radcap.<kind>`) adds a name and never takes one that radcap has.
>>> Registry("root", {"whole": "math:isqrt"}).factory("whole")(9)
3
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from radcap.core.dotted import load_dotted
from radcap.core.errors import unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Registry"]


@dataclass(frozen=True, slots=True)
class Registry:
    """The factories of one kind of block. `kind` is one word: loss, head, rule."""

    kind: str
    table: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """Ours in the order of the table, then plug-ins by name."""
        return tuple(dict.fromkeys([*self.table, *sorted(entry_points(group=f"radcap.{self.kind}").names)]))

    def factory(self, name: str) -> Any:  # noqa: ANN401 - what it makes is the kind's to say
        """What makes the block of this name; an unknown name is refused with the nearest."""
        if name in self.table:
            return load_dotted(self.table[name])
        for plug_in in entry_points(group=f"radcap.{self.kind}", name=name):
            return plug_in.load()
        raise unknown_name(self.kind, name, self.names)
