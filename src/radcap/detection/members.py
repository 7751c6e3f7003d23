"""The members of a system, each expanded to a model of its own with a name and a seed.

Invariant: after it, no member names a file, names are unique, and the rule of the ensemble fits their number;
so nothing about members fails after hours of training.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import RadcapError, UsageError
from radcap.core.tables import TableFindings
from radcap.detection.ensembles import Ensemble, combine, ensemble_rule
from radcap.detection.ensembles.rules import ENSEMBLES
from radcap.detection.system import WAYS, ConceptSystem, Member, tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["resolve"]

_OF_RULES = {  # keys that one rule alone looks at, and what says nothing
    "votes": ("votes", "votes = 0"),
    "expression": ("partial-intersection", 'expression = ""'),
    "weights": ("weighted", "weights = []"),
}


def resolve(
    system: ConceptSystem,
    find: Callable[[str], ConceptSystem],
    *,
    text: str = "",
    path: str = "",
    leads_back: Callable[[str], bool] | None = None,
) -> ConceptSystem:
    """The system with its members expanded; `find` gives the system of a name or path.

    `text` and `path` are those of the file, for findings; `leads_back` says whether a name or path is this
    file, or one whose members lead to it.
    """
    findings = TableFindings(text)
    _check_tables(system, findings)
    files = _Files(find, leads_back or _never)
    found = [_expanded(one, n, files, findings) for n, one in enumerate(system.member)]
    findings.refuse(path)
    resolved = replace(system, member=tuple(_named(found, findings)), ensemble=_weighted(system, findings))
    findings.refuse(path)
    _check_rule(resolved, findings)
    findings.refuse(path)
    return resolved


@dataclass(frozen=True, slots=True)
class _Files:
    """The files that members name."""

    find: Callable[[str], ConceptSystem]
    leads_back: Callable[[str], bool]


def _never(_: str) -> bool:
    return False


def _expanded(member: Member, n: int, files: _Files, findings: TableFindings) -> Member:
    if member.file:
        member = _from_file(member, n, files, findings)
    if member.seed is not None:
        member = replace(member, train=replace(member.train, seed=member.seed), seed=None)
    return replace(member, weight=None)


def _from_file(member: Member, n: int, files: _Files, findings: TableFindings) -> Member:
    try:
        found = files.find(member.file)
    except RadcapError as error:
        findings.note("SYS302", ("member", n, "file"), n=n + 1, why=error)
        return member
    if found.member:
        code = "SYS304" if files.leads_back(member.file) else "SYS303"
        findings.note(code, ("member", n, "file"), n=n + 1, file=repr(member.file))
    return replace(member, file="", name=member.name or found.name, **tables(found))


def _named(members: Sequence[Member], findings: TableFindings) -> Iterator[Member]:
    """Each with a name: its own, or that of its backbone, numbered where it repeats."""
    taken: set[str] = set()
    given = {one.name for one in members}
    for n, member in enumerate(members):
        name = member.name or _free_name(member.backbone.name, taken | given)
        if name in taken:
            why = f"Its name {name!r} is that of another. Give each member a name of its own."
            findings.note("SYS205", ("member", n, "name"), place=f"Member {n + 1}", why=why)
        taken.add(name)
        yield replace(member, name=name)


def _free_name(name: str, taken: set[str]) -> str:
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _weighted(system: ConceptSystem, findings: TableFindings) -> Ensemble:
    """The rule with the weights that members carry."""
    weights = [one.weight for one in system.member]
    if all(one is None for one in weights):
        return system.ensemble
    if system.ensemble.weights:
        why = "It has weights, and members have some too. Write them in one place."
        findings.note("SYS205", ("ensemble", "weights"), place="[ensemble]", why=why)
    try:
        return replace(system.ensemble, weights=tuple(1.0 if one is None else one for one in weights))
    except UsageError as error:
        findings.note("SYS205", ("member", 0), place="[member]", why=error)
        return system.ensemble


def _check_tables(system: ConceptSystem, findings: TableFindings) -> None:
    """Refuse what the file says of an ensemble and nobody would look at."""
    if not system.member:
        return
    for one in WAYS:
        if getattr(system, one) is not None:
            why = f"Members answer each in its own way. Write [member.{one}] below each that wants it."
            findings.note("SYS205", (one,), place=f"[{one}]", why=why)
    rule = system.ensemble.rule
    for key, (owner, nothing) in _OF_RULES.items():
        # a rule from elsewhere may look at any
        if getattr(system.ensemble, key) and rule != owner and rule in ENSEMBLES.table:
            how = f"Delete it ({nothing}), or write rule = {owner!r}."
            why = f"{key} is of the rule {owner!r}, and the rule here is {rule!r}. {how}"
            findings.note("SYS205", ("ensemble", key), place="[ensemble]", why=why)


def _check_rule(system: ConceptSystem, findings: TableFindings) -> None:
    """Try the rule on one image and one label, before anything is trained."""
    ensemble = system.ensemble
    if ensemble.rule == "weighted" and not ensemble.weights:  # they are fitted later
        return
    names = tuple(one.name for one in system.member)
    if not names:
        if ensemble != Ensemble():
            why = "There is no [[member]] to join. Write members, or delete the table."
            findings.note("SYS205", ("ensemble",), place="[ensemble]", why=why)
        return
    over = ensemble_rule(ensemble.rule).over
    try:
        combine(ensemble, np.zeros((len(names), 1, 1), bool if over == "decisions" else np.float32), names)
    except UsageError as error:
        findings.note("SYS205", ("ensemble",), place="[ensemble]", why=error)
