"""A concept system from the keys of its file, and back.

Invariant: reading loads no torch, and what is written reads as the same value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from radcap.core import UsageError
from radcap.core.tables import (
    TableFindings,
    TableReader,
    are_tables,
    check_blocks,
    note_both,
    single_tables,
    to_toml,
)
from radcap.detection.decisions.rules import RULES
from radcap.detection.ensembles.rules import ENSEMBLES
from radcap.detection.learners.config import Learner
from radcap.detection.learners.registry import LEARNERS
from radcap.detection.retrieval.config import Retrieval
from radcap.detection.retrieval.rules import RETRIEVALS
from radcap.detection.system import WAYS, ConceptModel, ConceptSystem, Member, SearchSettings, tables
from radcap.detection.text.config import Text
from radcap.vision.blocks import HEADS, LOSSES, POOLINGS
from radcap.vision.settings import TeacherSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core.registry import Registry
    from radcap.core.tables import TomlText

__all__ = ["read_concept_system", "system_toml"]

# The backbone is not among them: beside ours it is any network of timm, which knows when it is built.
_BLOCKS: tuple[tuple[str, str, Registry], ...] = (
    ("head", "kind", HEADS),
    ("head", "pool", POOLINGS),
    ("loss", "name", LOSSES),
    ("decision", "rule", RULES),
    ("retrieval", "rule", RETRIEVALS),
    ("learner", "kind", LEARNERS),
    ("ensemble", "rule", ENSEMBLES),
)


_TABLES = {"ensemble", *tables(ConceptModel())}


def read_concept_system(toml: TomlText) -> ConceptSystem:
    """The system of a file, refused with all that is wrong with it; its members are still to be resolved."""
    findings = TableFindings(toml.text)
    system = _system(toml.values, findings)
    findings.refuse(toml.path)
    return cast("ConceptSystem", system)


def system_toml(system: ConceptSystem, *, full: bool = False) -> str:
    """The file of a system: the keys that differ from the defaults, or all of them."""
    base = _common(system)
    parts = [to_toml(system, full=full, without=("member",))]
    parts += [f"\n[[member]]\n{to_toml(one, base, full=full, at=('member',))}" for one in system.member]
    return "".join(parts)


def _system(values: Mapping[str, Any], findings: TableFindings) -> ConceptSystem | None:
    reader, given = TableReader(findings, ConceptSystem), values.get("member")
    own = {key: one for key, one in values.items() if key != "member" or not are_tables(one)}
    system = _own(reader, single_tables(own, _TABLES, (), findings), findings)
    check_blocks(values, _BLOCKS, (), findings)
    if not are_tables(given):
        return system
    common = _common(system) if system else Member()
    found = [_member(reader, one, n, common, findings) for n, one in enumerate(given)]
    members = tuple(one for one in found if one)
    return replace(system, member=members) if system else None


def _own(reader: TableReader, given: dict[str, Any], findings: TableFindings) -> ConceptSystem | None:
    """What stands at the top. Ways to answer are added last, so that one too many is found at its table."""
    ways = {
        key: cast("dict[str, Any]", one)
        for key, one in given.items()
        if key in WAYS and isinstance(one, dict)
    }
    system = reader.read(ConceptSystem, {key: one for key, one in given.items() if key not in ways})
    hints = {"retrieval": Retrieval, "learner": Learner, "text": Text}
    made = {key: reader.read(hints[key], one, (key,)) for key, one in ways.items()}
    if system is None or None in made.values():
        return None
    try:
        return replace(system, **cast("dict[str, Any]", made))
    except UsageError as error:
        findings.note("SYS205", (last := [*ways][-1],), place=f"[{last}]", why=error)
        return None


def _member(
    reader: TableReader, given: dict[str, Any], n: int, common: Member, findings: TableFindings
) -> Member | None:
    if "text" in given:  # what others share for their networks is not meant for it
        common = replace(common, search=SearchSettings(), teacher=TeacherSettings())
    own = single_tables(given, _TABLES, ("member", n), findings)
    member = reader.read(Member, own, ("member", n), common)
    note_both(given, n, tables(common), findings)
    check_blocks(given, _BLOCKS, ("member", n), findings)
    return member


def _common(system: ConceptSystem) -> Member:
    """What a member is before it says anything. What answers in place of a head, it says itself; what adds
    labels to the joint answer adds none to its own."""
    return replace(Member(**tables(system)), retrieval=None, learner=None, text=None, rescue=None)
