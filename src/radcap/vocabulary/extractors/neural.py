"""A tagger marks mentions, vectors find the nearest names, a reranker chooses: the path of UMUTeam in 2025.

The models are folders in the layout of the Hugging Face library, or names that its hub knows. The vectors of
all names of the vocabularies are made once and kept in the cache, under what they depend on: the model's
files, how it is used, and the names.
Invariant: a mention whose nearest name is too far is not kept; it says which name that was and how far.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from radcap.core import Missing, cache_root
from radcap.vocabulary.defaults import open_vocabulary
from radcap.vocabulary.extractors.entities import IsolatedExtractor
from radcap.vocabulary.extractors.isolated import Tool, check_tool, for_tools, start_tool, tool_file
from radcap.vocabulary.extractors.known import Known
from radcap.vocabulary.extractors.nearest_names import Choosing, NameLinker, NameRow
from radcap.vocabulary.extractors.options import (
    WorkerOptions,
    check_among,
    check_between,
    read_options,
    variable,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vocabulary.extractors.isolated import Isolated
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["NeuralOptions", "check_neural", "open_neural"]

_log = logging.getLogger(__name__)
_NAMES = 2_048  # that are given their vectors by one question
_TOLD = 50 * _NAMES  # between two words of progress
_TEXTS = 256  # of one batch: the more mentions, the fewer walks over all names
_MODELS = {
    "ner": "a model for token classification, such as one trained on medical entities",
    "linker": "an encoder of names, such as SapBERT",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralOptions(WorkerOptions):
    """What the models can be told."""

    ner: str | None = None
    linker: str | None = None
    reranker: str | None = None
    threshold: float = 0.7  # the least cosine of a name that is meant
    rerank_threshold: float = 0.5  # the least probability of a reranker
    candidates: int = 10
    pooling: str = "cls"
    max_tokens: int = 32  # of a name
    context: int = 128  # letters around a mention that a reranker sees
    template: str = "{mention} {context}"  # its first text; the second is the name of a candidate
    batch: int = 64
    device: str = ""  # as torch calls it; a GPU where there is one
    download: bool = False  # whether the hub may be asked

    def __post_init__(self) -> None:
        WorkerOptions.__post_init__(self)
        check_between("threshold", self.threshold, -1, 1)
        check_between("rerank_threshold", self.rerank_threshold, 0, 1)
        check_between("candidates", self.candidates, 1, 1_000)
        check_between("max_tokens", self.max_tokens, 4, 512)
        check_between("context", self.context, 0, 10_000)
        check_between("batch", self.batch, 1, 10_000)
        check_among("pooling", self.pooling, ("cls", "mean"))

    def to_json(self) -> dict[str, object]:
        for name, what in _MODELS.items():
            if getattr(self, name) is None:
                raise Missing(
                    f"A model for {name}",
                    f"It is {what}.",
                    f"Name its folder or its name on the Hugging Face hub with the option {name}, or in "
                    f"{variable('neural', name)}.",
                )
        models: dict[str, object] = {name: _model(getattr(self, name)) for name in (*_MODELS, "reranker")}
        plain = ("pooling", "max_tokens", "batch", "device", "download")
        return models | {name: getattr(self, name) for name in plain}

    def choosing(self) -> Choosing:
        return Choosing(
            self.candidates,
            self.threshold,
            self.rerank_threshold if self.reranker is not None else None,
            self.context,
            self.template,
        )


def _model(name: str | None) -> str | None:
    """A folder by its full path; any other name as it is."""
    if name is None:
        return None
    folder = Path(name).expanduser()
    return str(folder.absolute()) if folder.is_dir() else name


def open_neural(vocabularies: Sequence[Vocabulary], options: Mapping[str, str]) -> IsolatedExtractor:
    """The models of the options, over the names of the vocabularies or of the free one."""
    chosen = read_options("neural", NeuralOptions, options)
    vocabularies = vocabularies or (open_vocabulary(),)
    worker = start_tool(_TOOL, chosen, chosen.to_json())
    try:
        names = NameRow(vocabularies)
        _prepare(worker, names)
    except BaseException:
        worker.close()
        raise
    linker = NameLinker(worker, names, Known(vocabularies), chosen.choosing())
    return IsolatedExtractor(worker, chosen, linker.mentions, _TEXTS)


def check_neural(options: Mapping[str, str]) -> None:
    """Raise `Missing` where something is absent; opens no model."""
    chosen = read_options("neural", NeuralOptions, options)
    check_tool(_TOOL, chosen, chosen.to_json())


def _absent(names: Sequence[str], python: Path) -> Missing:
    models = [name.removeprefix("model:") for name in names if name.startswith("model:")]
    if models:
        return Missing(
            f"The model {' and '.join(models)}",
            "It is no folder, and the library of the Hugging Face hub keeps no copy of it.",
            "Name a folder with config.json, a tokenizer and weights, or give download=yes.",
        )
    return Missing(
        " and ".join(names),
        f"{python} does not have it.",
        "Run: pip install 'radcap[train]', or name an interpreter that has torch and transformers with the "
        f"option python, or in {variable('neural', 'python')}.",
    )


_TOOL = Tool("The neural extractor", tool_file("neural"), _absent)


def _prepare(worker: Isolated, names: NameRow) -> None:
    """See that every name has a vector."""
    key = hashlib.sha256(f"{worker.about['fingerprint']} {names.digest()}".encode()).hexdigest()[:24]
    path = cache_root() / "names" / f"{key}.f16"
    done = cast("int", worker.ask("open_names", {"path": str(path), "rows": len(names)}))
    for start in range(done, len(names), _NAMES):
        if (start - done) % _TOLD == 0:
            _log.info("vectors of names: %s of %s", f"{start:,}", f"{len(names):,}")
        worker.ask("add_names", [for_tools(names[row]) for row in range(start, len(names))[:_NAMES]])
