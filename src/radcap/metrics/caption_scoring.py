"""One caption run under one profile.

Invariant: what can be computed is computed, whatever else is absent; a metric that cannot be had is listed
with the way to get it, and a figure that is made of it has no value.
"""

from __future__ import annotations

from itertools import chain
from math import isnan
from typing import TYPE_CHECKING

from radcap.core import Level, Missing, Score, Task, UsageError, mean_in_order, signature
from radcap.formats import Findings, dialect, named
from radcap.metrics.aggregates import AGGREGATES, aggregate, parts_of
from radcap.metrics.caption_habits import caption_habits
from radcap.metrics.caption_loading import EMPTY_CAPTION
from radcap.metrics.caption_metrics import CAPTION_METRICS, caption_metric
from radcap.metrics.editions import BothEmpty, ProfileName
from radcap.metrics.preparation import Preparation
from radcap.metrics.providers.java import JavaFailed
from radcap.metrics.reports import NotScored, ScoreReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.caption_loading import LoadedCaptions
    from radcap.metrics.caption_texts import CaptionTexts
    from radcap.metrics.editions import CaptionScores
    from radcap.metrics.text_pairs import Measured

__all__ = ["ALL", "CaptionScoring"]

ALL = "all"  # every metric that can be computed here

_OF_THE_EVALUATOR = frozenset({"bertscore", "rouge1"})  # of 2023 and 2024; the rest came from elsewhere
_HOW_FAILURE = "Mend the captions, or score with --profile documented."


