"""What is wrong with the tables of one file, kept until all of it is read.

Invariant: a finding names the table and the key as the file has them, and their line where the text is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.core.tables.codes import refusal, table_issue
from radcap.core.tables.nearest import nearest
from radcap.core.tables.places import Spot, key_places, place_of, spot_name
from radcap.core.tables.writing import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.core.issues import Issue

__all__ = ["TableFindings"]


class TableFindings:
    """Findings of one file; `text` is what it holds."""

    def __init__(self, text: str = "") -> None:
        self._places = key_places(text)
        self._issues: list[Issue] = []

    @property
    def issues(self) -> tuple[Issue, ...]:
        """In the order of the file."""
        return tuple(sorted(self._issues, key=lambda one: (one.line, one.column)))

    def refuse(self, path: str = "") -> None:
        """Raise what was found, if anything was."""
        if self._issues:
            raise refusal(path, self.issues)

    def note(self, code: str, spot: Spot, **fields: object) -> None:
        """Keep a finding about the key or table at `spot`."""
        self._issues.append(table_issue(code, *place_of(spot, self._places), **fields))

    def note_unknown(self, spot: Spot, known: Iterable[str], homes: Sequence[str] = ()) -> None:
        """There is no such key here; `homes` are tables of the file that have one. Many say little."""
        name, names = str(spot[-1]), list(known)
        home = f" It belongs into {homes[0]}." if len(homes) == 1 else ""
        fields = {"key": shown(name), "nearest": home or _near(name, names), "known": ", ".join(names)}
        self.note("SYS201", spot, place=spot_name(spot[:-1]), **fields)

    def note_choice(self, spot: Spot, given: object, known: Iterable[Any]) -> None:
        """The key holds none of what is known."""
        names = [str(one) for one in known]
        fields = {"value": shown(given), "nearest": _near(str(given), names), "known": ", ".join(names)}
        self.note("SYS204", spot, **_key_at(spot), **fields)

    def note_type(self, spot: Spot, given: object, wanted: str) -> None:
        """The key holds something of another kind."""
        fields = {"value": shown(given), "wanted": wanted[:1].upper() + wanted[1:]}
        self.note("SYS203", spot, **_key_at(spot), **fields)


def _near(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    return f" Nearest is {near!r}." if near else ""


def _key_at(spot: Spot) -> dict[str, str]:
    """The table and the key of it; places in an array of values belong to the key.

    >>> _key_at(("search", "lr", 1))
    {'place': '[search]', 'key': 'lr[2]'}
    """
    end = len(spot) - 1
    while isinstance(spot[end], int):
        end -= 1
    places = [f"[{one + 1}]" for one in spot[end + 1 :] if isinstance(one, int)]
    place = spot_name(spot[:end]) if end else ""  # a key at the top stands for itself
    return {"place": place, "key": "".join([str(spot[end]), *places])}
