"""A UMLS release as a draft: MRCONSO.RRF and what lies beside it.

Invariant: each file is read once, in pieces; memory holds the names that are kept and one piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from radcap.vocabulary.drafts import PARENTS, RETIRED, TYPES, Draft
from radcap.vocabulary.sources.inputs import Reading
from radcap.vocabulary.sources.rrf.about import LICENCE, MRSAB, read_sources, sources_of
from radcap.vocabulary.sources.rrf.atoms import Known, read_atoms
from radcap.vocabulary.sources.rrf.concepts import (
    MRCUI,
    MRREL,
    MRSTY,
    marked,
    of_types,
    read_parents,
    read_retired,
    read_types,
)
from radcap.vocabulary.sources.rrf.engine import open_engine
from radcap.vocabulary.sources.rrf.folder import MRCONSO, find_release
from radcap.vocabulary.sources.rrf.ranks import MRRANK, Ranks, read_ranks

if TYPE_CHECKING:
    from typing import Any

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Input, Told
    from radcap.vocabulary.sources.rrf.atoms import Atoms
    from radcap.vocabulary.sources.rrf.engine import Engine

__all__ = ["read_umls"]


def read_umls(given: Input, findings: Findings, told: Told) -> Reading:
    """The names, types, parents, codes and retired concepts of a release."""
    release = find_release(given.path, given.release, findings)
    if release is None:
        return Reading(given.about("UMLS", licence=LICENCE))
    about = given.about("UMLS", "UMLS Metathesaurus", release.name, LICENCE)
    if given.filters.types is not None and not release.paths(MRSTY):
        findings.add("VOC108", MRSTY, path=release.meta)
        return Reading(about)
    with open_engine(release, findings, told) as engine:
        return Reading(about, _draft(engine, given, findings), filters=given.filters.to_text())


def _draft(engine: Engine, given: Input, findings: Findings) -> Draft:
    filters = given.filters
    types = read_types(engine, findings) if _is_there(engine, MRSTY, given, findings) else None
    retired = read_retired(engine) if engine.has(MRCUI) else RETIRED.empty_table()
    known = Known(
        None if types is None or filters.types is None else of_types(types, filters.types),
        None if types is None else marked(types),
        marked(retired) if len(retired) else None,
    )
    ranks = read_ranks(engine) if engine.has(MRRANK) else Ranks()
    errors, seen = len(findings.errors), findings.counts.total()
    atoms = read_atoms(engine, filters, ranks, known, findings)
    if not len(atoms.names) and len(findings.errors) == errors:  # else the file itself is at fault
        said = ", ".join(f"{name} {value}" for name, value in filters.to_text().items())
        todo = "See the other findings, or choose more." if findings.counts.total() > seen else "Choose more."
        findings.add("VOC112", MRCONSO, file=MRCONSO, why=f"no row fits {said}", todo=todo)
    described = read_sources(engine) if engine.has(MRSAB) else {}
    return Draft(
        sources_of(atoms.sources, described),
        atoms.names,
        _kept(types, atoms),
        _parents(engine, given, atoms, findings),
        atoms.codes,
        retired,
    )


def _is_there(engine: Engine, file: str, given: Input, findings: Findings) -> bool:
    if not engine.has(file):
        findings.add("VOC107", file, path=given.path)
    return engine.has(file)


def _kept(types: Any, atoms: Atoms) -> Any:
    """The types of concepts that have a name."""
    if types is None:
        return TYPES.empty_table()
    return types.filter(pa.array(atoms.there[types.column("cui").to_numpy()]))


def _parents(engine: Engine, given: Input, atoms: Atoms, findings: Findings) -> Any:
    if not given.filters.hierarchy:
        return PARENTS.empty_table()
    if not engine.has(MRREL):
        effect = "The vocabulary has no hierarchy"
        findings.add("VOC113", MRREL, file=MRREL, path=given.path, effect=effect)
        return PARENTS.empty_table()
    return read_parents(engine, given.filters, atoms.there)
