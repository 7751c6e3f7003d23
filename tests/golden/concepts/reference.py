"""The concept F1 of every edition, written straight from the description of the evaluators. No radcap here.

Slow and plain on purpose: one call of scikit-learn's `f1_score` per image, one addition after the other.
    python tests/golden/concepts/reference.py > tests/golden/concepts/expected.json
"""

from __future__ import annotations

import csv
import json
import platform
import sys
from functools import cache
from pathlib import Path

import numpy
import sklearn
from sklearn.metrics import f1_score

HERE = Path(__file__).parent
COMMAND = "python tests/golden/concepts/reference.py > tests/golden/concepts/expected.json"

MODALITIES14 = {"C0002978", "C0040405", "C0024485", "C0032743", "C0041618", "C1306645"}
REGIONS = {"C1140618", "C0037949", "C0030797", "C0023216", "C0037303", "C0817096", "C0006141", "C0000726"}
SET14 = MODALITIES14 | REGIONS
SET15 = SET14 | {"C0920367"}
DIRECTIONS = {"C1999039", "C1996865", "C0205129", "C0205131"}
SET2022_PAPER = SET14 - {"C0002978"} | {"C1699633"}
SET2025_PAPER = SET15 - {"C0006141"} | {"C1699633"}

# (edition, profile): how cells are read, whether ids with "ID" are dropped, the secondary scores
OLD, NEW, PAPER = "2017 code", "2022 code", "documents"
CONSTANT = {"f1_manual": None}
TABLE = {
    ("2017", "official"): (OLD, False, {}),
    ("2017", "documented"): (OLD, False, {}),
    ("2018", "official"): (OLD, False, CONSTANT),
    ("2018", "documented"): (OLD, False, {}),
    ("2019", "official"): (OLD, False, {}),
    ("2019", "documented"): (OLD, False, {}),
    ("2020", "official"): (OLD, False, {}),
    ("2020", "documented"): (PAPER, False, {}),
    ("2021", "official"): (NEW, False, {}),
    ("2021", "documented"): (PAPER, False, {}),
    ("2022", "official"): (NEW, False, CONSTANT),
    ("2022", "documented"): (PAPER, False, {"f1_manual": SET2022_PAPER}),
    ("2023", "official"): (NEW, True, {"f1_manual": SET14}),
    ("2023", "documented"): (PAPER, False, {"f1_manual": SET14}),
    ("2024", "official"): (NEW, True, {"f1_manual": SET14}),
    ("2024", "documented"): (PAPER, False, {"f1_manual": SET14}),
    ("2025", "official"): (NEW, True, {"f1_manual": SET15}),
    ("2025", "documented"): (PAPER, False, {"f1_manual": SET2025_PAPER}),
    ("2026", "official"): (NEW, True, {"f1_manual": SET15}),
    ("2026", "documented"): (PAPER, False, {"f1_manual": SET15}),
    ("rocov2", "official"): (
        NEW,
        False,
        {"f1_manual": SET14 | DIRECTIONS, "f1_manual_no_direction": SET14},
    ),
    ("rocov2", "documented"): (
        PAPER,
        False,
        {"f1_manual": SET14 | DIRECTIONS, "f1_manual_no_direction": SET14},
    ),
}


def load(name):
    """id -> cell as written; None where the row is an id alone."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {row[0]: row[1] if len(row) > 1 else None for row in rows}


def concepts(cell, way):
    """The list of concepts in a cell."""
    if cell is None:  # a row that is an id alone predicts nothing
        return []
    if way == OLD:
        return [] if cell.strip() == "" else cell.upper().split(";")
    parts = [part.strip().upper() for part in cell.split(";")]
    return [part for part in parts if part != ""] if way == PAPER else parts


@cache
def image_f1(truth, predicted):
    """Binary F1 over the union of both lists, as the evaluators call it."""
    every = sorted(truth | predicted)
    if not every:
        return 1.0  # only reached by the switch `one` of the documented profile
    y_true = [int(concept in truth) for concept in every]
    y_pred = [int(concept in predicted) for concept in every]
    return float(f1_score(y_true, y_pred, average="binary"))


def mean_f1(truth, run, way, drop_id, allowed, skip_empty):
    """Sum over the truth, one image after the other, divided by the images that count."""
    total = 0.0
    n = 0
    for image_id, cell in truth.items():
        if drop_id and "ID" in image_id:
            continue
        wanted = set(concepts(cell, way))
        said = set(concepts(run[image_id], way))
        if allowed is not None:
            wanted, said = wanted & allowed, said & allowed
        if skip_empty and not wanted:
            continue
        total += image_f1(frozenset(wanted), frozenset(said))
        n += 1
    return {"value": total / n, "n": n}


def score(edition, profile, switch):
    """All scores of one edition and profile; `switch` is the documented rule on an empty truth."""
    truth, manual, run = load("concepts.csv"), load("concepts_manual.csv"), load("run.csv")
    way, drop_id, secondary = TABLE[edition, profile]
    in_order = {image_id: manual[image_id] for image_id in truth}
    scores = {"f1": mean_f1(truth, run, way, drop_id, None, way == OLD or switch == "skip")}
    for name, allowed in secondary.items():
        if allowed is None:
            scores[name] = {"value": 0.0, "n": len(truth)}
        else:
            scores[name] = mean_f1(in_order, run, way, drop_id, allowed, switch != "one")
    return scores


def main():
    result = {}
    for edition, profile in TABLE:
        way = TABLE[edition, profile][0]
        here = result.setdefault(edition, {})
        if profile == "official":
            here[profile] = score(edition, profile, None)
        else:
            here[profile] = score(edition, profile, "skip")
            if way == PAPER:
                here["documented, empty truth one"] = score(edition, profile, "one")
    made = {
        "command": COMMAND,
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "numpy": numpy.__version__,
    }
    json.dump({"made": made, "scores": result}, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
