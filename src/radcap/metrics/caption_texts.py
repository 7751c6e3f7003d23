"""The captions of a run beside those of the truth, in the order of the truth.

Invariant: a preparation is made once, however many metrics ask for it (that of the truth once for all runs),
and a metric is computed once, however many profiles do; a row without a caption is an empty caption.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from radcap.metrics.caption_metrics import caption_metric
from radcap.metrics.loading import fingerprint
from radcap.metrics.preparation import Preparation, prepare
from radcap.metrics.text_pairs import TextPairs

if TYPE_CHECKING:
    from radcap.core import Run
    from radcap.metrics.bleu_rules import BleuRule
    from radcap.metrics.providers.lemmas import Lemmatiser
    from radcap.metrics.text_pairs import Measured, Resources

__all__ = ["CaptionTexts", "TrueTexts"]


class TrueTexts:
    """The true captions, which every run on them shares."""

    def __init__(self, truth: Run, resources: Resources) -> None:
        self.ids = tuple(truth.cells)
        self.captions = [caption or "" for caption in truth.cells.values()]
        self.fingerprint = fingerprint(truth)
        self.source = truth.source
        self.resources = resources
        self._prepared: dict[Preparation, list[str]] = {}

    def prepared(self, how: Preparation) -> list[str]:
        if how not in self._prepared:
            self._prepared[how] = prepare(self.captions, how, lambda: self.lemmatiser)
        return self._prepared[how]

    @cached_property
    def lemmatiser(self) -> Lemmatiser:
        """Loaded when a preparation asks for it, which may take seconds."""
        from radcap.metrics.providers.lemmas import load_lemmatiser

        return load_lemmatiser(self.resources.spacy_model)


class CaptionTexts:
    """What the metrics of one run are given."""

    def __init__(self, run: Run, truth: TrueTexts, rule: BleuRule) -> None:
        self.truth = truth
        self.said = [run.cells[image_id] or "" for image_id in truth.ids]
        self._rule = rule
        self._pairs: dict[Preparation, TextPairs] = {}
        self._measured: dict[tuple[str, Preparation], Measured] = {}

    def prepared(self, how: Preparation) -> TextPairs:
        if how not in self._pairs:
            true = self.truth.prepared(how)
            said = prepare(self.said, how, lambda: self.truth.lemmatiser)
            self._pairs[how] = TextPairs(said, true, self._rule, self.truth.resources)
        return self._pairs[how]

    def measured(self, metric: str, how: Preparation) -> Measured:
        """The values of a metric on captions prepared so."""
        if (metric, how) not in self._measured:
            measure = caption_metric(metric).load()
            self._measured[metric, how] = measure(self.prepared(how))
        return self._measured[metric, how]

    def both_empty(self, how: Preparation) -> list[int]:
        """Where nothing is left of either caption."""
        pairs = self.prepared(how)
        both = zip(pairs.candidates, pairs.references, strict=True)
        return [place for place, (ours, theirs) in enumerate(both) if not ours and not theirs]

    def unanswered(self) -> str | None:
        """The first image that the run left without a sentence, blanks aside, unless both sides are empty."""
        rows = zip(self.truth.ids, self.said, self.truth.captions, strict=True)
        return next((one for one, said, true in rows if (said or true) and not said.strip()), None)
