"""Captions to look at: some that are right, some that are wrong, and why they are.

Invariant: they are picked by a rule, and not by hand: the best and the worst by agreement with the composed
caption, no two of the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.captioning.naming import findings_named, modalities_named
from radcap.captioning.training.judging import caption_columns
from radcap.datasets import caption_truth

if TYPE_CHECKING:
    from radcap.captioning.models import CaptionAnswers
    from radcap.datasets import Dataset

__all__ = ["examples"]

_SHOWN = 8


def examples(answers: CaptionAnswers, test: Dataset) -> dict[str, list[dict[str, str]]]:
    """The best that name a finding which the truth names too, and the worst."""
    cells = caption_truth(test, "composed").cells
    lines = [one for one in answers.lines if one.image in cells]
    truth = [str(cells[one.image]) for one in lines]
    scores = caption_columns([one.caption for one in lines], truth)["rouge1"]
    rows = [
        {"image": one.image, "caption": one.caption, "truth": true, "score": score}
        for one, true, score in zip(lines, truth, scores, strict=True)
    ]
    good = sorted(
        (row for row in rows if not findings_named(row["caption"]) - findings_named(row["truth"])),
        key=lambda row: (-bool(findings_named(row["caption"])), -row["score"]),
    )
    bad = sorted(rows, key=lambda row: row["score"])
    return {"good": _distinct(good), "bad": [{**one, "why": why(one)} for one in _distinct(bad)]}


def _distinct(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    seen: set[str] = set()
    kept: list[dict[str, str]] = []
    for row in rows:
        if row["caption"] not in seen and len(kept) < _SHOWN:
            seen.add(row["caption"])
            kept.append({key: row[key] for key in ("image", "caption", "truth")})
    return kept


def why(row: dict[str, str]) -> str:
    """What is wrong with a caption, in words."""
    ours, theirs = row["caption"], row["truth"]
    if modalities_named(ours) - modalities_named(theirs):
        return "names another modality"
    invented, missed = (
        findings_named(ours) - findings_named(theirs),
        findings_named(theirs) - findings_named(ours),
    )
    if invented:
        return "names a finding that the label does not"
    return "misses the finding" if missed else "says it in other words, or says less"
