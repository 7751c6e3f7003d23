"""Measure how well concepts are found in captions, against the CUIs of a real caption corpus.

    python scripts/vocabulary/measure_quality.py captions.csv concepts.csv --labels cui_mapping.csv \
        [--other "QuickUMLS 1.4=quickumls.csv"]

Prints Markdown tables as they stand in docs/explanation/vocabulary.md. The closed set is made of the label
CUIs that the truth holds at least once. A file of another extractor is what `radcap vocab link --extractor`
writes.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import Task
from radcap.formats import read_run
from radcap.vocabulary import Linker, Vocabulary, open_vocabulary, semantic_types
from radcap.vocabulary.quality import Agreement, measure_agreement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TYPES, ERRORS = 12, 12


def concept_sets(path: Path) -> dict[str, frozenset[str]]:
    """The concepts of each image of a concept file."""
    cells = read_run(path, Task.CONCEPTS)[0].cells
    return {image_id: frozenset(filter(None, (cell or "").split(";"))) for image_id, cell in cells.items()}


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figures(name: str, found: Agreement) -> list[str]:
    whole, interval = found.whole, found.f1_interval
    return [
        name,
        f"{whole.precision:.3f}",
        f"{whole.recall:.3f}",
        f"{whole.f1:.3f}",
        f"{found.f1_mean:.3f} ({interval.low:.3f} to {interval.high:.3f})",
    ]


def by_type(found: Agreement) -> str:
    known = semantic_types()
    rows = (
        [
            f"{one.tui} {known[one.tui].name}" if one.tui in known else one.tui,
            f"{one.hits + one.missed:,}",
            f"{one.precision:.3f}",
            f"{one.recall:.3f}",
            f"{one.f1:.3f}",
        ]
        for one in found.by_type[:TYPES]
    )
    return markdown(("Semantic type", "In the truth", "Precision", "Recall", "F1"), rows)


def errors(found: Agreement, vocabulary: Vocabulary, captions: Mapping[str, str]) -> str:
    rows = (
        [
            what,
            f"{one.cui} {vocabulary.name(one.cui)}",
            f"{one.count:,}",
            captions[one.example][:110].replace("|", " "),
        ]
        for what, some in (("missed", found.missed), ("invented", found.invented))
        for one in some
    )
    return markdown(("Error", "Concept", "Captions", "One of them"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("captions", type=Path)
    parser.add_argument("concepts", type=Path)
    parser.add_argument(
        "--labels", type=Path, required=True, help="a table whose first column are label CUIs"
    )
    parser.add_argument("--vocab", default="free")
    parser.add_argument("--other", action="append", default=[], metavar="NAME=FILE")
    given = parser.parse_args()
    captions = {one: cell or "" for one, cell in read_run(given.captions, Task.CAPTIONS)[0].cells.items()}
    truth = {one: cuis for one, cuis in concept_sets(given.concepts).items() if one in captions}
    with given.labels.open(encoding="utf-8", newline="") as file:
        labels = {row[0] for row in csv.reader(file)}
    closed = labels & frozenset[str]().union(*truth.values())
    vocabulary = open_vocabulary(given.vocab)
    mentions = Linker([vocabulary]).extract(captions.values())
    found = {one: frozenset(hit.cui for hit in hits) for one, hits in zip(captions, mentions, strict=True)}
    ours = measure_agreement(found, truth, closed, vocabulary.types, ERRORS)
    others = [one.partition("=")[::2] for one in given.other]
    rows = [figures("radcap", ours)]
    for name, path in others:
        rows.append(
            figures(name, measure_agreement(concept_sets(Path(path)), truth, closed, vocabulary.types))
        )
    print(f"{ours.captions:,} captions, {ours.concepts:,} concepts\n")
    print(markdown(("", "Precision", "Recall", "F1", "F1, mean over captions (95 %)"), rows), "\n")
    print(by_type(ours), "\n")
    print(errors(ours, vocabulary, captions))


if __name__ == "__main__":
    main()
