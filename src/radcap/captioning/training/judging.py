"""How good captions of held-out images are, apart by where the true ones come from.

Invariant: captions of different sources are never scored together; every figure has its interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.captioning.naming import claims
from radcap.detection.examples import groups_of
from radcap.metrics import score_captions
from radcap.stats.bootstrap import percentile_interval, resampled_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.models.answers import CaptionAnswers
    from radcap.captioning.models.opening import Captioner
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned

__all__ = ["METRICS", "caption_figures", "claim_f1", "held_figures", "judged"]

METRICS = ("rouge1", "rougeL", "bleu4", "cider")
_RESAMPLES, _LEVEL = 2000, 0.95


def judged(maker: CaptionMaker, model: Captioner, held: Captioned | None) -> dict[str, Any]:
    """What the card says of how good a captioner is. Where the system has a refiner, it is made here, and its
    captions are those that are judged."""
    if maker.system.refine.kind != "none":
        from radcap.captioning.training.refining import refined_figures

        return refined_figures(maker, model, held)
    if held is None:
        return {"held_out": None}
    return {"held_out": held_figures(model.answers(held.images, maker.talk.progress), held)}


def held_figures(answers: CaptionAnswers, held: Captioned) -> dict[str, Any]:
    """The figures of each source."""
    known, places = answers.captions(), {one: row for row, one in enumerate(held.images.ids)}
    figures: dict[str, Any] = {}
    for source in sorted(set(held.sources)):
        ids = [one for one in answers.ids if held.sources[places[one]] == source]
        truth = [held.captions[places[one]] for one in ids]
        if ids:
            groups = groups_of(held.images, ids)
            figures[source] = caption_figures([known[one] for one in ids], truth, groups)
    return figures


def caption_figures(
    captions: Sequence[str], truth: Sequence[str], groups: Sequence[str], seed: int = 0
) -> dict[str, Any]:
    """Each metric with the interval of a bootstrap over groups of images."""
    columns = caption_columns(captions, truth)
    values = np.column_stack(list(columns.values()))
    means = resampled_means(values, resamples=_RESAMPLES, seed=seed, groups=groups)
    told: dict[str, Any] = {"n": len(captions)}
    for number, name in enumerate(columns):
        found = percentile_interval(means[:, number], _LEVEL)
        told[name] = {"value": float(values[:, number].mean()), "low": found.low, "high": found.high}
    return told


def caption_columns(captions: Sequence[str], truth: Sequence[str]) -> dict[str, list[float]]:
    """The values of each image, by metric; `concepts` is the F1 of what both claim."""
    ids = [f"image{place}" for place in range(len(captions))]
    report = score_captions(
        dict(zip(ids, captions, strict=True)),
        dict(zip(ids, truth, strict=True)),
        edition="radcap",
        metrics=METRICS,
    )
    columns = {one.name: list(one.values) for one in report.scores if one.name in METRICS}
    columns["concepts"] = [claim_f1(*both) for both in zip(captions, truth, strict=True)]
    return columns


def claim_f1(caption: str, truth: str) -> float:
    """F1 of the findings and modalities that two captions name; two that name none agree."""
    ours, theirs = claims(caption), claims(truth)
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours or theirs else 1.0
