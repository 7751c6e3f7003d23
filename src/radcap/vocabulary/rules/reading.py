"""Concept rules from TOML files: those that ship with radcap, by name, or one of your own, by path.

Invariant: a file is refused with all of its problems, each with line and key; a CUI is never made to fit.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.core import unknown_name
from radcap.formats.file_findings import FileFindings
from radcap.vocabulary.rules.codes import CODES
from radcap.vocabulary.rules.concept_rules import Blacklisted, ConceptRules, Fate, FrequencyCut, Remap, Unit
from radcap.vocabulary.rules.toml_tables import TomlTable
from radcap.vocabulary.words import data_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from radcap.core import Cui

__all__ = ["read_rules", "rules_names"]

_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_ABOVE, _AT_LEAST = ">", ">="


@cache
def rules_names() -> tuple[str, ...]:
    """The rules that ship with radcap."""
    names = (one.name for one in data_file("rules").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def read_rules(name_or_path: str | Path) -> ConceptRules:
    """The rules of that name, or those in a file."""
    name = str(name_or_path)
    if name in rules_names():
        return _read(data_file("rules", f"{name}.toml"), name)
    path = Path(name_or_path)
    if isinstance(name_or_path, str) and not path.exists() and path.suffix != ".toml":
        raise unknown_name("set of concept rules", name, rules_names())
    return _read(path, name)


def _read(file: Path | Traversable, name: str) -> ConceptRules:
    findings = FileFindings(CODES)
    text = _text(file, findings)
    values = _values(text, findings)
    findings.refuse(name)
    rules = _rules(TomlTable(values, text, findings))
    findings.refuse(name)
    return rules


def _text(file: Path | Traversable, findings: FileFindings) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        findings.add("RUL101", why=error.strerror or str(error))
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        findings.add("RUL102", "", line, 1, byte=f"0x{error.object[error.start]:02X}")
    return ""


def _values(text: str, findings: FileFindings) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line, column = map(int, place.groups()) if place else (text.count("\n") + 1, 1)
        why = _PLACE.sub("", str(error)).removesuffix(" (at end of document)")
        findings.add("RUL103", "", line, column, why=why[:1].lower() + why[1:])
    except RecursionError:
        findings.add("RUL103", "", 1, 1, why="lists stand in lists too deep")
    return {}


def _rules(table: TomlTable) -> ConceptRules:
    types, manual = table.table("types"), table.table("manual")
    remaps = tuple(_remaps(table))
    blacklist = tuple(_blacklist(table, {one.cui for one in remaps if not one.word}))
    named = types.types("named")
    rules = ConceptRules(
        name=table.text("name", "Reports call the rules by it."),
        version=table.number("version", "Two sets of rules of one name are told apart by it."),
        source=table.text("source", "People ask who says so."),
        named_types=frozenset(named),
        inferred_types=frozenset(_others(types, named)),
        unknown_types=types.member("unknown", Fate, Fate.KEEP),
        negated=table.member("negated", Fate, Fate.KEEP),
        uncertain=table.member("uncertain", Fate, Fate.KEEP),
        blacklist=blacklist,
        remaps=remaps,
        frequency=_frequency(table.table("frequency")),
        automatic_modality=manual.member("automatic_modality", Fate, Fate.KEEP),
    )
    for one in (types, manual, table):
        one.note_unknown()
    return rules


def _others(types: TomlTable, named: tuple[str, ...]) -> Iterator[str]:
    for one in types.types("inferred"):
        if one in named:
            types.note("RUL207", "inferred", one)
        yield one


def _blacklist(table: TomlTable, remapped: set[Cui]) -> Iterator[Blacklisted]:
    seen: set[str] = set()
    for entry in table.tables("blacklist"):
        cui = entry.cui("cui", "It is the concept.")
        if cui and cui in seen | remapped:
            entry.note("RUL207" if cui in seen else "RUL209", "cui", cui)
        seen.add(cui)
        name, reason = entry.text("name"), entry.text("reason", "Each dropped concept says why.")
        yield Blacklisted(cui, name, reason, entry.flag("ours"))
        entry.note_unknown()


def _remaps(table: TomlTable) -> Iterator[Remap]:
    seen: set[tuple[str, str]] = set()
    entries = list(table.tables("remap"))
    froms = [entry.cui("from", "It is the concept that was found.") for entry in entries]
    for entry, cui in zip(entries, froms, strict=True):
        word, to = entry.text("word"), entry.cui("to")
        if cui and (cui, word) in seen:
            entry.note("RUL207", "from", cui)
        seen.add((cui, word))
        if to and to in froms:
            entry.note("RUL208", "to", cui)
        name = entry.text("name", "It is the name of the concept it leads to." if to else "")
        yield Remap(
            cui,
            entry.text("reason", "Each corrected concept says why."),
            word,
            to or None,
            name,
            entry.types("types"),
            entry.flag("ours"),
        )
        entry.note_unknown()


def _frequency(table: TomlTable) -> FrequencyCut | None:
    if table.is_empty:
        return None
    cut = FrequencyCut(
        table.number("threshold", "It is how often a concept must be found."),
        table.choice("compare", (_ABOVE, _AT_LEAST), _ABOVE) == _ABOVE,
        table.member("unit", Unit, Unit.IMAGES),
    )
    table.note_unknown()
    return cut
