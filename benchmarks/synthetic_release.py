"""A UMLS release in its own format, made up from a seed, as large as one likes.

Invariant: the same size and seed give the same bytes; a row has the fields of `MRCONSO.RRF` or `MRSTY.RRF`,
each with a pipe behind it.

    python benchmarks/synthetic_release.py OUT --rows 17000000
    python benchmarks/synthetic_release.py OUT --names FOLDER
"""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from synthetic import SEED, Lottery
from synthetic_vocabulary import NAMES_PER_CONCEPT, TYPES, WORDS, Folder, Term, lexicon, names, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["write_release", "write_same_names"]

# Shares of a release by language, suppression, and source with its restriction level.
_LANGUAGES = Lottery({"ENG": 70, "SPA": 10, "FRE": 5, "POR": 5, "GER": 4, "JPN": 3, "RUS": 3})
_SUPPRESSED = Lottery({"N": 86, "O": 9, "Y": 3, "E": 2})
_SOURCES = Lottery(
    {
        ("SNOMEDCT_US", "9"): 30,
        ("MSH", "0"): 20,
        ("RXNORM", "0"): 12,
        ("NCI", "0"): 12,
        ("MTH", "0"): 10,
        ("MDR", "3"): 8,
        ("ICD10CM", "4"): 4,
        ("LNC", "0"): 4,
    }
)


def write_release(path: Path, rows: int, seed: int = SEED) -> None:
    """So many rows of names in the shape of a whole release, and a type for each concept."""
    path.mkdir(parents=True)
    concepts: list[Term] = []
    write_lines(path / "MRCONSO.RRF", _rows(Random(seed), rows, concepts))
    write_lines(path / "MRSTY.RRF", map(_type_row, concepts))


def write_same_names(path: Path, terms: Sequence[Term]) -> None:
    """These names and no others, for programs that read nothing but a release."""
    path.mkdir(parents=True)
    rows = (_row(number, one, "ENG|P", "MTH|PN", "0|N") for number, one in enumerate(terms))
    write_lines(path / "MRCONSO.RRF", rows)
    write_lines(path / "MRSTY.RRF", map(_type_row, {one.cui: one for one in terms}.values()))


def _rows(random: Random, rows: int, concepts: list[Term]) -> Iterator[str]:
    """Rows of names; concepts are put into the list when they begin."""
    for number, name in enumerate(islice(names(random, lexicon(WORDS)), rows)):
        new = not concepts or random.random() < 1 / NAMES_PER_CONCEPT
        if new:
            place = len(concepts) + 1
            concepts.append(Term(f"C{place:07d}", name, TYPES[place % len(TYPES)]))
        source, level = _SOURCES.draw(random)
        status, kind = ("P", "PT") if new else ("S", "SY")
        said = concepts[-1]._replace(name=name)
        language = f"{_LANGUAGES.draw(random)}|{status}"
        yield _row(number, said, language, f"{source}|{kind}", f"{level}|{_SUPPRESSED.draw(random)}")


def _row(number: int, term: Term, language: str, source: str, marks: str) -> str:
    """A row of `MRCONSO.RRF`: language and status, source and kind, level and suppression come in pairs."""
    ids = f"L{number:08d}|PF|S{number:08d}|Y|A{number:08d}|{number}|{number}|"
    return f"{term.cui}|{language}|{ids}|{source}|{number}|{term.name}|{marks}|256|"


def _type_row(term: Term) -> str:
    return f"{term.cui}|{term.tui}|A1.1|Made up|AT{term.cui[1:]}|256|"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a made-up UMLS release.")
    parser.add_argument("out", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--names", type=Path, help="a folder of names, to write these instead")
    asked = parser.parse_args()
    if asked.names is None:
        write_release(asked.out, asked.rows)
    else:
        write_same_names(asked.out, Folder(asked.names).read_terms())


if __name__ == "__main__":
    main()
