"""The metrics that radcap computes itself, as the registry calls them: pairs of texts in, values out.

Invariant: one function per name; what a metric needs is loaded inside it, so that nothing else pays for it.
`..._ready` raises `Missing` where something is absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.metrics.text_pairs import Measured

if TYPE_CHECKING:
    from radcap.metrics.text_pairs import Resources, TextPairs

__all__ = [
    "bleu",
    "bleu1",
    "bleu2",
    "bleu3",
    "bleu4",
    "cider",
    "meteor",
    "meteor_ready",
    "rouge1",
    "rouge2",
    "rouge_l",
    "spice",
    "spice_ready",
]


def rouge1(pairs: TextPairs) -> Measured:
    """ROUGE-1, the F-measure of single words."""
    return _rouge_n(pairs, 1)


def rouge2(pairs: TextPairs) -> Measured:
    """ROUGE-2, the F-measure of pairs of words."""
    return _rouge_n(pairs, 2)


def _rouge_n(pairs: TextPairs, n: int) -> Measured:
    from radcap.metrics.rouge_n import rouge_n_scores

    return Measured(rouge_n_scores(pairs.candidates, pairs.references, n))


def rouge_l(pairs: TextPairs) -> Measured:
    """ROUGE-L, by the longest common subsequence."""

    from radcap.metrics.rouge_l import rouge_l_scores

    return Measured(rouge_l_scores(pairs.candidates, pairs.references))


def bleu(pairs: TextPairs) -> Measured:
    """BLEU-4 of sentences, as the edition's evaluator forms it."""

    from radcap.metrics.bleu import bleu_of_counts

    return Measured(bleu_of_counts(pairs.ngrams, pairs.rule))


def bleu1(pairs: TextPairs) -> Measured:
    """BLEU-1 as the COCO evaluator forms it."""
    return _coco_bleu(pairs, 1)


def bleu2(pairs: TextPairs) -> Measured:
    """BLEU-2 as the COCO evaluator forms it."""
    return _coco_bleu(pairs, 2)


def bleu3(pairs: TextPairs) -> Measured:
    """BLEU-3 as the COCO evaluator forms it."""
    return _coco_bleu(pairs, 3)


def bleu4(pairs: TextPairs) -> Measured:
    """BLEU-4 as the COCO evaluator forms it."""
    return _coco_bleu(pairs, 4)


def _coco_bleu(pairs: TextPairs, n: int) -> Measured:
    from radcap.metrics.coco_bleu import coco_bleu_of_counts, corpus_bleu

    counted = pairs.ngrams[:n]
    return Measured(coco_bleu_of_counts(counted)[-1], {f"bleu{n}_corpus": corpus_bleu(counted)[-1]})


def cider(pairs: TextPairs) -> Measured:
    """CIDEr-D, with the rarity of words taken from the references."""

    from radcap.metrics.cider import cider_of_counts

    return Measured(cider_of_counts(pairs.ngrams))


def meteor(pairs: TextPairs) -> Measured:
    """METEOR 1.5, by its own program in Java."""

    from radcap.metrics.providers.meteor import LONGEST, meteor_scores

    progress = pairs.resources.progress_of("meteor")
    scores = meteor_scores(pairs.candidates, pairs.references, progress=progress)
    return Measured(list(scores.values), {"meteor_corpus": scores.total}, {"longest": str(LONGEST)})


def meteor_ready(_: Resources) -> None:
    """Refuse what METEOR lacks, before any caption is read."""

    from radcap.metrics.providers.meteor import check_meteor

    check_meteor()


def spice(pairs: TextPairs) -> Measured:
    """SPICE 1.0, by its own program in Java."""

    from radcap.metrics.providers.spice import spice_scores

    return Measured(spice_scores(pairs.candidates, pairs.references, corenlp=pairs.resources.corenlp))


def spice_ready(resources: Resources) -> None:
    """Refuse what SPICE lacks, before any caption is read."""

    from radcap.metrics.providers.spice import check_spice

    check_spice(resources.corenlp)
