"""`[[member]]`: what the files of systems that are made of several have in common, whatever their task.

Invariant: a member is another system by name or path, or tables of its own, and never both; its name is its
own, and no file leads back to itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeGuard, TypeVar, cast

from radcap.core.errors import RadcapError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from radcap.core.registry import Registry
    from radcap.core.tables.findings import TableFindings
    from radcap.core.tables.places import Spot

__all__ = [
    "MemberFiles",
    "are_tables",
    "check_blocks",
    "leads_nowhere",
    "member_names",
    "note_both",
    "single_tables",
]


class _Joined(Protocol):
    """A system that may have members."""

    @property
    def member(self) -> Sequence[object]: ...


S = TypeVar("S", bound=_Joined)


def leads_nowhere(_: str) -> bool:
    """Of files that are known to lead to no other."""
    return False


@dataclass(frozen=True, slots=True)
class MemberFiles(Generic[S]):
    """The files that members name: `find` gives the system of a name or path, and `leads_back` says whether
    it is the file that is read, or one whose members lead to it."""

    find: Callable[[str], S]
    leads_back: Callable[[str], bool] = leads_nowhere

    def get(self, file: str, n: int, findings: TableFindings) -> S | None:
        """The system that the n-th member (from 0) names; nothing where it cannot be had."""
        try:
            found = self.find(file)
        except RadcapError as error:
            findings.note("SYS302", ("member", n, "file"), n=n + 1, why=error)
            return None
        if found.member:
            code = "SYS304" if self.leads_back(file) else "SYS303"
            findings.note(code, ("member", n, "file"), n=n + 1, file=repr(file))
        return found


def member_names(given: Sequence[tuple[str, str]], findings: TableFindings) -> list[str]:
    """A name for each member: its own, or what it is called otherwise, numbered where that repeats."""
    taken: set[str] = set()
    own = {name for name, _ in given}
    names: list[str] = []
    for n, (name, called) in enumerate(given):
        one = name or _free_name(called, taken | own)
        if one in taken:
            why = f"Its name {one!r} is that of another. Give each member a name of its own."
            findings.note("SYS205", ("member", n, "name"), place=f"Member {n + 1}", why=why)
        taken.add(one)
        names.append(one)
    return names


def _free_name(name: str, taken: set[str]) -> str:
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def are_tables(given: object) -> TypeGuard[list[dict[str, Any]]]:
    """Whether a key holds tables of an array; anything else is refused as any key is."""
    return isinstance(given, list) and all(isinstance(one, dict) for one in cast("list[object]", given))


def single_tables(
    given: Mapping[str, Any], known: Collection[str], at: Spot, findings: TableFindings
) -> dict[str, Any]:
    """The keys without the known tables that were opened as one of many."""
    many = [key for key, one in given.items() if key in known and one and are_tables(one)]
    for key in many:
        name = ".".join([*(str(one) for one in at if isinstance(one, str)), key])
        why = f"One such table is read. Write [{name}], and once."
        findings.note("SYS205", (*at, key, 0), place=f"[[{name}]]", why=why)
    return {key: one for key, one in given.items() if key not in many}


def note_both(given: Mapping[str, Any], n: int, tables: Iterable[str], findings: TableFindings) -> None:
    """Refuse a member that names a file and has tables too."""
    own = [key for key in tables if key in given]
    if given.get("file") and own:
        fields = {"n": n + 1, "file": repr(given["file"]), "tables": ", ".join(f"[{key}]" for key in own)}
        findings.note("SYS301", ("member", n), **fields)


def check_blocks(
    values: Mapping[str, Any],
    blocks: Iterable[tuple[str, str, Registry]],
    at: Spot,
    findings: TableFindings,
) -> None:
    """Names of blocks that nobody registered, by table and key; what is no name was refused before."""
    for table, key, known in blocks:
        held = values.get(table)
        name = cast("dict[str, Any]", held).get(key) if isinstance(held, dict) else None
        # ours first: looking for plug-ins takes milliseconds
        if isinstance(name, str) and name not in known.table and name not in known.names:
            findings.note_choice((*at, table, key), name, known.names)
