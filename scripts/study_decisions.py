"""Which decision rule wins on real model outputs: the tables of docs/studies/decisions.md.

    python scripts/study_decisions.py [--write]

Reads `docs/studies/decisions.npz`: logits of networks trained on the train split of radiology-open (rows
without NC or SA terms), for valid and test, rounded to a tenth. Calibrations and rules are fitted on valid.
Invariant: nothing is fitted on test; every combination that was tried stands in the tables.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import NAMES
from radcap.datasets import load_dataset
from radcap.detection.calibration import Calibration, ece, fit_calibration
from radcap.detection.decisions import Decision, cross_fit, fit_rule, sample_f1
from radcap.detection.examples import groups_of, label_matrix, label_set, learnable
from radcap.detection.system import DataSettings
from radcap.stats import (
    holm_adjusted,
    percentile_interval,
    resampled_means,
    sign_flip_test,
    sums_by_group,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    Values = Mapping[str, Mapping[str, NDArray[np.float64]]]  # F1 of each image, by model and way

__all__ = ["WAYS", "Bench", "all_decided", "bench", "f1_of", "f1_table", "pair_table", "report", "write"]

HERE = Path(__file__).parent.parent / "docs" / "studies"
BEGIN, END = "<!-- scripts/study_decisions.py writes from here -->", "<!-- to here -->"
STEP, PARTS = 0.1, ("valid", "test")
ENSEMBLE = ("lite2-a", "lite2-b", "lite1", "lite0", "student")
PLATT, WARM = Calibration("platt", "kind"), Calibration("temperature", "kind")
WAYS: dict[str, tuple[Calibration, Decision]] = {
    "fixed .5, no calibration": (Calibration("none"), Decision(rule="fixed")),
    "global": (PLATT, Decision(rule="global")),
    "per label, greedy": (PLATT, Decision(rule="per-label-greedy")),
    "per label, regularised": (PLATT, Decision(rule="per-label-regularised", min_positives=20)),
    "expected F1, no calibration": (Calibration("none"), Decision(rule="expected-f1")),
    "expected F1, one Platt": (Calibration("platt", "all"), Decision(rule="expected-f1")),
    "expected F1, Platt by kind": (PLATT, Decision(rule="expected-f1")),
    "expected F1, Platt by label, shrunk": (Calibration("platt", "label"), Decision(rule="expected-f1")),
    "expected F1, temperature by kind": (WARM, Decision(rule="expected-f1")),
    "expected F1, isotonic, shrunk": (Calibration("isotonic", "label"), Decision(rule="expected-f1")),
    "GFM, count-corrected": (PLATT, Decision(rule="gfm")),
    "GFM, count-corrected, Platt by label": (Calibration("platt", "label"), Decision(rule="gfm")),
    "modality mixture": (PLATT, Decision(rule="modality-mixture")),
    "label sets": (PLATT, Decision(rule="label-sets")),
    "label sets, Platt by label": (Calibration("platt", "label"), Decision(rule="label-sets")),
    "one modality + expected F1": (PLATT, Decision(rule="expected-f1", exactly_one="modality")),
}
BASE = "global"
PAIRS = (
    ("GFM, count-corrected, Platt by label", "expected F1, Platt by label, shrunk"),
    ("expected F1, Platt by label, shrunk", "expected F1, Platt by kind"),
    ("GFM, count-corrected, Platt by label", "GFM, count-corrected"),
    ("GFM, count-corrected", "expected F1, Platt by kind"),
)


@dataclass(frozen=True, slots=True)
class Bench:
    """The images, and what models said about valid and about test."""

    train: NDArray[np.bool_]
    valid: NDArray[np.bool_]
    test: NDArray[np.bool_]
    groups: Mapping[str, list[str]]  # of the images of valid and of test
    labels: tuple[str, ...]
    logits: Mapping[str, tuple[NDArray[Any], NDArray[Any]]]

    @property
    def manual(self) -> list[int]:
        return [place for place, cui in enumerate(self.labels) if cui in NAMES]


def bench() -> Bench:
    data = load_dataset("radiology-open")
    settings = DataSettings(free_only=True)
    train, valid, test = learnable(data.split("train"), settings), data.split("valid"), data.split("test")
    labels = label_set(train, settings)
    seen, held, asked = (label_matrix(one, labels) for one in (train, valid, test))
    groups = {"valid": groups_of(valid, valid.ids), "test": groups_of(test, test.ids)}
    return Bench(seen, held, asked, groups, labels, logits())


def logits() -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """What each network said about valid and test, and the mean of five."""
    held = np.load(HERE / "decisions.npz")
    names = sorted({key.partition(":")[0] for key in held.files})
    said = {part: {one: held[f"{one}:{part}"].astype(np.float32) * STEP for one in names} for part in PARTS}
    for by_name in said.values():
        by_name["mean of five"] = np.mean([by_name[one] for one in ENSEMBLE], axis=0)
    return {name: (said["valid"][name], said["test"][name]) for name in said["valid"]}


def decided(at: Bench, name: str, way: str) -> NDArray[np.bool_]:
    """The answers of a model for test, calibrated and decided in one way."""
    calibration, decision = WAYS[way]
    held, asked = at.logits[name]
    calibrator = fit_calibration(calibration, held, at.valid, at.labels)
    rule = fit_rule(decision, calibrator(held), at.valid, at.labels, train_truth=at.train)
    return rule(calibrator(asked))


def all_decided(at: Bench, ways: Iterable[str] = tuple(WAYS)) -> dict[str, dict[str, NDArray[np.bool_]]]:
    ways = tuple(ways)
    return {name: {way: decided(at, name, way) for way in ways} for name in at.logits}


def f1_of(
    answers: Mapping[str, Mapping[str, NDArray[np.bool_]]], truth: NDArray[np.bool_], columns: list[int]
) -> Values:
    """F1 of each image over some of the labels."""
    return {
        name: {way: sample_f1(said[:, columns], truth[:, columns]) for way, said in by_way.items()}
        for name, by_way in answers.items()
    }


def gap_between(values: Values, one: str, other: str) -> NDArray[np.float64]:
    """How much better one way is than another, for each image, averaged over the models."""
    return np.mean([by_way[one] - by_way[other] for by_way in values.values()], axis=0)


def f1_table(values: Values, title: str, groups: list[str]) -> list[str]:
    lines = [
        f"**{title}**",
        "",
        f"| Rule | {' | '.join(values)} | mean | against `global`, all models | p | p, Holm |",
        f"|---|{'---:|' * (len(values) + 4)}",
    ]
    ways = [way for way in next(iter(values.values())) if way != BASE]
    gaps = {way: gap_between(values, way, BASE) for way in ways}
    raw = [p_value(gap, groups) for gap in gaps.values()]
    told = {
        way: f"{interval(gaps[way], groups)} | {p_text(p)} | {p_text(corrected)}"
        for way, p, corrected in zip(ways, raw, holm_adjusted(raw), strict=True)
    }
    for way in next(iter(values.values())):
        cells = [f"{one[way].mean():.4f}" for one in values.values()]
        overall = np.mean([one[way].mean() for one in values.values()])
        lines.append(f"| {way} | {' | '.join(cells)} | {overall:.4f} | {told.get(way, '| |')} |")
    return [*lines, ""]


def pair_table(values: Mapping[str, Values], groups: list[str]) -> list[str]:
    """Some rules against each other, over each set of labels."""
    lines = [
        "**Rule against rule, test, all models**",
        "",
        f"| Rule | against | {' | p | '.join(values)} | p |",
    ]
    lines.append(f"|---|---|{'---:|---:|' * len(values)}")
    for one, other in PAIRS:
        gaps = [gap_between(by_model, one, other) for by_model in values.values()]
        told = " | ".join(f"{interval(gap, groups)} | {p_text(p_value(gap, groups))}" for gap in gaps)
        lines.append(f"| {one} | {other} | {told} |")
    return [*lines, ""]


def interval(gap: NDArray[np.float64], groups: list[str]) -> str:
    """The mean of paired differences with its interval, a bootstrap over groups."""
    means = resampled_means(gap[:, None], resamples=5000, seed=0, groups=groups)[:, 0]
    found = percentile_interval(means, 0.95)
    return f"{gap.mean():+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


def p_value(gap: NDArray[np.float64], groups: list[str]) -> float:
    """Of a two-sided sign-flip test, in which the images of a group are flipped together."""
    sums = sums_by_group(gap[:, None], groups)
    pair = np.stack([sums, np.zeros_like(sums)], axis=2)
    return float(np.asarray(sign_flip_test(pair, permutations=20_000, seed=0).p)[0, 0, 1])


def p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def why_table(at: Bench) -> list[str]:
    """Calibration by kind of label; how far the number of labels varies, and what independence says of it."""
    manual = np.isin(np.arange(len(at.labels)), at.manual)
    columns = (
        "ECE manual, raw",
        "calibrated",
        "ECE rest, raw",
        "calibrated",
        "spread of the count: said",
        "seen",
    )
    lines = [f"| Model | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for name, (held, asked) in at.logits.items():
        raw = 1 / (1 + np.exp(-asked))
        p = fit_calibration(PLATT, held, at.valid, at.labels)(asked)
        kinds = [(one[:, part], at.test[:, part]) for part in (manual, ~manual) for one in (raw, p)]
        errors = " | ".join(f"{ece(*one):.4f}" for one in kinds)
        said = float((p * (1 - p)).sum(axis=1).mean())
        seen = float(((at.test.sum(axis=1) - p.sum(axis=1)) ** 2).mean())
        lines.append(f"| {name} | {errors} | {said:.3f} | {seen:.3f} |")
    return [*lines, ""]


def valid_table(at: Bench, ways: Iterable[str] = tuple(WAYS)) -> list[str]:
    """Cross-fitted F1 on valid: what a team would have chosen by."""
    lines = ["| Rule | " + " | ".join(at.logits) + " |", f"|---|{'---:|' * len(at.logits)}"]
    for way in ways:
        fitted = [
            cross_fit(*WAYS[way], held, at.valid, at.labels, at.groups["valid"], train_truth=at.train)
            for held, _ in at.logits.values()
        ]
        lines.append(f"| {way} | {' | '.join(f'{one.mean:.4f}' for one in fitted)} |")
    return [*lines, ""]


def report() -> str:
    at = bench()
    answers, every = all_decided(at), list(range(len(at.labels)))
    of_all, of_manual = f1_of(answers, at.test, every), f1_of(answers, at.test, at.manual)
    groups = at.groups["test"]
    parts = [
        *f1_table(of_all, f"F1 over all {len(every)} labels, test", groups),
        *f1_table(of_manual, f"F1 over the {len(at.manual)} manual labels, test", groups),
        *pair_table({"all labels": of_all, "manual labels": of_manual}, groups),
        *("**Cross-fitted F1 on valid**", ""),
        *valid_table(at),
        *why_table(at),
    ]
    return "\n".join(parts)


def write(text: str, page: Path, begin: str = BEGIN) -> None:
    """Put the tables between the two marks of the page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{END}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="put the tables into docs/studies/decisions.md")
    asked = parser.parse_args()
    text = report()
    print(text)
    if asked.write:
        write(text, HERE / "decisions.md")


if __name__ == "__main__":
    main()
