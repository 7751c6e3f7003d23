"""The concept score as the evaluators of 2023 to 2025 compute it: what a participant runs without radcap.

Written for these measurements from the description of those evaluators, with their way of working, not with
their text: ids are looked up in tuples, the tuple of seen ids is built anew for every row, the first fault
stops, and every image is one call of scikit-learn. Invariant: nothing of radcap is imported here.

    python benchmarks/official_concepts.py run.csv truth [--check]
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

Cells = dict[str, tuple[str, ...]]

MOST_CUIS = 100
_MODALITIES = {"C0002978", "C0040405", "C0024485", "C0032743", "C0041618", "C1306645", "C0920367"}
_REGIONS = {
    *("C1140618", "C0037949", "C0030797", "C0023216"),
    *("C0037303", "C0817096", "C0006141", "C0000726"),
}
MANUAL_SET = frozenset(_MODALITIES | _REGIONS)


def read_truth(path: Path) -> Cells:
    with path.open(encoding="utf-8", newline="") as file:
        return {row[0]: _parts(row[1]) for row in csv.reader(file) if "ID" not in row[0]}


def _parts(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(";"))


def read_run(path: Path, truth: Mapping[str, tuple[str, ...]]) -> Cells:
    """The run, or the first fault as a ValueError."""
    known = tuple(truth)
    cells: Cells = {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = (row for row in csv.reader(file) if "ID" not in row[0])
        for line, row in enumerate(rows, 1):
            if len(row) not in {1, 2}:
                raise ValueError(f"line {line}: {len(row)} cells")
            image_id = row[0]
            if image_id not in known:  # scans half of the truth
                raise ValueError(f"line {line}: unknown id {image_id}")
            seen = tuple(cells)  # copies all ids so far
            if image_id in seen:  # scans all of them
                raise ValueError(f"line {line}: id {image_id} again")
            concepts = _parts(row[1]) if len(row) > 1 else ()
            if len(concepts) > MOST_CUIS:
                raise ValueError(f"line {line}: {len(concepts)} concepts")
            if len(set(concepts)) != len(concepts):
                raise ValueError(f"line {line}: a concept twice")
            cells[image_id] = concepts
    if len(cells) != len(known):
        raise ValueError(f"{len(cells)} of {len(known)} ids")
    return cells


def mean_f1(run: Cells, truth: Cells, allowed: AbstractSet[str] | None = None) -> float:
    """Mean of scikit-learn's F1 over the union of both sets; images without a true concept are left out."""
    from sklearn.metrics import f1_score

    total, n = 0.0, len(truth)
    for image_id, cell in run.items():
        said = tuple(cui.upper() for cui in cell)
        true = tuple(cui.upper() for cui in truth[image_id])
        if allowed is not None:
            said = tuple(cui for cui in said if cui in allowed)
            true = tuple(cui for cui in true if cui in allowed)
        if not true:
            n -= 1
            continue
        union = sorted({*said, *true})
        total += f1_score([int(cui in true) for cui in union], [int(cui in said) for cui in union])
    return float(total / n)


def main() -> None:
    parser = argparse.ArgumentParser(description="Score a concept run the official way.")
    parser.add_argument("run", type=Path)
    parser.add_argument("truth", type=Path, help="folder with concepts.csv and concepts_manual.csv")
    parser.add_argument("--check", action="store_true", help="load and validate only")
    asked = parser.parse_args()
    truth = read_truth(asked.truth / "concepts.csv")
    manual = read_truth(asked.truth / "concepts_manual.csv")
    try:
        run = read_run(asked.run, truth)
    except ValueError as fault:
        sys.exit(f"refused: {fault}")
    if asked.check:
        print(json.dumps({"rows": len(run)}))
        return
    scores = {"f1": mean_f1(run, truth), "f1_manual": mean_f1(run, manual, MANUAL_SET)}
    print(json.dumps(scores))


if __name__ == "__main__":
    main()
