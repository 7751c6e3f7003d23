"""radcap reads radiology images, opens their datasets, and scores runs by the rules of any edition.

Everything here is loaded on first use, so `import radcap` costs nothing.
>>> import radcap
>>> truth = {"a": {"C0040405"}, "b": {"C0024485", "C0006104"}}
>>> radcap.score_concepts({"a": {"C0040405"}, "b": {"C0024485"}}, truth)["f1"].value
0.8333333333333333
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.core import Issue, Level, Run, Score, Task
    from radcap.datasets import Dataset, Record, load_dataset
    from radcap.formats import Validation, fix_run, read_run, validate, write_run
    from radcap.metrics import (
        EDITIONS,
        Edition,
        RunComparison,
        ScoreReport,
        board,
        edition,
        score_concepts,
    )
    from radcap.reading.explaining import explain
    from radcap.reading.opening import Readings, open_reader, read
    from radcap.reading.scoring import compare, score_captions
    from radcap.reading.values import Reading
    from radcap.stats import Procedure
    from radcap.systems.predicting import predict
    from radcap.systems.training import train
    from radcap.vocabulary import Linker, Mention, Vocabulary, link, open_vocabulary

__all__ = [
    "EDITIONS",
    "Dataset",
    "Edition",
    "Issue",
    "Level",
    "Linker",
    "Mention",
    "Procedure",
    "Reading",
    "Readings",
    "Record",
    "Run",
    "RunComparison",
    "Score",
    "ScoreReport",
    "Task",
    "Validation",
    "Vocabulary",
    "board",
    "compare",
    "edition",
    "explain",
    "fix_run",
    "link",
    "load_dataset",
    "open_reader",
    "open_vocabulary",
    "predict",
    "read",
    "read_run",
    "score_captions",
    "score_concepts",
    "train",
    "validate",
    "write_run",
]

if TYPE_CHECKING:
    __version__: str

_HOMES = {
    "radcap.core": ("Issue", "Level", "Run", "Score", "Task"),
    "radcap.datasets": ("Dataset", "Record", "load_dataset"),
    "radcap.systems.predicting": ("predict",),
    "radcap.formats": ("Validation", "fix_run", "read_run", "validate", "write_run"),
    "radcap.metrics": (
        *("EDITIONS", "Edition", "RunComparison", "ScoreReport", "board", "edition", "score_concepts"),
    ),
    "radcap.reading.explaining": ("explain",),
    "radcap.reading.opening": ("Readings", "open_reader", "read"),
    "radcap.reading.values": ("Reading",),
    "radcap.reading.scoring": ("compare", "score_captions"),
    "radcap.stats": ("Procedure",),
    "radcap.systems.training": ("train",),
    "radcap.vocabulary": ("Linker", "Mention", "Vocabulary", "link", "open_vocabulary"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("radcap.core.version").VERSION
    if name not in _HOME_OF:
        raise AttributeError(f"radcap has no {name!r}. It has {', '.join(__all__)}.")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
