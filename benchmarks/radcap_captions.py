"""The same caption metrics by radcap, from captions in memory to a value for each of them.

python benchmarks/radcap_captions.py WAY run.csv captions.csv [--first N]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from official_captions import read_pairs
from work import show_work

from radcap.metrics.bleu import bleu_of_counts
from radcap.metrics.bleu_rules import BleuRule
from radcap.metrics.cider import cider_of_counts
from radcap.metrics.preparation import Preparation, prepare
from radcap.metrics.providers.meteor import meteor_scores
from radcap.metrics.rouge_n import rouge_n_scores
from radcap.metrics.text_pairs import TextPairs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def rouge1(said: list[str], true: list[str]) -> list[float]:
    return rouge_n_scores(said, true, 1)


def bleu2017(said: list[str], true: list[str]) -> list[float]:
    prepared = prepare([*said, *true], Preparation.P17)
    pairs = TextPairs(prepared[: len(said)], prepared[len(said) :])
    return bleu_of_counts(pairs.ngrams, BleuRule.VANISHING)  # the rule of today's NLTK


def cider(said: list[str], true: list[str]) -> list[float]:
    return cider_of_counts(TextPairs(said, true).ngrams)


def meteor(said: list[str], true: list[str]) -> Sequence[float]:
    return meteor_scores(said, true).values


WAYS: dict[str, Callable[[list[str], list[str]], Sequence[float]]] = {
    "rouge1": rouge1,
    "bleu2017": bleu2017,
    "cider": cider,
    "meteor": meteor,
}


def main() -> None:
    way, said, true = read_pairs(__doc__, WAYS)
    show_work(lambda: WAYS[way](said, true))


if __name__ == "__main__":
    main()
