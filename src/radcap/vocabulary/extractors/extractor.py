"""What finds concepts in texts, and the table of those there are.

Plug-ins bring others through the entry point `radcap.extractor`: under a name, a function from vocabularies
and options to an `Extractor`.
Invariant: an extractor gives one tuple of mentions for each text, in the order of the texts.
>>> extractor_kind("medcat").title
'MedCAT, release 1 or 2, with a model pack'
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Protocol, Self, cast

from radcap.core import Missing, unknown_name
from radcap.core.dotted import load_dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from radcap.vocabulary.linking.mentions import Mention
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["EXTRACTORS", "Extractor", "ExtractorKind", "extractor_kind", "extractor_names", "open_extractor"]

_PLUG_IN = "radcap.extractor"
_OWN = "radcap.vocabulary.extractors."


class Extractor(Protocol):
    """Finds concepts; used in a `with` block, since it may hold a process."""

    def extract(self, texts: Iterable[str]) -> Iterator[tuple[Mention, ...]]:
        """The mentions of each text."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class ExtractorFactory(Protocol):
    """What an entry point leads to."""

    def __call__(self, vocabularies: Sequence[Vocabulary], options: Mapping[str, str]) -> Extractor: ...


@dataclass(frozen=True, slots=True)
class ExtractorKind:
    """One entry of the table; `path` and `check` are 'module:function', None for a plug-in."""

    name: str
    title: str
    needs: str = "nothing"  # beyond the base install
    path: str | None = None
    check: str | None = None  # raises `Missing` where something is absent

    def open(self, vocabularies: Sequence[Vocabulary], options: Mapping[str, str]) -> Extractor:
        if self.path is not None:
            return cast("ExtractorFactory", load_dotted(self.path))(vocabularies, options)
        (plug_in, *_) = entry_points(group=_PLUG_IN, name=self.name)
        return cast("ExtractorFactory", plug_in.load())(vocabularies, options)

    def why_not(self, options: Mapping[str, str] | None = None) -> Missing | None:
        """What is absent, found without opening any model."""
        try:
            if self.check is not None:
                load_dotted(self.check)(options or {})
        except Missing as missing:
            return missing
        return None


_TABLE = (
    ExtractorKind(
        "dictionary",
        "radcap's own: longest match of the names of a vocabulary",
        path=f"{_OWN}dictionary:open_dictionary",
    ),
    ExtractorKind(
        "medcat",
        "MedCAT, release 1 or 2, with a model pack",
        "the package medcat in an environment of its own, and a model pack under its licence",
        f"{_OWN}medcat:open_medcat",
        f"{_OWN}medcat:check_medcat",
    ),
    ExtractorKind(
        "quickumls",
        "QuickUMLS, the original or medspacy's: near matches of names by their letters",
        "the package quickumls or medspacy in an environment of its own, and a folder it compiled",
        f"{_OWN}quickumls:open_quickumls",
        f"{_OWN}quickumls:check_quickumls",
    ),
    ExtractorKind(
        "neural",
        "a tagger, nearest names by their vectors (SapBERT), and a reranker",
        "torch and transformers, and the folders of two or three models",
        f"{_OWN}neural:open_neural",
        f"{_OWN}neural:check_neural",
    ),
)
EXTRACTORS: Mapping[str, ExtractorKind] = {one.name: one for one in _TABLE}


def extractor_names() -> tuple[str, ...]:
    """Every name there is: those of the table, then those of plug-ins."""
    return tuple(dict.fromkeys([*EXTRACTORS, *sorted(entry_points(group=_PLUG_IN).names)]))


def extractor_kind(name: str) -> ExtractorKind:
    """The extractor of that name: one of the table, or one that a plug-in adds."""
    if name in EXTRACTORS:
        return EXTRACTORS[name]
    if name in extractor_names():
        return ExtractorKind(name, f"{name}, by a plug-in", "what its package says")
    raise unknown_name("extractor", name, extractor_names())


def open_extractor(
    name: str, vocabularies: Sequence[Vocabulary] = (), options: Mapping[str, str] | None = None
) -> Extractor:
    """The opened extractor; `Missing` where it lacks something.

    Where a vocabulary is needed and none is given, the free one is used.
    """
    return extractor_kind(name).open(vocabularies, options or {})
