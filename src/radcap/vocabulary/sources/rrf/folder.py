"""The files of a UMLS release, wherever its folder keeps them.

Invariant: a file is plain, packed by gzip, or split into parts aa, ab, ...; parts are read in order, and one
that is missing in between is a finding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.vocabulary.sources.text_lines import read_lines

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.vocabulary.findings import Findings

__all__ = ["MRCONSO", "Release", "find_meta", "find_release"]

MRCONSO = "MRCONSO.RRF"
_PART = re.compile(r"\.([a-z]{2})(?:\.gz)?$", re.IGNORECASE)
_NAME = re.compile(r"(?<!\d)((?:19|20)\d\dA[A-C])(?![A-Za-z])", re.IGNORECASE)
_NAMED_BY = 4  # folders above the files whose names may tell the release
_LETTERS = 26


@dataclass(frozen=True, slots=True)
class Release:
    """The folder with the files, and its name, as 2022AB."""

    meta: Path
    name: str
    files: dict[str, tuple[Path, ...]]  # by name, as MRSTY.RRF

    def paths(self, name: str) -> tuple[Path, ...]:
        """The parts of a file; none if it is not there."""
        return self.files.get(name, ())


def find_meta(path: Path) -> Path | None:
    """The folder that holds MRCONSO.RRF: this one, META inside it, or META of the one release inside it."""
    if path.is_file():
        return path.parent if _is_of(MRCONSO, path) else None
    if not path.is_dir():
        return None
    inside = sorted(path.glob("*/META"))
    places = [path, path / "META", *(inside if len(inside) == 1 else ())]
    return next((one for one in places if one.is_dir() and any(map(_is_conso, one.iterdir()))), None)


def find_release(path: Path, given: str, findings: Findings) -> Release | None:
    """The release at a path; `given` is its name if somebody said it."""
    meta = find_meta(path)
    if meta is None:
        code = "VOC102" if path.exists() else "VOC101"
        todo = "Give the folder with MRCONSO.RRF. Files of the kind .nlm are unpacked by MetamorphoSys first."
        findings.add(code, str(path), path=path, found="no MRCONSO.RRF", todo=todo)
        return None
    there = sorted(one for one in meta.iterdir() if one.is_file())
    names = {one.name.upper().split(".RRF")[0] + ".RRF" for one in there if ".RRF" in one.name.upper()}
    files = {name: _parts(name, there, findings) for name in sorted(names)}
    if not files[MRCONSO]:
        return None  # a part is missing, and was named
    release = Release(meta, "", files)
    return Release(meta, given or _told(release, findings) or _named(meta), files)


def _is_conso(path: Path) -> bool:
    return _is_of(MRCONSO, path) and path.is_file()


def _is_of(name: str, path: Path) -> bool:
    upper = path.name.upper()
    return upper in {name, f"{name}.GZ"} or (upper.startswith(f"{name}.") and bool(_PART.search(path.name)))


def _parts(name: str, there: list[Path], findings: Findings) -> tuple[Path, ...]:
    """The paths that make a file: the plain one, else the packed one, else its parts."""
    found = {one.name.upper(): one for one in there if _is_of(name, one)}
    for whole in (name, f"{name}.GZ"):
        if whole in found:
            return (found[whole],)
    parts = {match[1].lower(): one for one in found.values() if (match := _PART.search(one.name))}
    for place, part in enumerate(sorted(parts)):
        wanted = chr(ord("a") + place // _LETTERS) + chr(ord("a") + place % _LETTERS)
        if part != wanted:
            findings.add("VOC109", parts[part].name, file=parts[part].name, missing=f"{name}.{wanted}")
            return ()
    return tuple(parts[one] for one in sorted(parts))


def _told(release: Release, findings: Findings) -> str:
    """The name as release.dat or MRDOC.RRF has it."""
    about = release.meta / "release.dat"
    if about.is_file():
        for _, text in read_lines([about], about.name, findings):
            key, _, value = text.partition("=")
            if key.strip() == "umls.release.name":
                return value.strip()
    documented = release.paths("MRDOC.RRF")
    for _, text in read_lines(documented, "MRDOC.RRF", findings) if documented else ():
        if text.startswith("RELEASE|umls.release.name|"):
            return f"{text}|".split("|")[3].strip()
    return ""


def _named(meta: Path) -> str:
    """The name as the folders have it."""
    resolved = meta.resolve()
    for one in (resolved, *resolved.parents)[:_NAMED_BY]:
        match = _NAME.search(one.name)
        if match:
            return match[1].upper()
    return ""
