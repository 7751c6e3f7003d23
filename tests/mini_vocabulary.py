"""A small vocabulary with the concepts of the README's examples, as data and as a compiled file.

It has one of everything: synonyms, types, parents, codes, retired CUIs, two sources with notices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vocabulary_samples import number

from radcap.vocabulary.concepts import type_number
from radcap.vocabulary.drafts import PREFERRED, SYNONYM, make_draft
from radcap.vocabulary.index.compiling import compile_draft
from radcap.vocabulary.stamps import Source, Stamp

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.vocabulary.drafts import Draft

__all__ = [
    "CT",
    "EXAMPLE",
    "NOTICE",
    "mini_draft",
    "mini_stamp",
    "write_mini",
    "write_rrf_folder",
    "write_small",
]

CT = "C0040405"
EXAMPLE = "CT of the chest with left pleural effusion"
NOTICE = "Names as published with the data of the challenge."

# CUI, types, parents, names: the first is the preferred one
_CONCEPTS = (
    ("C0040405", "T060", "", ("X-Ray Computed Tomography", "CT", "computed tomography", "CT scan")),
    ("C0024485", "T060", "", ("Magnetic Resonance Imaging", "MRI", "MR imaging")),
    ("C1306645", "T060", "", ("Plain x-ray", "radiograph", "X-ray")),
    ("C0817096", "T029", "", ("Chest", "thorax")),
    ("C0024109", "T023", "C0817096", ("Lung", "lungs")),
    ("C0032227", "T047", "C0013687", ("Pleural effusion", "effusion of pleura")),
    ("C0013687", "T046", "", ("Effusion",)),
    ("C0032285", "T047", "", ("Pneumonia",)),
    ("C0032326", "T047", "", ("Pneumothorax", "collapsed lung")),
    ("C0034065", "T047 T046", "", ("Pulmonary Embolism", "pulmonary thromboembolism")),
    ("C0085590", "T074", "", ("Catheter",)),
    ("C0021485", "", "", ("Image",)),
)


def mini_draft() -> Draft:
    """The concepts above."""
    names: list[tuple[int, str, int, int]] = []
    for cui, _, _, given in _CONCEPTS:
        names += [
            (number(cui), name, min(place, 1), SYNONYM if place else PREFERRED)
            for place, name in enumerate(given)
        ]
    return make_draft(
        (
            Source("LABELS", "Labels of the challenge", "2025", "as published", NOTICE),
            Source("RADCAP", "Words of captions", "1", "Apache-2.0", NOTICE),
        ),
        names,
        [(number(cui), _type(tui)) for cui, types, _, _ in _CONCEPTS for tui in types.split()],
        [(number(cui), number(above)) for cui, _, above, _ in _CONCEPTS if above],
        [(number("C0032227"), 0, "60046008")],
        [(number("C0000001"), "SY", number("C0032227")), (number("C0000002"), "DEL", 0)],
    )


def _type(tui: str) -> int:
    found = type_number(tui)
    assert found is not None
    return found


def mini_stamp(name: str = "mini") -> Stamp:
    return Stamp(name, "2025AA", "for tests", (), {"language": "ENG"})


def write_mini(path: Path) -> Path:
    """The small vocabulary, compiled."""
    compile_draft(mini_draft(), mini_stamp(), path)
    return path


def write_small(path: Path, *concepts: tuple[str, str], name: str = "own") -> Path:
    """CUIs and names and nothing else, from one source, compiled."""
    draft = make_draft([Source("OWN")], [(number(cui), text, 0, PREFERRED) for cui, text in concepts])
    compile_draft(draft, mini_stamp(name), path)
    return path


def write_rrf_folder(folder: Path) -> Path:
    """A UMLS release of three concepts: one of another language, and one that is suppressed."""
    atoms = (
        ("C0032227", "ENG", "MSH", "Pleural Effusion", "0", "N"),
        ("C0032227", "GER", "MSHGER", "Pleuraerguss", "3", "N"),
        ("C0817096", "ENG", "SNOMEDCT_US", "Thorax", "9", "N"),
        ("C0040405", "ENG", "OLD", "Tomography, obsolete", "0", "O"),
    )
    rows = [
        f"{cui}|{language}|P|L{n}|PF|S{n}|Y|A{n}||{n}||{source}|PT|{n}|{name}|{level}|{suppressed}||"
        for n, (cui, language, source, name, level, suppressed) in enumerate(atoms, 1)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "MRCONSO.RRF").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    types = (
        "C0032227|T047|B2.2.1.2.1|Disease or Syndrome|AT1||",
        "C0817096|T029|A2.1.5.2|Body Location|AT2||",
    )
    (folder / "MRSTY.RRF").write_text("".join(f"{row}\n" for row in types), encoding="utf-8")
    return folder
