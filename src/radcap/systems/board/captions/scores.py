"""Captions of several systems held against the true ones of one source, image by image.

Invariant: captions of two sources are never scored together. A measure is that of its edition, name and
preparation; what needs a model that is not here is listed, and nothing stands for it. `umls_f1_free` is the
F1 of the concepts that the free vocabulary finds in both captions: two without any score 0, as in 2025.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from radcap.core import Score, Task, signature
from radcap.formats import read_run
from radcap.metrics.aggregates import SIX
from radcap.metrics.caption_metrics import caption_metric
from radcap.metrics.caption_texts import TrueTexts
from radcap.metrics.captions import CaptionScorer, load_captions
from radcap.metrics.editions import EDITIONS
from radcap.metrics.loading import fingerprint
from radcap.metrics.preparation import Preparation, prepare
from radcap.metrics.reports import NotScored
from radcap.metrics.text_pairs import Resources, TextPairs
from radcap.vocabulary import link

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from radcap.core import Cui, ImageId, Missing, Run

__all__ = ["FREE", "MEASURES", "METEOR", "RANKING", "Measure", "Scored", "missing_metrics", "score_runs"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric as an edition had it."""

    name: str
    title: str
    metric: str
    edition: str = "2025"


RANKING = Measure("rouge1", "ROUGE-1", "rouge1")
FREE = Measure("umls_f1_free", "UMLS F1 (free)", "")
METEOR = Measure("meteor", "METEOR", "meteor")
MEASURES = (
    RANKING,
    FREE,
    Measure("cider", "CIDEr", "cider"),
    Measure("rouge2", "ROUGE-2", "rouge2"),
    Measure("rougeL", "ROUGE-L", "rougeL"),
    METEOR,
    Measure("bleu1", "BLEU-1 2023", "bleu1", "2023"),
    Measure("bleu4", "BLEU-4", "bleu4"),
    Measure("bleu_2022", "BLEU 2022", "bleu", "2022"),
    Measure("bleu_2017", "BLEU 2017", "bleu", "2017"),
)


@dataclass(frozen=True, slots=True)
class Scored:
    """Runs on the images that have a caption of one source; a run has a score for each measure."""

    source: str
    ids: tuple[ImageId, ...]
    scores: Mapping[str, Mapping[str, Score]]


def score_runs(runs: Mapping[str, Path], truth: Run, measures: Sequence[Measure] = MEASURES) -> Scored:
    """Score runs by their names; measures that need what is not here are left out."""
    texts = _Texts(truth, {name: read_run(path, Task.CAPTIONS)[0] for name, path in runs.items()})
    here = [one for one in measures if one == FREE or _lack(one.metric) is None]
    columns = {one.name: texts.scores(one) for one in here}
    scores = {name: {measure: found[name] for measure, found in columns.items()} for name in runs}
    return Scored(truth.source, tuple(truth.cells), scores)


def missing_metrics() -> tuple[NotScored, ...]:
    """What some edition measured and cannot be measured here."""
    wanted: dict[str, None] = dict.fromkeys(SIX)
    for one in EDITIONS.values():
        captions = one.official.captions
        wanted |= dict.fromkeys(captions.metrics if captions else ())
    lacks = {name: _lack(name) for name in wanted}
    return tuple(NotScored.of(name, lack) for name, lack in lacks.items() if lack is not None)


def _lack(metric: str) -> Missing | None:
    return caption_metric(metric).why_not(Resources())


@dataclass(frozen=True)
class _Texts:
    """What is true and what each run says; what several measures share is prepared once."""

    truth: Run
    said: Mapping[str, Run]
    true_texts: dict[str, TrueTexts] = field(default_factory=dict[str, TrueTexts])
    scorers: dict[tuple[str, str], CaptionScorer] = field(
        default_factory=dict[tuple[str, str], CaptionScorer]
    )

    def scores(self, measure: Measure) -> dict[str, Score]:
        """By run."""
        if measure == FREE:
            return {name: self._free(name) for name in self.said}
        if measure == METEOR:
            return self._meteor()
        found = {name: self._scorer(name, measure.edition) for name in self.said}
        return {name: one.report(metrics=measure.metric)[measure.metric] for name, one in found.items()}

    def _scorer(self, name: str, edition: str) -> CaptionScorer:
        true = self.true_texts.setdefault(edition, TrueTexts(self.truth, Resources()))
        if (name, edition) not in self.scorers:
            loaded = load_captions(self.said[name], self.truth, edition=edition)
            self.scorers[name, edition] = CaptionScorer(loaded, truth=true)
        return self.scorers[name, edition]

    def _of(self, name: str) -> list[str]:
        return [self.said[name].cells[one] or "" for one in self.truth.cells]

    def _score(self, measure: Measure, values: Sequence[float], **marks: str) -> Score:
        ids = tuple(self.truth.cells)
        mark = signature(measure.name, captions=self.truth.source, truth=fingerprint(self.truth), **marks)
        return Score(measure.name, sum(values) / len(values), len(ids), mark, ids, tuple(values))

    def _free(self, name: str) -> Score:
        pairs = zip(self._of(name), self.truth.cells.values(), strict=True)
        values = [_shared(_concepts(said), _concepts(true or "")) for said, true in pairs]
        return self._score(FREE, values, vocabulary="free", empty="0")

    def _meteor(self) -> dict[str, Score]:
        """All runs at once: Java takes longer to begin than to score."""
        true = prepare(list(map(str, self.truth.cells.values())), Preparation.P23)
        said = [prepare(self._of(name), Preparation.P23) for name in self.said]
        pairs = TextPairs([text for one in said for text in one], true * len(said))
        values = caption_metric(METEOR.metric).load()(pairs).values
        starts = range(0, len(values), len(true))
        return {
            name: self._score(METEOR, values[start : start + len(true)], prep=Preparation.P23.value)
            for name, start in zip(self.said, starts, strict=True)
        }


@lru_cache(maxsize=65_536)
def _concepts(caption: str) -> frozenset[Cui]:
    """What the free vocabulary finds, negated or not, as the evaluators count it."""
    return frozenset(one.cui for one in link(caption))


def _shared(ours: frozenset[Cui], theirs: frozenset[Cui]) -> float:
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours or theirs else 0.0
