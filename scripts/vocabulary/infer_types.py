"""Finds semantic types of concepts from captions that name both, unordered.

ROCO v1 gives each caption the set of its CUIs and the set of all their semantic types, but not which type
belongs to which CUI. Two bounds follow for each CUI:

- possible: what all its captions have in common; every type of the CUI is among them.
- proven: a possible type that stands alone, or that no other CUI of one of its captions can have.

Both hold as long as a caption lists every type of its CUIs. A CUI whose captions have no type in common
contradicts that; such CUIs are counted and printed. A CUI may have more types than the proven ones.

    python scripts/vocabulary/infer_types.py ROCO_V1.csv[.gz] OUT.csv --labels CUI_NAMES.csv ...
    python scripts/vocabulary/infer_types.py ROCO_V1.csv[.gz] OUT.csv --compare label_types.csv
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Caption:
    """What one caption says: its concepts, and the types of all of them together."""

    cuis: frozenset[str]
    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is known of the types of one CUI, and from how many captions."""

    proven: frozenset[str]
    possible: frozenset[str]
    captions: int


def infer(captions: Iterable[Caption]) -> dict[str, Bounds]:
    captions = [caption for caption in captions if caption.cuis]
    counts = Counter(cui for caption in captions for cui in caption.cuis)
    possible = _possible(captions)
    proven = _proven(captions, possible)
    return {cui: Bounds(frozenset(proven[cui]), possible[cui], counts[cui]) for cui in sorted(possible)}


def _possible(captions: Iterable[Caption]) -> dict[str, frozenset[str]]:
    possible: dict[str, frozenset[str]] = {}
    for caption in captions:
        for cui in caption.cuis:
            possible[cui] = possible.get(cui, caption.types) & caption.types
    return possible


def _proven(
    captions: Iterable[Caption], possible: Mapping[str, frozenset[str]]
) -> defaultdict[str, set[str]]:
    proven = defaultdict(set, {cui: set(types) for cui, types in possible.items() if len(types) == 1})
    for caption in captions:
        for tui in caption.types:
            bearers = [cui for cui in caption.cuis if tui in possible[cui]]
            if len(bearers) == 1:
                proven[bearers[0]].add(tui)
    return proven


def read_captions(path: Path) -> Iterator[Caption]:
    for row in _rows(path, "CUIs", "semtypes"):
        yield Caption(_parts(row["CUIs"]), _parts(row["semtypes"]))


def read_cuis(paths: Iterable[Path]) -> set[str]:
    """The first column of each file, without its header."""
    cuis: set[str] = set()
    for path in paths:
        with _text(path) as file:
            cuis |= {row[0] for row in list(csv.reader(file))[1:]}
    return cuis


def read_types(path: Path) -> dict[str, frozenset[str]]:
    return {row["CUI"]: _parts(row["TUI"]) for row in _rows(path, "CUI", "TUI")}


def write(bounds: Mapping[str, Bounds], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["CUI", "proven", "possible", "captions"])
        for cui, bound in bounds.items():
            sets = (";".join(sorted(types)) for types in (bound.proven, bound.possible))
            writer.writerow([cui, *sets, bound.captions])


def compare(bounds: Mapping[str, Bounds], types: Mapping[str, frozenset[str]]) -> None:
    """Prints how often a table gives the proven types, what it mixes up, and what cannot be so."""
    proven = {cui: bound.proven for cui, bound in bounds.items() if bound.proven and cui in types}
    wrong = Counter(
        (";".join(sorted(types[cui])), ";".join(sorted(found)))
        for cui, found in proven.items()
        if types[cui] != found
    )
    print(f"{len(proven) - wrong.total()} of {len(proven)} CUIs have exactly their proven types")
    for (given, found), count in wrong.most_common():
        print(f"  {given} where {found} is proven: {count}")
    outside = [cui for cui, given in types.items() if cui in bounds and not given <= bounds[cui].possible]
    print(f"{len(outside)} CUIs have a type that is not possible: {' '.join(outside) or 'none'}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "roco", type=Path, help="CSV of ROCO v1 with the columns CUIs and semtypes, may be gzip"
    )
    parser.add_argument("out", type=Path, help="CSV to write: CUI, proven, possible, captions")
    parser.add_argument("--labels", type=Path, nargs="+", default=[], help="CSVs whose first column is kept")
    parser.add_argument("--compare", type=Path, help="CSV with CUI and TUI to set against what was found")
    options = parser.parse_args(arguments)
    bounds = infer(read_captions(options.roco))
    impossible = sorted(cui for cui, bound in bounds.items() if not bound.possible)
    if options.labels:
        labels = read_cuis(options.labels)
        bounds = {cui: bound for cui, bound in bounds.items() if cui in labels}
    write(bounds, options.out)
    print(f"{len(bounds)} CUIs, {sum(bool(bound.proven) for bound in bounds.values())} with a proven type")
    print(f"{len(impossible)} CUIs contradict themselves: {' '.join(impossible) or 'none'}")
    if options.compare:
        compare(bounds, read_types(options.compare))


def _rows(path: Path, *columns: str) -> Iterator[dict[str, str]]:
    with _text(path) as file:
        reader = csv.DictReader(file)
        missing = [column for column in columns if column not in (reader.fieldnames or ())]
        if missing:
            sys.exit(f"{path}: no column {' or '.join(missing)} in its first line; give the CSV that has it")
        yield from reader


def _text(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _parts(cell: str) -> frozenset[str]:
    return frozenset(part for part in cell.split(";") if part)


if __name__ == "__main__":
    main()
