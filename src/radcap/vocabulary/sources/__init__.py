"""Where names come from: one module for each kind of file."""

from radcap.vocabulary.sources.inputs import Input, Reading, SourceReader
from radcap.vocabulary.sources.registry import KINDS, SourceKind, kind, kind_of
from radcap.vocabulary.sources.rrf.filters import UmlsFilters
from radcap.vocabulary.sources.terms import Term

__all__ = [
    "KINDS",
    "Input",
    "Reading",
    "SourceKind",
    "SourceReader",
    "Term",
    "UmlsFilters",
    "kind",
    "kind_of",
]
