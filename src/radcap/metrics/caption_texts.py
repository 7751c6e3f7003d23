"""The captions of a run beside those of the truth, in the order of the truth.

Invariant: a preparation is made once, however many metrics ask for it, and a metric is computed once,
however many profiles do; a row without a caption is an empty caption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.metrics.caption_metrics import caption_metric
from radcap.metrics.preparation import Preparation, prepare
from radcap.metrics.text_pairs import TextPairs

if TYPE_CHECKING:
    from radcap.core import Run
    from radcap.metrics.bleu_rules import BleuRule
    from radcap.metrics.preparation import Lemmatiser
    from radcap.metrics.text_pairs import Measured, Resources

__all__ = ["CaptionTexts"]


class CaptionTexts:
    """What the metrics of one run are given."""

    def __init__(self, run: Run, truth: Run, rule: BleuRule, resources: Resources) -> None:
        self.ids = tuple(truth.cells)
        self.said = [run.cells[image_id] or "" for image_id in self.ids]
        self.true = [caption or "" for caption in truth.cells.values()]
        self.lemmas = ""  # the model that made them, once one has
        self._rule = rule
        self.resources = resources
        self._pairs: dict[Preparation, TextPairs] = {}
        self._measured: dict[tuple[str, Preparation], Measured] = {}

    def prepared(self, how: Preparation) -> TextPairs:
        if how not in self._pairs:
            texts = prepare([*self.said, *self.true], how, self._lemmatiser)
            n = len(self.ids)
            self._pairs[how] = TextPairs(texts[:n], texts[n:], self._rule, self.resources)
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
        rows = zip(self.ids, self.said, self.true, strict=True)
        return next((one for one, said, true in rows if (said or true) and not said.strip()), None)

    def _lemmatiser(self) -> Lemmatiser:
        from radcap.metrics.providers.lemmas import load_lemmatiser

        loaded = load_lemmatiser(self.resources.spacy_model)
        self.lemmas = loaded.name
        return loaded
