"""QuickUMLS: names that resemble the words of a text by their letters. The matcher of 2017, and of MEDCON.

Its data come from a UMLS release, or from any vocabulary of radcap by `compile_quickumls`.
Invariant: the settings that decide what is found stand in the reason of every mention.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, cast

from radcap.core import Missing, UsageError
from radcap.vocabulary.concepts import type_number
from radcap.vocabulary.extractors.entities import IsolatedExtractor
from radcap.vocabulary.extractors.isolated import Tool, check_tool, start_tool, tool_file
from radcap.vocabulary.extractors.known import Known
from radcap.vocabulary.extractors.options import (
    WorkerOptions,
    check_among,
    check_between,
    read_options,
    variable,
)
from radcap.vocabulary.extractors.quickumls_data import write_rrf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["QuickumlsOptions", "check_quickumls", "compile_quickumls", "open_quickumls"]

_ALL = "all"
_COMPILING_S = 86_400.0  # QuickUMLS says nothing before it is done
_FOLDERS = ("umls-simstring.db", "cui-semtypes.db")
_GET_DATA = (
    "Compile one from the RRF files of UMLS (python -m quickumls.install -L -d unqlite RRF_FOLDER DATA), or "
    "from any vocabulary of radcap (radcap.vocabulary.extractors.compile_quickumls). Name it with the option "
    f"data, or in {variable('quickumls', 'data')}."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickumlsOptions(WorkerOptions):
    """What QuickUMLS can be told; the defaults are its own, but for the types: all of them."""

    data: Path | None = None
    threshold: float = 0.7
    window: int = 5
    similarity: str = "jaccard"
    overlapping: str = "score"
    min_length: int = 3
    types: str = _ALL  # or TUIs with commas between them

    def __post_init__(self) -> None:
        WorkerOptions.__post_init__(self)
        check_between("threshold", self.threshold, 0, 1)
        check_between("window", self.window, 1, 100)
        check_between("min_length", self.min_length, 1, 100)
        check_among("similarity", self.similarity, ("jaccard", "dice", "cosine", "overlap"))
        check_among("overlapping", self.overlapping, ("score", "length"))
        wrong = [one for one in self.tuis or () if type_number(one) is None]
        if wrong:
            raise UsageError(f"types={wrong[0]!r:.60} is no semantic type. Give TUIs, as in types=T023,T047.")

    @property
    def tuis(self) -> list[str] | None:
        return None if self.types == _ALL else [one.strip() for one in self.types.split(",")]

    def to_json(self) -> dict[str, object]:
        return {
            "data": str(_data(self)),
            "threshold": self.threshold,
            "window": self.window,
            "similarity": self.similarity,
            "overlapping": self.overlapping,
            "min_length": self.min_length,
            "types": self.tuis,
            "stop_words": _stop_words(),
        }


def open_quickumls(vocabularies: Sequence[Vocabulary], options: Mapping[str, str]) -> IsolatedExtractor:
    """QuickUMLS with the data of the options."""
    chosen = read_options("quickumls", QuickumlsOptions, options)
    worker = start_tool(_TOOL, chosen, chosen.to_json())
    why = f"{worker.title}, {chosen.similarity} {chosen.threshold:g}"
    return IsolatedExtractor(worker, chosen, partial(Known(vocabularies).mentions, why))


def check_quickumls(options: Mapping[str, str]) -> None:
    """Raise `Missing` where something is absent; opens nothing."""
    chosen = read_options("quickumls", QuickumlsOptions, options)
    check_tool(_TOOL, chosen, chosen.to_json())


def _absent(names: Sequence[str], python: Path) -> Missing:
    return Missing(
        "QuickUMLS" if "quickumls" in names else " and ".join(names),
        f"{python} has no package {' or '.join(names)}.",
        "Make an environment for it with Python 3.11 or older (python3.11 -m venv ENV; ENV/bin/pip install "
        "quickumls, or medspacy), and name ENV/bin/python with the option python, or in "
        f"{variable('quickumls', 'python')}.",
    )


_TOOL = Tool("QuickUMLS", tool_file("quickumls"), _absent)
_COMPILER = Tool("QuickUMLS", tool_file("quickumls_compiler"), _absent)


def compile_quickumls(
    vocabulary: Vocabulary, data: Path, options: Mapping[str, str], *, lowercase: bool = True
) -> int:
    """Compile a vocabulary for QuickUMLS into a new folder, and return how many names it took.

    Of `options` only the interpreter and its limits are used. The licence of the names goes with them.
    """
    chosen = read_options("quickumls", QuickumlsOptions, options)
    if data.exists():
        raise UsageError(f"There is something at {data} already. It is not replaced. Choose another folder.")
    data.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data.parent, prefix=".compiling-") as folder:
        rrf, made = Path(folder, "rrf"), Path(folder, "data")
        rrf.mkdir()
        made.mkdir()
        write_rrf(vocabulary, rrf)
        paths = {"rrf": str(rrf.absolute()), "data": str(made.absolute())}
        limits = replace(chosen, timeout_s=max(chosen.timeout_s, _COMPILING_S))
        with start_tool(_COMPILER, limits, {}) as worker:
            names = cast("int", worker.ask("compile", paths | {"lowercase": lowercase, "backend": "unqlite"}))
        made.replace(data)
    return names


def _data(chosen: QuickumlsOptions) -> Path:
    if chosen.data is None:
        raise Missing("QuickUMLS data", "QuickUMLS needs a folder that it compiled.", _GET_DATA)
    data = chosen.data.expanduser().absolute()
    absent = [name for name in _FOLDERS if not (data / name).is_dir()]
    if absent:
        raise Missing("QuickUMLS data", f"{data} does not hold {' or '.join(absent)}.", _GET_DATA)
    return data


def _stop_words() -> list[str]:
    return files("radcap").joinpath("data", "words", "stopwords_english.txt").read_text("utf-8").split()
