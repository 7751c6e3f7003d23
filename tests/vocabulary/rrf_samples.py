"""UMLS releases made up in the exact format: as large as asked for, the same for the same seed.

Every field stands where the documentation of the format puts it; names are drawn from medical words, in
several languages, sources, suppression and restriction levels, with quotes and signs as real names have.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["ATOM_FIELDS", "Atom", "atoms", "rrf_line", "write_release", "write_rows"]

ATOM_FIELDS = (
    *("cui", "lat", "ts", "lui", "stt", "sui", "ispref", "aui", "saui", "scui", "sdui", "sab", "tty", "code"),
    *("str", "srl", "suppress", "cvf"),
)
_WORDS = (
    *(
        "left",
        "right",
        "acute",
        "chronic",
        "pleural",
        "effusion",
        "of",
        "the",
        "lung",
        "liver",
        "node",
        "mass",
    ),
    *("stenosis", "artery", "coronary", "vein", "fracture", "edema", "œdème", "lésion", "T2", "12", "cm"),
    *(
        "structure",
        "entire",
        "X-ray",
        "tomography",
        '5"',
        "'n'",
        "(finding)",
        "NOS",
        "β-cell",
        "肺",
        "Sjögren's",
    ),
)
_SOURCES = {
    "MTH": ("0", ("PN", "NM")),
    "MSH": ("0", ("MH", "ET", "PM")),
    "SNOMEDCT_US": ("9", ("PT", "SY", "FN")),
    "NCI": ("0", ("PT", "SY", "AB")),
    "RADLEX": ("1", ("PT", "SY")),
    "MDR": ("3", ("LLT", "PT")),
    "MSHSPA": ("3", ("MH", "ET")),
}
_TYPES = ("T023", "T029", "T033", "T046", "T047", "T060", "T061", "T074", "T191")


@dataclass(frozen=True, slots=True)
class Atom:
    """One row of MRCONSO.RRF."""

    cui: str
    lat: str = "ENG"
    ts: str = "P"
    lui: str = "L0000001"
    stt: str = "PF"
    sui: str = "S0000001"
    ispref: str = "Y"
    aui: str = "A0000001"
    saui: str = ""
    scui: str = ""
    sdui: str = ""
    sab: str = "MTH"
    tty: str = "PN"
    code: str = "NOCODE"
    str: str = "Chest"
    srl: str = "0"
    suppress: str = "N"
    cvf: str = ""

    @property
    def line(self) -> str:
        return rrf_line(*(getattr(self, name) for name in ATOM_FIELDS))


def rrf_line(*fields: object) -> str:
    """Fields as the format writes them, with a pipe behind each."""
    return "".join(f"{field}|" for field in fields)


def write_rows(path: Path, lines: Iterable[str]) -> Path:
    """Lines with their ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path


def atoms(rows: int, seed: int = 0) -> Iterator[Atom]:
    """About so many atoms, those of a concept one after another."""
    draw = random.Random(seed)  # noqa: S311 - made-up names, no secrets
    made = concept = 0
    while made < rows:
        concept += draw.randint(1, 3)
        for _ in range(min(draw.randint(1, 8), rows - made)):
            made += 1
            yield _atom(draw, f"C{concept:07d}", made)


def _atom(draw: random.Random, cui: str, number: int) -> Atom:
    source = draw.choice(tuple(_SOURCES))
    level, kinds = _SOURCES[source]
    code = f"{draw.randint(1, 10**8)}" if source == "SNOMEDCT_US" else f"D{number:06d}"
    return Atom(
        cui,
        "SPA" if source == "MSHSPA" else draw.choice(("ENG", "ENG", "ENG", "FRE")),
        draw.choice("PPSps"),
        f"L{number:08d}",
        draw.choice(("PF", "VO", "VC")),
        f"S{number:08d}",
        draw.choice("YYN"),
        f"A{number:08d}",
        "",
        code if source == "SNOMEDCT_US" else "",
        "",
        source,
        draw.choice(kinds),
        code,
        " ".join(draw.choices(_WORDS, k=draw.randint(1, 7))),
        level,
        draw.choice("NNNNNNOEY"),
        draw.choice(("", "256")),
    )


def write_release(folder: Path, rows: int, seed: int = 0, *, relations: int | None = None) -> Path:
    """A release of so many atoms: the folder, with META inside it."""
    meta = folder / "META"
    concepts: dict[str, None] = {}

    def written() -> Iterator[str]:
        for atom in atoms(rows, seed):
            concepts[atom.cui] = None
            yield atom.line

    write_rows(meta / "MRCONSO.RRF", written())
    draw = random.Random(seed + 1)  # noqa: S311
    known = list(concepts)
    write_rows(meta / "MRSTY.RRF", _types(known, draw))
    write_rows(meta / "MRSAB.RRF", _sources())
    write_rows(meta / "MRRANK.RRF", _ranks())
    write_rows(meta / "MRCUI.RRF", _retired(known, draw))
    write_rows(meta / "MRREL.RRF", _relations(known, rows if relations is None else relations, draw))
    return folder


def _types(concepts: list[str], draw: random.Random) -> Iterator[str]:
    for number, cui in enumerate(concepts):
        for tui in sorted(draw.sample(_TYPES, draw.choice((1, 1, 1, 2)))):
            yield rrf_line(cui, tui, "A1.2", "Some Type", f"AT{number:08d}", "")


def _sources() -> Iterator[str]:
    for name, (level, kinds) in _SOURCES.items():
        for version, current in (("2021", "N"), ("2022", "Y")):
            yield rrf_line(
                *(
                    "C1140093",
                    "C0000001",
                    f"{name}_{version}",
                    name,
                    f"{name}, the whole title",
                    name,
                    version,
                ),
                *("", "", "2004AA", "", "licence contact", "content contact", level, 100, 50, "FULL"),
                *(
                    ",".join(kinds),
                    "",
                    "ENG",
                    "UTF-8",
                    current,
                    "Y",
                    name,
                    f"The authors of {name}. {version}.",
                ),
            )


def _ranks() -> Iterator[str]:
    kinds = [(source, kind) for source, (_, kinds) in _SOURCES.items() for kind in kinds]
    for place, (source, kind) in enumerate(kinds):
        yield rrf_line(f"{len(kinds) - place:04d}", source, kind, "N")


def _retired(concepts: list[str], draw: random.Random) -> Iterator[str]:
    for number in range(min(len(concepts), 50)):
        gone = f"C9{number:06d}"
        relation = draw.choice(("DEL", "SY", "RB", "RN", "RO"))
        now = "" if relation == "DEL" else draw.choice(concepts)
        yield rrf_line(gone, "2019AA", relation, "", "", now, "Y" if now else "")


def _relations(concepts: list[str], rows: int, draw: random.Random) -> Iterator[str]:
    for number in range(rows):
        first, second = draw.choice(concepts), draw.choice(concepts)
        relation, more = draw.choice((("PAR", "inverse_isa"), ("CHD", "isa"), ("RO", "part_of"), ("SY", "")))
        yield rrf_line(
            *(first, f"A{number:08d}", "SCUI", relation, second, f"A{number + 1:08d}", "SCUI", more),
            *(
                f"R{number:08d}",
                "",
                draw.choice(("MSH", "SNOMEDCT_US")),
                "MSH",
                "",
                "N",
                draw.choice("NNNO"),
                "",
            ),
        )
