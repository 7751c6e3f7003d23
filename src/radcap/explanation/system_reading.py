"""An explaining system from the keys of its file, and back.

Invariant: reading loads no torch, and what is written reads as the same value. Tables of a system that asks
another model are refused in one that explains by its own, and the reverse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from radcap.core.tables import TableFindings, TableReader, to_toml
from radcap.explanation.external.provider import PROVIDERS
from radcap.explanation.methods.method import METHODS
from radcap.explanation.system import AUTO, ExplainSettings, ExplainSystem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.core.tables import TomlText

__all__ = ["explain_toml", "read_explain_system"]

_EXTERNAL = ("entities", "provider", "segmenter", "spatial")  # tables that ask another model


def read_explain_system(toml: TomlText) -> ExplainSystem:
    """The system of a file, refused with all that is wrong with it."""
    findings = TableFindings(toml.text)
    system = TableReader(findings, ExplainSystem).read(ExplainSystem, toml.values)
    _check_name(findings, toml, ("explain", "method"), (AUTO, *METHODS.names))
    _check_name(findings, toml, ("provider", "kind"), ("", *PROVIDERS.names))
    findings.refuse(toml.path)
    whole = cast("ExplainSystem", system)
    _check_groups(findings, whole)
    for table, why in _contradictions(whole):
        findings.note("SYS205", (table,), place=f"[{table}]", why=why)
    findings.refuse(toml.path)
    return whole


def explain_toml(system: ExplainSystem, *, full: bool = False) -> str:
    """The file of a system: the keys that differ from the defaults, or all of them."""
    return to_toml(system, full=full)


def _check_name(
    findings: TableFindings, toml: TomlText, spot: tuple[str, str], known: tuple[str, ...]
) -> None:
    """A name that nobody registered; what is no name was refused before."""
    held = toml.values.get(spot[0])
    name = cast("dict[str, Any]", held).get(spot[1]) if isinstance(held, dict) else None
    if isinstance(name, str) and name not in known:
        findings.note_choice(spot, name, [one for one in known if one])


def _check_groups(findings: TableFindings, system: ExplainSystem) -> None:
    from radcap.vocabulary.semantic_types import semantic_types

    known = sorted({one.group for one in semantic_types().values()})
    for n, group in enumerate(system.entities.groups):
        if group not in known:
            findings.note_choice(("entities", "groups", n), group, known)


def _contradictions(system: ExplainSystem) -> Iterator[tuple[str, str]]:
    """What cannot be, by the table that has to change."""
    if system.explain.kind == "external":
        yield from _unasked(system)
        return
    blank = ExplainSystem(name="", task="explain")
    for table in _EXTERNAL:
        if getattr(system, table) != getattr(blank, table):
            why = "It asks another model, and [explain] kind is 'model'"
            yield table, f"{why}. Delete the table, or set kind to 'external'."


def _unasked(system: ExplainSystem) -> Iterator[tuple[str, str]]:
    """What an external system lacks, or has in vain."""
    if not system.provider.kind:
        yield "explain", f"kind is 'external', and nobody gives boxes. Give [provider] kind: {_kinds()}."
    if system.explain != ExplainSettings(kind="external"):
        why = "method and targets are of the model's own maps, and kind is 'external'"
        yield "explain", f"{why}. Delete them, or set kind to 'model'."


def _kinds() -> str:
    return ", ".join(PROVIDERS.names)
