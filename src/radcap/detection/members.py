"""The members of a system, each expanded to a model of its own with a name and a seed.

Invariant: after it, no member names a file, names are unique, and the rule of the ensemble fits their number;
so nothing about members fails after hours of training.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError
from radcap.core.tables import MemberFiles, TableFindings, leads_nowhere, member_names
from radcap.detection.ensembles import Ensemble, combine, ensemble_rule
from radcap.detection.ensembles.rules import ENSEMBLES
from radcap.detection.system import WAYS, ConceptSystem, Member, tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    files = MemberFiles(find, leads_back or leads_nowhere)
    found = [_expanded(one, n, files, findings) for n, one in enumerate(system.member)]
    findings.refuse(path)
    resolved = replace(system, member=_named(found, findings), ensemble=_weighted(system, findings))
    findings.refuse(path)
    _check_rule(resolved, findings)
    findings.refuse(path)
    return resolved


def _expanded(member: Member, n: int, files: MemberFiles[ConceptSystem], findings: TableFindings) -> Member:
    if member.file and (found := files.get(member.file, n, findings)) is not None:
        member = replace(member, file="", name=member.name or found.name, **tables(found))
    if member.seed is not None:
        member = replace(member, train=replace(member.train, seed=member.seed), seed=None)
    return replace(member, weight=None)


def _named(members: Sequence[Member], findings: TableFindings) -> tuple[Member, ...]:
    """Each with a name: its own, or that of its backbone, numbered where it repeats."""
    names = member_names([(one.name, one.backbone.name) for one in members], findings)
    return tuple(replace(one, name=name) for one, name in zip(members, names, strict=True))


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
