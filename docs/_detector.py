"""The page about the shipped detector: the words of `_detector.txt` with the figures of the card.

Invariant: every measured figure is read from the card or counted in the data; none is kept by hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.report.plot import Plot

__all__ = ["detector_page", "reliability_chart"]

MODALITIES = {
    "AN": "angiography",
    "CT": "CT",
    "FL": "fluoroscopy",
    "MG": "mammography",
    "MR": "MRI",
    "NM": "scintigraphy",
    "US": "ultrasound",
    "XR": "X-ray",
}
FOUR = ("CT", "MR", "US", "XR")
BULK = "VQA-Med-2019"  # the source that most images come from
FEW = 20
HEAD = ("images", "F1, all concepts", "F1, manual concepts")


def detector_page(card: Mapping[str, Any], kinds: Mapping[tuple[str, str], int]) -> str:
    """The page; `kinds` counts the images of the dataset by source and modality."""
    words = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    told = {
        **_facts(card),
        **_scores(card["test"]),
        **_checks(card["test"]),
        **_abstention(card["abstention"]),
        **_gate(card["not_radiology"]),
        **_left_out(card["left_out_sources"], kinds),
        **_tried(card["left_out_networks"]),
    }
    return words.format_map(told)


def _facts(card: Mapping[str, Any]) -> dict[str, str]:
    data = card["data"]
    return {
        "labels": str(card["labels"]),
        "megabytes": f"{sum(card['size_bytes'].values()) / 1e6:.1f}",
        "images": f"{data['train'] + data['valid']:,}",
        "intended_use": card["intended_use"],
        "recipe": _recipe(card["recipe"]),
        "data": data["name"],
        "train": f"{data['train']:,}",
        "valid": f"{data['valid']:,}",
        "sources": _table(["Source", "images"], [[name, f"{n:,}"] for name, n in data["sources"].items()]),
        "licence": card["licence"],
        "attribution": card["attribution"],
        "limits": "\n".join(f"- {one}" for one in card["limits"]),
    }


def _recipe(recipe: Mapping[str, Any]) -> str:
    lines: list[str] = []
    for key, one in recipe.items():
        title = f"- **{key.replace('_', ' ').capitalize()}.**"
        lines += [f"{title} {one}"] if isinstance(one, str) else [title, *(f"    - {part}" for part in one)]
    return "\n".join(lines)


def _scores(test: Mapping[str, Any]) -> dict[str, str]:
    kinds = {MODALITIES[name]: one for name, one in test["by_modality"].items()}
    return {
        "n": str(test["n"]),
        "intervals": test["intervals"],
        "f1": f"{test['f1']['value']:.4f}",
        "f1_manual": f"{test['f1_manual']['value']:.4f}",
        "whole": _table(["", *HEAD], [_figures("all", test)]),
        "modality_accuracy": f"{test['modality_accuracy']:.1%}",
        "by_modality": _table(["Modality", *HEAD], [_figures(*one) for one in kinds.items()]),
        "few_images": str(FEW),
        "few": ", ".join(name for name, one in kinds.items() if one["n"] < FEW),
        "by_source": _table(["Source", *HEAD], [_figures(*one) for one in test["by_source"].items()]),
        "labels_not_learnt": str(test["labels_not_learnt"]),
    }


def _figures(name: str, one: Mapping[str, Any]) -> list[str]:
    return [name, f"{one['n']:,}", *(_with_interval(one[key]) for key in ("f1", "f1_manual"))]


def _with_interval(one: Mapping[str, float]) -> str:
    return f"{one['value']:.4f} [{one['low']:.4f}, {one['high']:.4f}]"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _abstention(told: Mapping[str, Any]) -> dict[str, str]:
    rows = [
        [
            f"{row['named_from']:g}",
            *(f"{row[key]:.3f}" for key in ("images_named", "right_of_those", "unknown_named_anyway")),
        ]
        for row in told["thresholds"]
    ]
    header = ["modality named from", "images named", "right of those", "PET and scintigraphy named anyway"]
    return {
        "abstention": _table(header, rows),
        "unknown": str(told["n_unknown"]),
        "unknown_learnt": str(told["n_unknown"] - told["unknown_not_learnt"]),
    }


def _checks(test: Mapping[str, Any]) -> dict[str, str]:
    calibration, bits = test["calibration"], test["eight_bits"]
    marks = test["without_marks_of_the_publisher"]
    return {
        "ece": f"{calibration['ece']:.4f}",
        "brier": f"{calibration['brier']:.4f}",
        "chart": reliability_chart(calibration["bins"]),
        "f1_in_full_precision": f"{bits['f1_in_full_precision']:.4f}",
        "largest_change_of_a_logit": f"{bits['largest_change_of_a_logit']:.1f}",
        "marks": marks["what"],
        "f1_marks": f"{marks['f1']['value']:.4f}",
        "f1_manual_marks": f"{marks['f1_manual']['value']:.4f}",
    }


def reliability_chart(bins: Sequence[Mapping[str, float]]) -> str:
    """What was said against what was there, a dot for each bin; on the line both agree."""
    from radcap.report.axis import axis_over
    from radcap.report.plot import Frame, Plot, drawing

    points = [(one["mean_p"], one["observed"]) for one in bins]
    told = "; ".join(f"said {said:.2f}, there {there:.2f}" for said, there in points)
    about = f"Probability that was said, and share of the labels that were there: {told}."
    frame = Frame(420, 320)
    plot = Plot(axis_over([0, 1]), axis_over([0, 1]), frame)
    parts = [*plot.grid("probability said; upwards: share that was there"), *_dots(plot, points)]
    return drawing("Reliability", about, frame.width, frame.height, *parts)


def _dots(plot: Plot, points: Sequence[tuple[float, float]]) -> list[str]:
    from radcap.report.markup import void
    from radcap.report.row_chart import COLOUR

    (left, low), (right, high) = ((plot.across(one), plot.up(one)) for one in (0, 1))
    line = void("line", x1=left, y1=low, x2=right, y2=high, stroke="currentColor", stroke_opacity="0.5")
    return [line, *(void("circle", cx=plot.across(x), cy=plot.up(y), r=4, fill=COLOUR) for x, y in points)]


def _gate(told: Mapping[str, Any]) -> dict[str, str]:
    test = told["test"]
    wrong = [
        ["radiology, refused", test["radiology_images"], test["radiology_refused"]],
        ["others, taken for radiology", test["other_images"], test["others_taken_for_radiology"]],
        ["the same in grey, taken", test["other_images"], test["grey_others_taken_for_radiology"]],
    ]
    rows = [[name, str(n), f"{share:.1%}"] for name, n, share in wrong]
    tried = told["photographs"]
    shown = [
        [name.replace("_", " "), f"{one['colour']:.3f}", f"{one['grey']:.3f}"] for name, one in tried.items()
    ]
    return {
        "gate_data": told["data"],
        "gate_how": told["how"],
        "photographs": _table(["image", "in colour", "in grey"], shown),
        "photographs_n": str(len(tried)),
        "photographs_taken": str(sum(max(one.values()) >= told["threshold"] for one in tried.values())),
        "threshold": str(told["threshold"]),
        "gate": _table(["", "images", "on the wrong side"], rows),
        "auc": f"{test['auc']:.4f}",
        "auc_grey": f"{test['auc_grey']:.4f}",
    }


def _left_out(told: Mapping[str, Any], kinds: Mapping[tuple[str, str], int]) -> dict[str, str]:
    smaller = [one for name, one in told["sources"].items() if name != BULK]
    n = sum(one["n"] for one in smaller)
    few = {"n": n, "accuracy": sum(one["n"] * one["accuracy"] for one in smaller) / n}
    listed = {**told["sources"], "pooled": told["pooled"], f"pooled, without {BULK}": few}
    rows = [[name, f"{one['n']:,}", f"{one['accuracy']:.3f}"] for name, one in listed.items()]
    asked = {key: n for key, n in kinds.items() if key[1] in FOUR}
    bulk = sum(n for (source, _), n in asked.items() if source == BULK)
    rest = {
        one: sum(n for (source, kind), n in asked.items() if kind == one and source != BULK) for one in FOUR
    }
    return {
        "left_out": _table(["Source left out", "images", "accuracy"], rows),
        "bulk": f"{bulk / sum(asked.values()):.0%}",
        "mri": str(rest["MR"]),
        "ultrasound": str(rest["US"]),
    }


def _tried(made: Mapping[str, Any]) -> dict[str, str]:
    """How the networks were made that did without a source, and what else was tried."""
    seeds = [[name, ", ".join(f"{one:.3f}" for one in found)] for name, found in made["other_seeds"].items()]
    ways = [[name, f"{one:.3f}"] for name, one in made["other_ways"]["accuracy"].items()]
    return {
        "left_out_how": made["how"],
        "other_seeds": _table(["Source left out", "accuracy"], seeds),
        "other_ways": _table(["Way", "accuracy"], ways),
        "tried_on": made["other_ways"]["source"],
    }
