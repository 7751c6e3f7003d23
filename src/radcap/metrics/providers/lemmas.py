"""Lemmas by a spaCy model, for the captions of 2022 as the overview describes them.

Invariant: texts go in and lists of lemmas come out in the same order; spaCy parts words by its own rules, so
that there may be more lemmas than words. What the platform ran in 2022 applies no lemma and needs no model.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.core import InputError, Missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["MODEL_VARIABLE", "Lemmatiser", "check_lemmas", "load_lemmatiser"]

MODEL_VARIABLE = "RADCAP_SPACY_MODEL"

_BATCH = 256
_SHOWN = 200  # letters of what spaCy says
_UNNEEDED = ["ner", "parser", "senter", "textcat"]  # no lemma depends on them
_FILES = ("config.cfg", "meta.json")
_HOW = (
    "Download the archive of the model from the spaCy project, unpack it and name the folder that holds "
    f"{' and '.join(_FILES)}, with --spacy-model or in {MODEL_VARIABLE}."
)


@dataclass(frozen=True, slots=True)
class Lemmatiser:
    """A loaded model; `name` is what a signature says of it."""

    name: str
    model: Any  # spacy.Language; the package is not always there

    def __call__(self, texts: Iterable[Sequence[str]]) -> list[list[str]]:
        """The lemmas of each list of words; half surrogates, which spaCy cannot hold, are dropped."""
        joined = (" ".join(words).encode(errors="ignore").decode() for words in texts)
        documents = self.model.pipe(joined, batch_size=_BATCH)
        return [[token.lemma_ for token in document if not token.is_space] for document in documents]


def check_lemmas(model: Path | None = None) -> None:
    """Raise `Missing` where something is absent; loads nothing."""
    if find_spec("spacy") is None:
        raise Missing("spaCy", "The overview of 2022 lemmatises captions with it.", "Run: pip install spacy")
    _folder(model)


def load_lemmatiser(model: Path | None = None) -> Lemmatiser:
    """The lemmatiser of a model folder: the one named, else that of the environment."""
    check_lemmas(model)
    folder = _folder(model)
    loaded = _load(folder)
    if not any("token.lemma" in loaded.get_pipe_meta(name).assigns for name in loaded.pipe_names):
        parts = ", ".join(loaded.pipe_names) or "nothing"
        raise InputError(
            f"The spaCy model {folder} has no lemmatiser (it has {parts}). Captions cannot be lemmatised. "
            "Name a model that has one, e.g. en_core_web_lg."
        )
    loaded.max_length = (
        sys.maxsize
    )  # the limit guards the parser and the entity recogniser, which are left out
    return Lemmatiser("{lang}_{name}-{version}".format_map(loaded.meta), loaded)


def _folder(model: Path | None) -> Path:
    named = model or os.environ.get(MODEL_VARIABLE)
    if not named:
        raise Missing("A spaCy model", "The overview of 2022 names en_core_web_lg.", _HOW)
    absent = [name for name in _FILES if not Path(named, name).is_file()]
    if absent:
        raise Missing("A spaCy model", f"{named} does not hold {' or '.join(absent)}.", _HOW)
    return Path(named)


def _load(folder: Path) -> Any:  # noqa: ANN401, the package is untyped here
    try:
        return import_module("spacy").load(folder, exclude=_UNNEEDED)
    except (ImportError, LookupError, OSError, TypeError, ValueError) as error:
        why = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(
            f"{folder} cannot be loaded as a spaCy model: {why[0][:_SHOWN].rstrip('.')}. "
            "Unpack the archive of the model again, or name another folder."
        ) from None
