"""How much the quicker maps of `radcap read` lose against those of `radcap explain`.

    python scripts/measure_read_maps.py --images 160 --device auto

Occlusion over a grid of 5 by 5 and of 7 by 7 on the same statements of the same validation images, by
insertion less deletion (higher is better), against edges; intervals by resampling images.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

import numpy as np

from radcap.captioning.models import CaptionAnswers
from radcap.datasets import load_dataset
from radcap.explanation.auditing import audited
from radcap.explanation.gathering import evidence_of
from radcap.explanation.mapping import MethodChoice, mapped
from radcap.explanation.subjects.opening import Photo, subject_of
from radcap.explanation.subjects.wanted import Wanted
from radcap.explanation.system import BoxSettings
from radcap.explanation.values import Kind
from radcap.reading.looking import looks, readable
from radcap.systems.predicting import opened_model

GRIDS = (5, 7)
DRAWS = 2000


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--images", type=int, default=160)
    asked.add_argument("--device", default="auto")
    asked.add_argument("--seed", type=int, default=9)
    chosen = asked.parse_args()
    valid = load_dataset("radiology-open", split="valid")
    places = np.random.default_rng(chosen.seed).permutation(len(valid))[: chosen.images]
    images = valid.take(np.sort(places))
    model = readable(opened_model("zoo:captions", chosen.device), "zoo:captions")
    rows: dict[tuple[str, str], list[list[float]]] = defaultdict(list)
    records = iter(images)
    for look in looks(model, images):
        for row in range(len(look.ids)):
            for key, values in measured(model, look, row, next(records), chosen.seed).items():
                rows[key].append(values)
    print(f"{len(images)} validation images, seed {chosen.seed}; insertion less deletion, mean of statements")
    for (kind, name), values in sorted(rows.items()):
        low, mean, high = interval(values, chosen.seed)
        print(f"{kind:9} {name:8} {mean:.3f} [{low:.3f}, {high:.3f}]  {sum(map(len, values))} statements")


def measured(model, look, row, record, seed):  # noqa: ANN001, ANN201 - as the reader asks
    """For both grids, and for edges, the figures of the statements of one image."""
    photo = Photo.of(record.id, record.image, row)
    wanted = Wanted(frozenset({"concepts", "words", "spans"}))
    subject = subject_of(model, CaptionAnswers(look.lines, ""), photo, wanted)
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for grid in GRIDS:
        choice = MethodChoice(settings={"occlusion": {"grid": grid}})
        maps = mapped(subject.statements, choice, *subject.picture.shape[:2])
        pairs = zip(subject.statements, maps, strict=True)
        evidence = [evidence_of(one, map_, BoxSettings()) for one, map_ in pairs]
        for one in audited(evidence, subject.statements, subject, "quick", choice, seed):
            if one.faithfulness is not None:
                kind = "concepts" if one.kind is Kind.CONCEPT else "words"
                told = one.faithfulness
                found[kind, f"{grid} x {grid}"].append(told.insertion.area - told.deletion.area)
                if grid == GRIDS[0]:
                    found[kind, "edges"].append(told.edge_insertion - told.edge_deletion)
    return found


def interval(values: list[list[float]], seed: int) -> tuple[float, float, float]:
    """Of the mean over statements, by resampling images."""
    chance = np.random.default_rng(seed)
    sums, counts = np.array([sum(one) for one in values]), np.array([len(one) for one in values])
    drawn = chance.integers(0, len(values), (DRAWS, len(values)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(sums.sum() / counts.sum()), float(high)


if __name__ == "__main__":
    main()
