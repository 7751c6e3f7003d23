"""A vocabulary in the shape of UMLS's English names, and captions that use it, made up from a seed.

Real are the names of the labels that ship with radcap; every other name and all captions are invented.
Invariant: the same sizes and seed give the same bytes, and no two names are equal, whatever their case.

    python benchmarks/synthetic_vocabulary.py OUT --terms 1000000 --captions 100000
"""

from __future__ import annotations

import argparse
import csv
import re
from itertools import accumulate, islice, product
from math import log
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from synthetic import SEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "NAMES_PER_CONCEPT",
    "TYPES",
    "WORDS",
    "CaptionMaker",
    "Folder",
    "Term",
    "labels",
    "lexicon",
    "names",
    "synthetic_terms",
    "write_folder",
    "write_lines",
]

LABELS = Path(__file__).parent.parent / "src" / "radcap" / "data" / "radiology_open" / "cui_mapping.csv"
WORDS = 200_000
TYPES = ("T047", "T023", "T033", "T060", "T029", "T037")  # all of them are among those QuickUMLS accepts
_NEW_CUIS = 6_000_000  # where CUIs begin that no label has
NAMES_PER_CONCEPT = 2.2


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# What is common in names stands first; the rest of the lexicon is put together from roots and endings.
_HEADS = _words(
    "disorder left right syndrome type acute disease chronic injury carcinoma congenital fracture neoplasm "
    "deficiency upper lower artery bone tumor infection abnormal joint malignant benign primary muscle "
    "lesion vein nerve open closed superficial anterior posterior lateral medial bilateral familial "
    "recurrent fistula"
)
_ROOTS = _words(
    "aden angi arthr aort bronch burs card cephal cerebr cervic chol chondr col cost cran cyst dent derm "
    "duoden encephal enter esophag fasci fibr gastr gingiv gloss hem hepat hydr hyster ile jejun kerat lapar "
    "laryng lip lith lumb lymph mamm mening muc my myel nas nephr neur ocul odont orchi oste ot ovar "
    "pancreat path peri pharyng phleb pleur pneum proct prostat pyel rect ren retin rhin sacr salping scapul "
    "scler sin splen spondyl stern stomat synov tars tendin thorac thromb thyr tonsill trache tympan ureter "
    "urethr vagin vascul ventricul vertebr vesic"
)
_ENDINGS = _words(
    "al ar ectasis ectomy emia genic gram graphy ia ic ical itis oid ogenesis olysis oma opathy oplasty "
    "orrhage oscopy osis ostomy otomy ous plasia ptosis pathic sclerosis spasm trophy"
)
_COUNTS = {1: 8, 2: 24, 3: 24, 4: 18, 5: 12, 6: 7, 7: 4, 8: 3}  # names by words, as in MONDO and HPO
# How a name of several words is written, by how often: {0} is its first word, {1} the others.
_SHAPES = {
    "{0} {1}": 66,
    "{1}, {0}": 10,
    "Structure of {0} {1}": 4,
    "{0} of {1}": 8,
    "{0} {1} (disorder)": 4,
    "{0}-{1}": 4,
    "{0} {1} {2}": 4,
}

# What captions are made of beside names, the commonest first.
_COMMON = _words(
    "the of and a in with showing to arrow image is shows at on view contrast was after an from patient "
    "arrows year old white by as demonstrating large seen cm small mm are showed for this wall area black "
    "which has be there within between level before section were through image's multiple due well same"
)
_NUMBERS = ("{} cm", "{}.{} cm", "{}-year-old", "T{}-weighted", "{} \N{MULTIPLICATION SIGN} {} mm", "{}%")
_ASIDES = ("(arrow)", "(arrows)", "(white arrow)", "(a)", "(B)", "(asterisk)")
_MEDIAN_LENGTH, _LENGTH_SPREAD, _LONGEST = 15, 0.75, 250  # words; a log-normal with a mean of 20
# Chances for each place of a caption: a name, a word of the lexicon, a number, something in brackets.
_NAME, _RARE, _NUMBER, _ASIDE = 0.24, 0.1, 0.04, 0.025
_NO, _MAYBE, _EXPLAINED, _LABEL = 0.03, 0.02, 0.02, 0.6  # of the names
_COMMA, _STOP = 0.03, 0.06
_SAID = re.compile(r"[^ (),]+(?: [^ (),]+){0,3}")  # names that people write as they are
_POOL = 20_000  # names that captions choose from; a corpus does not use all of UMLS


class Term(NamedTuple):
    """A name of a concept."""

    cui: str
    name: str
    tui: str


class Folder(NamedTuple):
    """The files that the ways of linking read."""

    path: Path

    @property
    def terms(self) -> Path:
        return self.path / "terms.tsv"

    @property
    def captions(self) -> Path:
        return self.path / "captions.txt"

    def read_terms(self) -> list[Term]:
        lines = self.terms.read_text("utf-8").splitlines()
        return [Term(*line.split("\t")) for line in lines]

    def read_captions(self, most: int | None = None) -> list[str]:
        return self.captions.read_text("utf-8").splitlines()[:most]


class _Zipf:
    """Draws values, the earlier the more often."""

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self._sums = tuple(accumulate(1 / (rank + 2.7) for rank in range(len(values))))

    def draw(self, random: Random, n: int = 1) -> list[str]:
        return random.choices(self._values, cum_weights=self._sums, k=n)


