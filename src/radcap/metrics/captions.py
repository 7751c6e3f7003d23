"""Score a caption run as an edition did.

Invariant: both profiles of an edition come from one reading of the files, and no metric is computed twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.core import UsageError
from radcap.metrics.bleu_rules import BleuRule
from radcap.metrics.caption_loading import LoadedCaptions, load_captions
from radcap.metrics.caption_scoring import ALL, CaptionScoring
from radcap.metrics.caption_texts import CaptionTexts, TrueTexts
from radcap.metrics.editions import ProfileName, edition
from radcap.metrics.text_pairs import Resources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.editions import CaptionScores
    from radcap.metrics.loading import Labels
    from radcap.metrics.reports import ScoreReport

__all__ = ["ALL", "CaptionScorer", "LoadedCaptions", "load_captions", "score_captions"]


def score_captions(
    run: Labels,
    truth: Labels,
    *,
    edition: str = "2025",
    profile: str = "official",
    metrics: Sequence[str] | str | None = None,
    bleu_rule: str | None = None,
    resources: Resources | None = None,
) -> ScoreReport:
    """The caption metrics of an edition, or those that are named, with what the scores hide.

    Files, `Run` values and plain mappings from image id to caption are taken alike.
    """
    loaded = load_captions(run, truth, edition=edition)
    return CaptionScorer(loaded, bleu_rule=bleu_rule, resources=resources).report(profile, metrics)


class CaptionScorer:
    """Scores one loaded run; what both profiles share is prepared and measured once."""

    def __init__(
        self,
        loaded: LoadedCaptions,
        *,
        bleu_rule: str | None = None,
        resources: Resources | None = None,
        truth: TrueTexts | None = None,  # of other runs on the same truth
    ) -> None:
        self._loaded = loaded
        self._edition = edition(loaded.edition)
        self._rule = BleuRule(bleu_rule or self._captions(ProfileName.OFFICIAL).bleu_rule)
        truth = truth or TrueTexts(loaded.truth, resources or Resources())
        self._texts = CaptionTexts(loaded.run, truth, self._rule)

    def report(self, profile: str = "official", metrics: Sequence[str] | str | None = None) -> ScoreReport:
        """The metrics of the edition, or those that are named, under one profile."""
        captions = replace(self._captions(profile), bleu_rule=self._rule)
        metrics = [metrics] if isinstance(metrics, str) else metrics
        return CaptionScoring(self._loaded, profile, captions, self._texts).report(metrics)

    def _captions(self, profile: str) -> CaptionScores:
        found = self._edition.profile(profile).captions
        if found is None:
            raise UsageError(f"Edition {self._edition.name} had no caption subtask. Choose another one.")
        return found
