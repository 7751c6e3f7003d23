"""As many captions as an edition has, and runs from good to bad, made up from a seed: none of them is real.

Invariant: the same size and seed give the same bytes. Captions have the shape of real ones: 22 words on
average and 16 at the median, 12,000 word types with a long tail, numbers, marks, a few repeats.

    python benchmarks/synthetic_captions.py OUT --images 19267 --runs 11
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from itertools import islice
from math import log
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from synthetic import ID, IMAGES, SEED, Lottery

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["CaptionWriter", "Captions", "write_captions"]

WORDS = 12_000
HEADER = ("ID", "Caption")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# The commonest words of captions come first, by themselves; the rest is built from these parts.
_COMMON = _words(
    "the of and a in with showing to right left arrow is CT image on at shows scan from was view after an "
    "by for axial patient chest as MRI are were which this X-ray has no not be white black arrows"
)
_STARTS = _words(
    "ab al an ar ca car cer cho co cor cy der di do en ep fa fi ga gas he hy il la le lo ma me mi mo ne "
    "o os pa pe pi ple pneu po pul ra re sa se si so ste sub te tho tra tu u va ven vi"
)
_MIDDLES = _words("ba be ci da di ga la li lo ma mi mu na ne ni no ra re ri ro sa si ta te ti to tu va ve vi")
_ENDINGS = _words(
    "al ar ary ation ations able ed es esis ia ial ic ical ing ings ion ions ism itis ity ive ization ly "
    "ment ness oma ous s sis tic tional um us y"
)
_NUMBERS = (
    *("{} cm", "{}.{} cm", "{}-year-old", "T{}-weighted", "{}.{} \N{MULTIPLICATION SIGN} {} mm"),
    *("{}°", "L{}/{}", "{} µm", "{}%"),
)

_MEDIAN_LENGTH, _LENGTH_SPREAD, _LONGEST = 16, 0.8, 250  # words; a log-normal with a mean of 22
_SENTENCE_ENDS, _COMMA, _BRACKETS, _NUMBER = 0.07, 0.05, 0.03, 0.04  # chances behind, around or for a word
_REPEATED = 0.01  # captions that were given to an earlier image
_OTHER_IMAGE, _DROPPED, _SWAPPED = 0.1, 0.15, 0.05  # what a run does to a caption, and to its words


class CaptionWriter:
    """Writes captions, and what a run of some quality makes of them."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = Random(seed)
        words = [*_COMMON, *islice(_built(self._random), WORDS - len(_COMMON))]
        self._words = Lottery({word: 1 / (rank + 1.5) for rank, word in enumerate(words)})

    def captions(self, n: int) -> list[str]:
        random, found = self._random, list[str]()
        while len(found) < n:
            repeated = found and random.random() < _REPEATED
            found.append(random.choice(found) if repeated else self._caption())
        return found

    def run(self, captions: Sequence[str], replaced: float) -> list[str]:
        """A run that has so many words wrong, besides words left out, exchanged, or of another image."""
        random = self._random
        return [
            random.choice(captions) if random.random() < _OTHER_IMAGE else self._changed(caption, replaced)
            for caption in captions
        ]

    def _caption(self) -> str:
        length = self._random.lognormvariate(log(_MEDIAN_LENGTH), _LENGTH_SPREAD)
        words = [self._word() for _ in range(max(2, min(round(length), _LONGEST)))]
        text = " ".join(words).rstrip(".,") + "."
        return ". ".join(sentence[:1].upper() + sentence[1:] for sentence in text.split(". "))

    def _word(self) -> str:
        random = self._random
        if random.random() < _NUMBER:
            return random.choice(_NUMBERS).format(*random.choices(range(1, 60), k=3))
        word, mark = self._words.draw(random), random.random()
        if mark < _BRACKETS:
            return f"({word})"
        if mark < _BRACKETS + _COMMA:
            return f"{word},"
        return f"{word}." if mark < _BRACKETS + _COMMA + _SENTENCE_ENDS else word

    def _changed(self, caption: str, replaced: float) -> str:
        random = self._random
        words = [word for word in caption.split(" ") if random.random() >= _DROPPED]
        words = [self._word() if random.random() < replaced else word for word in words]
        for place in range(1, len(words)):
            if random.random() < _SWAPPED:
                words[place - 1], words[place] = words[place], words[place - 1]
        return " ".join(words) or caption


def _built(random: Random) -> Iterator[str]:
    """New words without end."""
    seen = {word.lower() for word in _COMMON}
    while True:
        middles = "".join(random.choices(_MIDDLES, k=random.choice((0, 1, 1, 2))))
        word = random.choice(_STARTS) + middles + random.choice(_ENDINGS)
        if word not in seen:
            seen.add(word)
            yield word


@dataclass(frozen=True, slots=True)
class Captions:
    """The files of one folder."""

    folder: Path

    @property
    def truth(self) -> Path:
        return self.folder / "captions.csv"

    def run(self, number: int = 1) -> Path:
        return self.folder / f"run{number:02d}.csv"


def write_captions(folder: Path, n: int, runs: int = 1, seed: int = SEED) -> Captions:
    """A truth and runs from good to bad, each with a few more wrong words than the one before."""
    made, writer = Captions(folder), CaptionWriter(seed)
    folder.mkdir(parents=True)
    truth = writer.captions(n)
    _write(made.truth, truth)
    for number in range(1, runs + 1):
        _write(made.run(number), writer.run(truth, replaced=0.3 + 0.002 * number))
    return made


def _write(path: Path, captions: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(HEADER)
        rows.writerows((ID.format(number), caption) for number, caption in enumerate(captions, 1))


def main() -> None:
    parser = argparse.ArgumentParser(description="Write made-up captions and runs.")
    parser.add_argument("out", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    write_captions(asked.out, asked.images, asked.runs, asked.seed)


if __name__ == "__main__":
    main()
