"""The members of a caption system, each expanded to a captioner of its own with a name.

Invariant: after it, no member names a file, names are unique, and what joins captions can do so; so nothing
about members fails after hours of training.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from radcap.captioning.joining_settings import JoinSettings, RerankSettings
from radcap.captioning.system import caption_tables, sees
from radcap.core.tables import MemberFiles, TableFindings, leads_nowhere, member_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from radcap.captioning.settings import CaptionDataSettings
    from radcap.captioning.system import CaptionMember, CaptionSystem
    from radcap.core.tables import Spot

__all__ = ["asked", "choice", "goes_by_images", "holds", "resolve"]


def asked(system: CaptionSystem) -> tuple[CaptionMember, ...]:
    """The members that are chosen from: all but those whose captions follow anyway."""
    return tuple(one for one in system.member if one.name not in system.join.append)


def holds(data: CaptionDataSettings, words: int) -> bool:
    """Whether a caption of so many words is learnt from."""
    return data.least <= words and (not data.most or words <= data.most)


def resolve(
    system: CaptionSystem,
    find: Callable[[str], CaptionSystem],
    *,
    text: str = "",
    path: str = "",
    leads_back: Callable[[str], bool] = leads_nowhere,
) -> CaptionSystem:
    """The system with its members expanded; `find` gives the system of a name or path.

    `text` and `path` are those of the file, for findings; `leads_back` says whether a name or path is this
    file, or one whose members lead to it.
    """
    findings = TableFindings(text)
    files = MemberFiles(find, leads_back)
    found = [_expanded(one, n, files, findings) for n, one in enumerate(system.member)]
    findings.refuse(path)
    names = member_names([(one.name, one.decoder.kind) for one in found], findings)
    findings.refuse(path)
    members = tuple(replace(one, name=name) for one, name in zip(found, names, strict=True))
    resolved = replace(system, member=members)
    _check_append(resolved, findings)
    for spot, place, why in _contradictions(resolved):
        findings.note("SYS205", spot, place=place, why=why)
    findings.refuse(path)
    return resolved


def _expanded(
    member: CaptionMember, n: int, files: MemberFiles[CaptionSystem], findings: TableFindings
) -> CaptionMember:
    found = files.get(member.file, n, findings) if member.file else None
    if found is None:
        return member
    return replace(member, file="", name=member.name or found.name, **caption_tables(found))


def _check_append(system: CaptionSystem, findings: TableFindings) -> None:
    """Each name is that of a member."""
    names = [one.name for one in system.member]
    for n, name in enumerate(system.join.append):
        if names and name not in names:
            findings.note_choice(("join", "append", n), name, names)


def _contradictions(system: CaptionSystem) -> Iterator[tuple[Spot, str, str]]:
    """What cannot be joined: the spot that has to change, what it is called, and why."""
    join, among = system.join, asked(system)
    if not system.member:
        if join != JoinSettings():
            yield (
                ("join",),
                "[join]",
                "There is no [[member]] to join. Write members, or delete the table.",
            )
        return
    if join.rule == "concatenate":
        if join.append:
            yield (
                ("join", "append"),
                "[join]",
                "The captions of all members follow each other anyway. Delete append.",
            )
        if system.rerank.by != "none":
            why = "All captions are taken, and there is none to choose. Delete [rerank], or pool the members."
            yield ("rerank",), "[rerank]", why
        return
    if not among:
        yield (
            ("join", "append"),
            "[join]",
            "append names every member, and none is left to begin with. Delete one.",
        )
    if join.rule == "router":
        yield from _unrouted(system)
    if goes_by_images(system) and not any(map(sees, system.member)):
        table, how = (
            ("join", "Add a member that looks") if join.rule == "router" else ("rerank", "Give model")
        )
        why = f"It goes by vectors of images, and no member looks at images by a backbone. {how}."
        yield (table,), f"[{table}]", why


def choice(system: CaptionSystem) -> RerankSettings:
    """How one of the drafts is chosen: drafts of several members that are in no order, by their agreement."""
    rerank = system.rerank
    is_open = system.join.rule == "pool" and rerank.by == "none"
    return replace(rerank, by="consensus") if is_open else rerank


def goes_by_images(system: CaptionSystem) -> bool:
    """Whether what joins captions goes by vectors of images that the eyes of members give."""
    return system.join.rule == "router" or (system.rerank.by == "alignment" and not system.rerank.model)


def _unrouted(system: CaptionSystem) -> Iterator[tuple[Spot, str, str]]:
    """A router needs members that learn from captions of different lengths."""
    chosen = [(n, one) for n, one in enumerate(system.member) if one.name not in system.join.append]
    if len(chosen) == 1:
        yield ("join",), "[join]", "A router chooses between members, and there is one. Write rule = 'pool'."
    for n, one in chosen:
        if not (one.data.least or one.data.most):
            why = "The router asks it for captions of some lengths, and it learns from all."
            yield ("member", n), f"Member {n + 1}", f"{why} Write least, most or both below [member.data]."
    yield from _overlapping(chosen)


def _overlapping(chosen: Sequence[tuple[int, CaptionMember]]) -> Iterator[tuple[Spot, str, str]]:
    """Lengths that two members learn from."""
    for (_, one), (n, other) in combinations(chosen, 2):
        both = (one.data, other.data)
        words = max(1, *(data.least for data in both))
        if all((data.least or data.most) and holds(data, words) for data in both):
            why = (
                f"It learns from captions of {words:,} words, as {one.name!r} does, so the router cannot tell"
            )
            yield ("member", n), f"Member {n + 1}", f"{why} whom to ask. Let one begin where the other ends."
