"""QuickUMLS, and what stands in for it where it is not installed: names found by the letters they share.

Both look at every run of up to five words, and for each at the names whose three-letter pieces are alike
enough. QuickUMLS does it in C++ with databases on disk, the stand-in in Python and NumPy, in memory.
Invariant: nothing here needs radcap, so that an interpreter that has QuickUMLS and little else can run it.

    python benchmarks/quickumls_ways.py stand-in NAMES --texts NAMES --most 100 --threshold 0.7
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from array import array
from math import ceil, floor
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["Alike", "select", "windows"]

WINDOW, SHORTEST, PIECE = (
    5,
    3,
    3,
)  # words of a run, letters of a run, letters of a piece: QuickUMLS's defaults
STOP_WORDS = Path(__file__).parent.parent / "src" / "radcap" / "data" / "words" / "stopwords_english.txt"
TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")


def pieces(text: str) -> set[str]:
    """The pieces of three letters; a shorter text is its own piece."""
    return {text[i : i + PIECE] for i in range(max(1, len(text) - PIECE + 1))}


def windows(text: str, stop_words: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """The runs of words that QuickUMLS looks up without a tagger: start, end, small letters."""
    tokens = [(match.start(), match.end(), match[0]) for match in TOKEN.finditer(text)]
    for i, (start, _, first) in enumerate(tokens):
        if not first[0].isalnum():
            continue
        alone = not first.isdecimal() and first not in stop_words
        for _, end, last in tokens[i if alone else i + 1 : i + WINDOW]:
            if last[0].isalnum() and last not in stop_words and end - start >= SHORTEST:
                yield start, end, text[start:end].lower()


class Alike:
    """Names by their pieces, searched as in SimString (Okazaki and Tsujii, 2010), "Simple and efficient
    algorithm for approximate dictionary matching": short lists are read, long ones only asked.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._lists: dict[int, dict[str, array[int]]] = {}  # how many pieces -> piece -> names
        for place, name in enumerate(names):
            parts = pieces(name)
            sized = self._lists.setdefault(len(parts), {})
            for part in parts:
                sized.setdefault(part, array("I")).append(place)

    def find(self, text: str, threshold: float) -> Iterator[tuple[str, float]]:
        """Each name that is alike enough, and how much (Jaccard)."""
        parts = pieces(text)
        for size in range(ceil(threshold * len(parts)), floor(len(parts) / threshold) + 1):
            sized = self._lists.get(size, {})
            lists = [np.frombuffer(sized[part], np.uint32) for part in parts if part in sized]
            shared = ceil(threshold * (len(parts) + size) / (1 + threshold))
            if len(lists) >= shared:
                for place, count in _overlapping(sorted(lists, key=len), shared):
                    yield self._names[place], count / (len(parts) + size - count)


def _overlapping(lists: Sequence[NDArray[np.uint32]], shared: int) -> Iterator[tuple[int, int]]:
    """What stands in at least so many of the lists, and in how many."""
    few = len(lists) - shared + 1  # what stands in none of them stands in too few
    places, counts = np.unique(np.concatenate(lists[:few]), return_counts=True)
    for left, one in zip(range(shared - 1, 0, -1), lists[few:], strict=True):
        able = counts + left >= shared
        places, counts = places[able], counts[able]
        at = np.minimum(np.searchsorted(one, places), len(one) - 1)
        counts += one[at] == places
    enough = counts >= shared
    return zip(places[enough].tolist(), counts[enough].tolist(), strict=True)


def select(found: Iterable[tuple[int, int, float, str]]) -> list[tuple[int, int, float, str]]:
    """Of runs that overlap the most alike, then the longest."""
    chosen: list[tuple[int, int, float, str]] = []
    for one in sorted(found, key=lambda one: (-one[2], one[0] - one[1])):
        if all(one[1] <= other[0] or other[1] <= one[0] for other in chosen):
            chosen.append(one)
    return chosen


def stand_in(folder: Path, threshold: float) -> Callable[[str], Sequence[object]]:
    lines = (folder / "terms.tsv").read_text("utf-8").splitlines()
    names = [line.split("\t")[1].lower() for line in lines]
    alike, stop_words = Alike(names), frozenset(STOP_WORDS.read_text("utf-8").split())

    def match(text: str) -> Sequence[object]:
        found = [
            (start, end, alikeness, name)
            for start, end, run in windows(text, stop_words)
            for name, alikeness in alike.find(run, threshold)
        ]
        return select(found)

    return match


def _without_models() -> None:
    """An empty spaCy pipeline and radcap's stop words for the models that QuickUMLS would fetch."""
    import nltk  # pyright: ignore[reportMissingModuleSource]
    import spacy

    words = STOP_WORDS.read_text("utf-8").split()
    spacy.load = lambda *_: spacy.blank("en")  # pyright: ignore[reportAttributeAccessIssue]
    nltk.corpus.stopwords = SimpleNamespace(words=lambda *_: words)  # pyright: ignore


def install(release: Path, out: Path) -> None:
    """Compile a release for QuickUMLS, small letters, with the database it takes by itself."""
    _without_models()
    from quickumls.install import main as compile_release  # pyright: ignore[reportMissingImports]

    out.mkdir()
    sys.argv = ["quickumls.install", "--lowercase", str(release), str(out)]
    compile_release()


def quickumls(compiled: Path, threshold: float) -> Callable[[str], Sequence[object]]:
    _without_models()
    from quickumls import QuickUMLS  # pyright: ignore[reportMissingImports]

    return QuickUMLS(str(compiled), threshold=threshold).match


WAYS: dict[str, Callable[[Path, float], Callable[[str], Sequence[object]]]] = {
    "quickumls": quickumls,
    "stand-in": stand_in,
}


def _link(match: Callable[[str], Sequence[object]], texts: Sequence[str]) -> dict[str, float]:
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    mentions = sum(len(match(text)) for text in texts)
    wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    return {"wall_s": wall_s, "cpu_s": cpu_s, "texts": len(texts), "mentions": mentions}


def main() -> None:
    parser = argparse.ArgumentParser(description="Link captions by names that are alike.")
    parser.add_argument("way", choices=("install", *WAYS))
    parser.add_argument(
        "names", type=Path, help="a folder of names, a release, or what `install` made of one"
    )
    parser.add_argument("--out", type=Path, help="the folder that `install` makes")
    parser.add_argument("--texts", type=Path, help="the folder of the captions")
    parser.add_argument("--most", type=int)
    parser.add_argument("--threshold", type=float, default=0.7)
    asked = parser.parse_args()
    if asked.way == "install":
        start = time.perf_counter()
        install(asked.names, asked.out)
        print(json.dumps({"wall_s": time.perf_counter() - start}))
    else:
        texts = (asked.texts / "captions.txt").read_text("utf-8").splitlines()[: asked.most]
        print(json.dumps(_link(WAYS[asked.way](asked.names, asked.threshold), texts)))


if __name__ == "__main__":
    main()
