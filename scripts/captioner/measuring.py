"""The figures of a captioner on test images, with intervals and paired tests against others.

Invariant: captions of different sources are scored apart; images of one group are resampled and flipped
together, since they say less than as many of different ones. Holm's correction runs over all tests told.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from radcap.captioning.naming import claims, modalities_named
from radcap.captioning.training.judging import caption_columns, caption_figures
from radcap.core import MODALITIES
from radcap.datasets import caption_truth
from radcap.detection.examples import groups_of
from radcap.stats import percentile_interval, resampled_means, sums_by_group
from radcap.stats.holm import holm_adjusted
from radcap.stats.permutation import sign_flip_test

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.captioning.models import CaptionAnswers, Captioner
    from radcap.datasets import Dataset

__all__ = ["measured", "speed"]

_TESTED = ("rouge1", "cider", "concepts")
_RESAMPLES, _FLIPS, _LEVEL = 2000, 10_000, 0.95


def speed(model: Captioner, test: Dataset) -> tuple[CaptionAnswers, dict[str, Any]]:
    """The answers, and how long they took from files to captions."""
    model.answers(test.take(list(range(min(8, len(test))))))  # what is loaded at first is no part of it
    started = time.monotonic()
    answers = model.answers(test)
    seconds = time.monotonic() - started
    told = {"images": len(test), "images_per_s": round(len(test) / seconds, 2)}
    return answers, {**told, "threads": torch.get_num_threads(), "cores": os.cpu_count()}


def measured(
    answers: CaptionAnswers, test: Dataset, others: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """All that the card says of the test images."""
    composed = caption_truth(test, "composed").cells
    ids = [one for one in answers.ids if one in composed]
    truth, groups = [str(composed[one]) for one in ids], groups_of(test, ids)
    runs = {"captioner": answers.captions(), **others}
    said = {name: [run[one] for one in ids] for name, run in runs.items()}
    figures = {name: caption_figures(captions, truth, groups) for name, captions in said.items()}
    return {
        "test": {"composed": figures, "original": _originals(runs, test)},
        "tests": paired(said, truth, groups),
        "modality": _modality(answers, test, said),
        "support": _support(answers),
    }


def _originals(runs: Mapping[str, Mapping[str, str]], test: Dataset) -> dict[str, Any]:
    """Reported, not tested: they are too few."""
    if not any(one["source"] == "original" for some in test.column("captions").to_pylist() for one in some):
        return {}
    cells = caption_truth(test, "original").cells
    ids = list(cells)
    groups = groups_of(test, ids)
    truth = [str(cells[one]) for one in ids]
    return {name: caption_figures([run[one] for one in ids], truth, groups) for name, run in runs.items()}


def paired(said: Mapping[str, Sequence[str]], truth: Sequence[str], groups: Sequence[str]) -> dict[str, Any]:
    """The captioner less each other, by metric: difference, interval, and p after Holm."""
    columns = {name: caption_columns(captions, truth) for name, captions in said.items()}
    found: list[tuple[str, str, dict[str, float]]] = []
    for metric in _TESTED:
        ours = np.array(columns["captioner"][metric])
        theirs = {name: np.array(one[metric]) for name, one in columns.items() if name != "captioner"}
        found += [(metric, name, _difference(ours, one, groups)) for name, one in theirs.items()]
    adjusted = holm_adjusted([one["p"] for _, _, one in found])
    told: dict[str, Any] = {}
    for (metric, name, one), p in zip(found, adjusted, strict=True):
        told.setdefault(metric, {})[name] = {**one, "p_holm": p}
    return told


def _difference(ours: np.ndarray, theirs: np.ndarray, groups: Sequence[str]) -> dict[str, float]:
    apart = (ours - theirs)[:, None]
    means = resampled_means(apart, resamples=_RESAMPLES, seed=0, groups=groups)
    interval = percentile_interval(means[:, 0], _LEVEL)
    summed = sums_by_group(np.column_stack([ours, theirs]), groups)
    test = sign_flip_test(summed[:, None, :], permutations=_FLIPS, seed=0)
    return {
        "difference": float(apart.mean()),
        "low": interval.low,
        "high": interval.high,
        "p": float(test.p[0, 0, 1]),
    }


def _modality(answers: CaptionAnswers, test: Dataset, said: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """How often the right modality is named and no other, and how often a wrong one is: by captions, and by
    the detector's first choice."""
    truth = dict(zip(test.ids, test.column("cui_manual").to_pylist(), strict=True))
    named: list[tuple[set[str], set[str], set[str]]] = []
    for line, caption in zip(answers.lines, said["captioner"], strict=True):
        right = {cui for cui in truth[line.image] if cui in MODALITIES}
        first = {cui for cui in line.concepts if cui in MODALITIES}
        if right:
            named.append((right, modalities_named(caption), first))
    told: dict[str, Any] = {"n": len(named)}
    for place, name in ((1, "captioner"), (2, "detector")):
        pairs = [(one[0], one[place]) for one in named]
        told[name] = sum(bool(theirs) and theirs <= right for right, theirs in pairs) / max(len(named), 1)
        told[f"{name}_wrong"] = sum(bool(theirs - right) for right, theirs in pairs)
    return told


def _support(answers: CaptionAnswers) -> dict[str, Any]:
    """What captions claim beyond what the detector supports, and how often findings are named."""
    beyond = [one.image for one in answers.lines if claims(one.caption) - one.concepts.keys()]
    findings = [one for one in answers.lines if claims(one.caption) - MODALITIES.keys()]
    plain = [one for one in answers.lines if one.by.startswith("plain")]
    words = [len(one.caption.split()) for one in answers.lines]
    return {
        "claims_unsupported": len(beyond),
        "names_a_finding": len(findings),
        "plain_sentence_instead": len(plain),
        "mean_words": float(np.mean(words)),
        "distinct_captions": len({one.caption for one in answers.lines}),
    }
