"""What works here: a verdict for each thing that radcap does.

Invariant: a verdict is drawn from what is installed and lies on disk; nothing is run or downloaded for it.
"""

from __future__ import annotations

import os
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.reading.health.values import Feature, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.metrics.metric_tables import MetricState
    from radcap.reading.health.values import Asset

__all__ = ["browser", "captions_lm", "features", "metric_features", "needing"]

_JAVA = ("meteor", "spice")
_MORE = "radcap metrics status"
_PUBLISHED = ("torch", "safetensors", "transformers", "tokenizers", "peft")
_TRAINING = ("torch", "torchvision", "timm", "transformers", "safetensors", "accelerate", "peft")


def features(assets: Sequence[Asset], *, torch_loads: bool = True) -> tuple[Feature, ...]:
    """All of them: images first, then runs, then what is beside."""
    torch = "" if torch_loads else "torch is installed and does not load."
    return (
        _with_models(needing("read images", "read", ("torch", "safetensors")), assets, torch),
        _with_models(needing("explain", "read", ("torch", "safetensors")), assets, torch),
        captions_lm(),
        needing("captioners and chats of others", "lm", _PUBLISHED),
        needing("train", "train", _TRAINING) if torch_loads else _torchless("train", torch),
        needing(
            "trees and boosted trees",
            "train",
            ("sklearn", "xgboost"),
            "systems that learn them are not trained",
        ),
        Feature("validate, score concepts, compare", Verdict.READY),
        *metric_features(_metric_states()),
        needing(
            "vocabulary: search, link", "vocabulary", ("rapidfuzz",), "misspelt words are not understood"
        ),
        needing("vocabulary: build", "vocabulary", ("duckdb",), "tables are built, releases of UMLS are not"),
        needing("DICOM images", "dicom", ("pydicom",)),
        needing(
            "quick search of cases", "search", ("faiss",), "the search is exact, and slower on many cases"
        ),
        browser(),
    )


def needing(name: str, extra: str, modules: Iterable[str], without: str = "") -> Feature:
    """A feature that an extra makes whole; `without` says what remains when it is not there."""
    absent = [one for one in modules if find_spec(one) is None]
    if not absent:
        return Feature(name, Verdict.READY)
    why = f"{', '.join(absent)} {'is' if len(absent) == 1 else 'are'} not installed"
    how = f"pip install 'radcap[{extra}]'"
    if without:
        return Feature(name, Verdict.PART, f"{why}: {without}.", how)
    return Feature(name, Verdict.MISSING, f"{why}.", how)


def _with_models(feature: Feature, assets: Sequence[Asset], torch: str) -> Feature:
    """A feature that is no use without the models inside."""
    broken = [one.name for one in assets if one.kind == "model" and one.broken]
    if feature.verdict is not Verdict.READY:
        return feature
    if torch:
        return _torchless(feature.name, torch)
    if broken:
        why = f"Files of {', '.join(broken)} are not those that shipped."
        return Feature(feature.name, Verdict.PART, why, "pip install --force-reinstall --no-deps radcap")
    return feature


def _torchless(name: str, why: str) -> Feature:
    return Feature(name, Verdict.MISSING, why, "pip install --force-reinstall 'radcap[read]'")


def captions_lm() -> Feature:
    """The captioner that is a language model, whose weights are not inside."""
    from radcap.captioning.base_models import model_states

    state = next(one for one in model_states() if one.name == "zoo:captions-lm")
    if state.ready:
        return Feature("captions by a language model", Verdict.READY)
    why, _, how = state.how.rpartition(": ")
    why = why.removesuffix(" Run").removesuffix(" Install it")
    return Feature("captions by a language model", Verdict.MISSING, why, how.rstrip("."))


def _metric_states() -> list[MetricState]:
    from radcap.metrics import Resources
    from radcap.metrics.metric_tables import metric_states

    spacy_model, corenlp = (os.environ.get(f"RADCAP_{name}") for name in ("SPACY_MODEL", "CORENLP"))
    folders = [Path(one) if one else None for one in (spacy_model, corenlp)]
    return metric_states(Resources(folders[0], folders[1]))


def metric_features(states: Sequence[MetricState]) -> tuple[Feature, ...]:
    """Caption metrics: those of Python, the two of Java, and those that need a model of others."""
    by_java = [one for one in states if one.name in _JAVA]
    models = [one for one in states if one.name not in _JAVA and one.needs != "nothing"]
    return (
        Feature("score captions: ROUGE, BLEU, CIDEr", Verdict.READY),
        *(_of_metric(one) for one in by_java),
        _of_models(models),
    )


def _of_metric(state: MetricState) -> Feature:
    name = f"score captions: {state.title}"
    if state.ready:
        return Feature(name, Verdict.READY)
    why, found, rest = state.how.partition(" is missing.")
    _, run, command = rest.partition("Run: ")
    return Feature(name, Verdict.MISSING, f"{why}{found}", command.rstrip(".") if run else _MORE)


def _of_models(states: Sequence[MetricState]) -> Feature:
    name, ready = "score captions: metrics of models", [one.name for one in states if one.ready]
    if len(ready) == len(states):
        return Feature(name, Verdict.READY)
    absent = ", ".join(one.name for one in states if not one.ready)
    return Feature(name, Verdict.PART if ready else Verdict.MISSING, f"Not here: {absent}.", _MORE)


def browser() -> Feature:
    """Pages are files; only `--serve` would open one by itself."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        why = "No browser was found here. Pages are written all the same."
        return Feature("look at pages", Verdict.PART, why, "Open the .html file on another machine")
    return Feature("look at pages", Verdict.READY)
