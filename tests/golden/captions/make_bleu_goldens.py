"""Sentence BLEU by the NLTK versions of the day, on token lists. No radcap here.

The bleu_score module of each version is loaded alone, from the unpacked source archives, because the old
packages as a whole no longer import. Python 3.11 is the last that runs them (`Fraction(_normalize=False)`).
    python -m pip download --no-deps --no-binary :all: -d DIR nltk==3.2.1    (and 3.2.2, 3.2.5, 3.3)
    cd DIR && unpack each archive, which gives nltk-3.2.1 and so on
    python3.11 tests/golden/captions/make_bleu_goldens.py DIR > tests/golden/captions/bleu_nltk.json
"""

from __future__ import annotations

import collections
import collections.abc
import importlib
import json
import platform
import random
import sys
import types
import warnings
from pathlib import Path

VERSIONS = ("3.2.1", "3.2.2", "3.2.5", "3.3")
COMMAND = "python3.11 tests/golden/captions/make_bleu_goldens.py DIR > tests/golden/captions/bleu_nltk.json"
REFERENCE = "chest xray show left pleural effus"
CHOSEN = [  # candidate, reference: those of the specification, then the short and the empty
    (REFERENCE, REFERENCE),
    ("chest xray", REFERENCE),
    ("effus left chest show xray pleural", REFERENCE),
    ("chest xray normal", REFERENCE),
    ("chest chest chest xray", REFERENCE),
    ("chest xray show left effus", "chest xray"),
    ("brain mri axial", "brain mri axial"),
    ("", REFERENCE),
    (REFERENCE, ""),
    ("", ""),
    ("lung", "lung"),
    ("lung", "liver"),
    ("lung lung", "lung lung"),
    ("lung lung lung lung", "lung"),
    ("ct scan abdomen", "mri brain axial view"),
    ("ct scan abdomen mass", "mri brain axial view"),
    ("ct scan show mass liver lobe", "ct scan abdomen show 35cm mass arrow"),
    ("axial ct scan show larg mass right lobe liver", "axial ct scan show larg mass left lobe liver"),
]
WORDS = ("ct", "scan", "show", "left", "lung", "mass", "effus", "arrow")
RANDOM_PAIRS = 46


def random_pairs() -> list[tuple[str, str]]:
    """Seeded, over few words, so that n-grams of every order are shared and repeated."""
    draw = random.Random(2017)  # noqa: S311, token lists
    lengths = (1, 2, 3, 4, 5, 6, 8, 11, 15, 26)
    return [
        (
            " ".join(draw.choices(WORDS, k=draw.choice(lengths))),
            " ".join(draw.choices(WORDS, k=draw.choice(lengths))),
        )
        for _ in range(RANDOM_PAIRS)
    ]


def load(root: Path) -> types.ModuleType:
    """The bleu_score module of one version, inside packages that hold nothing else."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "nltk"]:
        del sys.modules[name]
    for name in ("nltk", "nltk.translate"):
        package = types.ModuleType(name)
        folder = root.joinpath(*name.split("."))
        package.__path__, package.__file__ = [str(folder)], str(folder / "__init__.py")
        sys.modules[name] = package
    module = importlib.import_module("nltk.translate.bleu_score")
    module.ngrams = ngrams  # type: ignore[attr-defined]
    return module


def ngrams(tokens: list[str], n: int) -> list[tuple[str, ...]]:
    """NLTK's own ends by a StopIteration inside a generator, which Python 3.7 made an error."""
    return [tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)]


def score(module: types.ModuleType, candidate: str, reference: str) -> float | str:
    """With the defaults, as in 2017; `method0`, as from 2018 on, must give the same."""
    answers = []
    for smoothing in (None, module.SmoothingFunction().method0):
        try:
            answers.append(
                float(
                    module.sentence_bleu([reference.split()], candidate.split(), smoothing_function=smoothing)
                )
            )
        except ZeroDivisionError as error:
            answers.append(type(error).__name__)
    if answers[0] != answers[1]:
        raise SystemExit(f"{candidate!r} against {reference!r}: {answers}")
    return answers[0]


def main(folder: Path) -> None:
    for name in ("Callable", "Iterable", "Mapping", "MutableMapping", "MutableSet", "Sequence", "Set"):
        setattr(collections, name, getattr(collections.abc, name))  # where Python had them before 3.10
    warnings.simplefilter("ignore")
    pairs = [*CHOSEN, *random_pairs()]
    by_version = {}
    for version in VERSIONS:
        module = load(folder / f"nltk-{version}")
        by_version[version] = [score(module, *pair) for pair in pairs]
    rows = [
        {"candidate": candidate, "reference": reference}
        | {version: by_version[version][place] for version in VERSIONS}
        for place, (candidate, reference) in enumerate(pairs)
    ]
    json.dump({"command": COMMAND, "python": platform.python_version(), "pairs": rows}, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
