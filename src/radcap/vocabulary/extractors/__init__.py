"""Other tools that find concepts, behind the same protocol as our own linker.

Invariant: importing this loads no tool. Every foreign tool runs in a process of its own, under an interpreter
the user names, and says how to get what it lacks.
"""

from radcap.vocabulary.extractors.entities import IsolatedExtractor, Skipped
from radcap.vocabulary.extractors.extractor import (
    EXTRACTORS,
    Extractor,
    ExtractorKind,
    extractor_kind,
    extractor_names,
    open_extractor,
)
from radcap.vocabulary.extractors.isolated import ExtractorFailed
from radcap.vocabulary.extractors.quickumls import compile_quickumls
from radcap.vocabulary.extractors.quickumls_data import RrfCounts, write_rrf

__all__ = [
    "EXTRACTORS",
    "Extractor",
    "ExtractorFailed",
    "ExtractorKind",
    "IsolatedExtractor",
    "RrfCounts",
    "Skipped",
    "compile_quickumls",
    "extractor_kind",
    "extractor_names",
    "open_extractor",
    "write_rrf",
]