def lexicon(n: int, seed: int = SEED) -> list[str]:
    """So many words, the commonest first: common ones are short."""
    random = Random(seed)
    short = [f"{root}{ending}" for root, ending in product(_ROOTS, _ENDINGS)]
    long = [f"{root}o{word}" for root, word in product(_ROOTS, short)]
    random.shuffle(short)
    random.shuffle(long)
    return list(dict.fromkeys([*_HEADS, *short, *long]))[:n]


def labels() -> list[Term]:
    """The real names."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [Term(cui, name, TYPES[i % len(TYPES)]) for i, (cui, name) in enumerate(rows)]


def synthetic_terms(n: int, seed: int = SEED) -> list[Term]:
    """So many names with their concepts, the real ones first; there are more than those."""
    random = Random(seed)
    found = labels()
    seen = {one.name.lower() for one in found}
    concept = _NEW_CUIS
    for name in names(random, lexicon(min(WORDS, 10 * n))):
        if len(found) == n:
            break
        if name.lower() not in seen:
            seen.add(name.lower())
            concept += random.random() < 1 / NAMES_PER_CONCEPT
            found.append(Term(f"C{concept:07d}", name, TYPES[concept % len(TYPES)]))
    return found


def names(random: Random, words: Sequence[str]) -> Iterator[str]:
    """Names without end."""
    common = _Zipf(words)
    while True:
        counts = random.choices(tuple(_COUNTS), tuple(_COUNTS.values()), k=10_000)
        shapes = random.choices(tuple(_SHAPES), tuple(_SHAPES.values()), k=10_000)
        drawn = iter(common.draw(random, sum(counts)))
        for count, shape in zip(counts, shapes, strict=True):
            parts = list(dict.fromkeys(islice(drawn, count)))
            if count == 1:
                yield _single(random, words)
            elif len(parts) > 1:
                yield _shaped(random, parts, shape)


def _single(random: Random, words: Sequence[str]) -> str:
    """One word of any rank, or now and then an abbreviation."""
    if random.random() < 0.05:
        return "".join(random.choices("ABCDEFGHILMNOPRSTV", k=random.randint(3, 5)))
    return random.choice(words).capitalize()


def _shaped(random: Random, parts: list[str], shape: str) -> str:
    first, *rest = parts
    name = shape.format(first, " ".join(rest), random.randint(1, 99))
    return name[:1].upper() + name[1:]


class CaptionMaker:
    """Writes captions that hold names about as densely as real ones."""

    def __init__(self, terms: Sequence[Term], seed: int = SEED) -> None:
        self._random = Random(seed)
        real = [one.name for one in labels() if _SAID.fullmatch(one.name)]
        invented = [one.name for one in terms[len(labels()) :] if _SAID.fullmatch(one.name)]
        used = self._random.sample(invented, min(_POOL, len(invented)))
        self._labels, self._names = _Zipf(real), _Zipf(used)
        self._words, self._common = _Zipf(lexicon(min(WORDS, 10 * len(terms)))), _Zipf(_COMMON)

    def captions(self, n: int) -> list[str]:
        return [self._caption() for _ in range(n)]

    def _caption(self) -> str:
        length = self._random.lognormvariate(log(_MEDIAN_LENGTH), _LENGTH_SPREAD)
        wanted = max(3, min(round(length), _LONGEST))
        said: list[str] = []
        while len(said) < wanted:
            said += self._piece().split(" ")
        text = " ".join(said).rstrip(".,") + "."
        return ". ".join(sentence[:1].upper() + sentence[1:] for sentence in text.split(". "))

    def _piece(self) -> str:
        """One or several words."""
        random = self._random
        kind = random.random()
        if kind < _NAME:
            said = self._name()
        elif kind < _NAME + _RARE:
            [said] = self._words.draw(random)
        elif kind < _NAME + _RARE + _NUMBER:
            said = random.choice(_NUMBERS).format(*random.choices(range(1, 60), k=2))
        elif kind < _NAME + _RARE + _NUMBER + _ASIDE:
            return random.choice(_ASIDES)
        else:
            [said] = self._common.draw(random)
        mark = random.random()
        return f"{said}," if mark < _COMMA else f"{said}." if mark < _COMMA + _STOP else said

    def _name(self) -> str:
        random = self._random
        [name] = (self._labels if random.random() < _LABEL else self._names).draw(random)
        said = name if name.isupper() else name.lower()
        kind = random.random()
        if kind < _NO:
            return f"no evidence of {said}"
        if kind < _NO + _MAYBE:
            return f"possible {said}"
        if kind < _NO + _MAYBE + _EXPLAINED and " " in said:
            short = "".join(word[0] for word in said.split(" ") if word).upper()
            return f"{said} ({short}) and the {short}"
        return said


def write_folder(path: Path, terms: int, captions: int) -> Folder:
    """Names and captions as files."""
    path.mkdir(parents=True)
    folder, made = Folder(path), synthetic_terms(terms)
    write_lines(folder.terms, map("\t".join, made))
    write_lines(folder.captions, CaptionMaker(made).captions(captions))
    return folder


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Lines with their ends."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{line}\n" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a made-up vocabulary and captions.")
    parser.add_argument("out", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--terms", type=int, default=1_000_000)
    parser.add_argument("--captions", type=int, default=100_000)
    asked = parser.parse_args()
    write_folder(asked.out, asked.terms, asked.captions)


if __name__ == "__main__":
    main()