class CaptionScoring:
    """One run under one profile."""

    def __init__(
        self, loaded: LoadedCaptions, profile: str, captions: CaptionScores, texts: CaptionTexts
    ) -> None:
        self._loaded = loaded
        self._profile = profile
        self._captions = captions
        self._texts = texts
        self._ids = texts.truth.ids
        self._findings = Findings(dialect(loaded.edition, Task.CAPTIONS))
        self._missing: list[NotScored] = []

    def report(self, asked: Sequence[str] | None) -> ScoreReport:
        names, figures = self._names(asked)
        scores = list(chain.from_iterable(map(self._scores, names)))
        if self._captions.constant and asked is None:
            scores.append(self._constant())
        means = {score.name: score.value for score in scores}
        return ScoreReport(
            edition=self._loaded.edition,
            profile=self._profile,
            task=Task.CAPTIONS,
            n=len(self._ids),
            scores=tuple(scores),
            aggregates={name: aggregate(name, means) for name in figures},
            missing=tuple(self._missing),
            issues=(*self._loaded.issues, *self._findings.issues),
            habits=caption_habits(self._texts.said, self._texts.truth.captions),
        )

    def _names(self, asked: Sequence[str] | None) -> tuple[list[str], tuple[str, ...]]:
        """The metrics to compute, and the figures to make of them."""
        if asked is None:
            return list(self._captions.metrics), self._captions.aggregates
        if not asked:
            raise UsageError("No metric is named. Nothing can be scored. Name one, or leave the choice out.")
        if ALL in asked:
            resources = self._texts.truth.resources
            ready = (one.name for one in CAPTION_METRICS.values() if one.why_not(resources) is None)
            asked = [*(name for name in asked if name != ALL), *ready]
        figures = tuple(dict.fromkeys(name for name in asked if name in AGGREGATES))
        metrics = dict.fromkeys(part for name in asked for part in parts_of(name))
        return [caption_metric(name, [*AGGREGATES, ALL]).name for name in metrics], figures

    def _scores(self, name: str) -> list[Score]:
        """The score of one metric and its figures for the whole set; none where it cannot be formed."""
        why = self._failure(name)
        if why is not None:
            self._missing.append(NotScored(name, f"The official evaluator fails: {why}", _HOW_FAILURE))
            return []
        try:
            measured = self._texts.measured(name, self._captions.preparation_of(name))
        except Missing as missing:
            self._missing.append(NotScored.of(name, missing))
            return []
        except JavaFailed as failed:
            self._missing.append(NotScored(name, str(failed), "", absent=True))
            return []
        return self._with_totals(name, measured)

    def _failure(self, name: str) -> str | None:
        """Why the organisers' evaluator breaks down on this run, if it does."""
        if self._profile != ProfileName.OFFICIAL:
            return None
        if name == "alignscore" and self._refuses_empty_captions:
            image_id = self._texts.unanswered()
            return image_id and f"AlignScore cannot read the empty caption of {named(image_id)}."
        if self._captions.both_empty is BothEmpty.FAILS and name in _OF_THE_EVALUATOR:
            return self._empty_on_both_sides()
        return None

    @property
    def _refuses_empty_captions(self) -> bool:
        found = (issue.level for issue in self._loaded.issues if issue.code == EMPTY_CAPTION)
        return Level.ERROR in found

    def _empty_on_both_sides(self) -> str | None:
        if not self._findings.issues:
            for place in self._texts.both_empty(self._captions.preparation):
                self._findings.add("TRU104", 0, 0, id=named(self._ids[place]))
        return self._findings.issues[0].message if self._findings.issues else None

    def _with_totals(self, name: str, measured: Measured) -> list[Score]:
        ids, values = self._ids, self._ruled(name, measured.values)
        by_id = dict(zip(ids, values, strict=True))
        undefined = next((image_id for image_id, value in by_id.items() if isnan(value)), None)
        if undefined is not None:
            self._missing.append(_undefined(name, undefined))
            return []
        mean = mean_in_order(by_id[image_id] for image_id in self._loaded.run.cells)
        score = Score(name, mean, len(ids), self._signature(name, measured), ids, tuple(values))
        totals = measured.totals.items()
        return [
            score,
            *(Score(one, value, len(ids), self._signature(name, measured, one)) for one, value in totals),
        ]

    def _ruled(self, name: str, measured: Sequence[float]) -> list[float]:
        """The edition's word on captions that are empty, and on images that have no score."""
        values = list(measured)
        rule = self._captions.both_empty
        if caption_metric(name).is_share and rule is not BothEmpty.FAILS:
            written = rule is BothEmpty.WRITTEN
            how = Preparation.RAW if written else self._captions.preparation_of(name)
            for place in self._texts.both_empty(how):
                values[place] = 1.0
        again = self._captions.previous_again and name == "bleu"
        return self._with_previous(values) if again else values

    def _with_previous(self, values: list[float]) -> list[float]:
        """As the script of 2018 adds up: an impossible score is that of the row before (0 in the first)."""
        by_id, last = dict(zip(self._ids, values, strict=True)), 0.0
        for image_id in self._loaded.run.cells:
            last = by_id[image_id] = last if isnan(by_id[image_id]) else by_id[image_id]
        return [by_id[image_id] for image_id in self._ids]

    def _constant(self) -> Score:
        more = {"constant": "0", **self._source()}
        mark = signature("secondary", edition=self._loaded.edition, profile=self._profile, **more)
        n = len(self._ids)
        return Score("secondary", 0.0, n, mark, self._ids, (0.0,) * n)

    def _source(self) -> dict[str, str]:
        """Who wrote the true captions: scores on captions of two sources are never compared."""
        source = self._texts.truth.source
        return {"captions": source} if source else {}

    def _signature(self, metric: str, measured: Measured, name: str | None = None) -> str:
        how = self._captions.preparation_of(metric)
        more = dict(measured.marks)
        if metric == "bleu":
            more["nltk"] = self._captions.bleu_rule.value
        if how is Preparation.P22:
            more["lemmas"] = self._texts.truth.lemmatiser.name
        return signature(
            name or metric,
            edition=self._loaded.edition,
            profile=self._profile,
            prep=how.value,
            empty=self._captions.both_empty.value,
            **more,
            **self._source(),
            truth=self._texts.truth.fingerprint,
        )


def _undefined(name: str, image_id: str) -> NotScored:
    if name == "bleu":
        why = f"NLTK divides by zero at {named(image_id)}: it has fewer than four tokens."
        return NotScored(name, why, "Choose the rule truncating or vanishing.")
    return NotScored(name, f"It has no number for {named(image_id)}.", "Mend that caption, or the provider.")
