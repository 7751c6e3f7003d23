"""Concepts, their names and semantic types; from words to CUIs.

A vocabulary is compiled once, from a UMLS release or free sources, into one file that opens in milliseconds.
Invariant: nothing here needs a licence or a model: the free vocabulary ships with radcap, other sources and
extractors say how to get what they need.
"""

from radcap.vocabulary.concepts import Concept, Retired
from radcap.vocabulary.defaults import FREE, open_vocabulary
from radcap.vocabulary.layers import Layers
from radcap.vocabulary.linking.linker import Linker
from radcap.vocabulary.linking.mentions import How, Mention
from radcap.vocabulary.linking.one_text import link
from radcap.vocabulary.searching import Hit, search
from radcap.vocabulary.semantic_types import SemanticType, semantic_type, semantic_types
from radcap.vocabulary.stamps import Source, Stamp
from radcap.vocabulary.vocabulary import Vocabulary

__all__ = [
    "FREE",
    "Concept",
    "Hit",
    "How",
    "Layers",
    "Linker",
    "Mention",
    "Retired",
    "SemanticType",
    "Source",
    "Stamp",
    "Vocabulary",
    "link",
    "open_vocabulary",
    "search",
    "semantic_type",
    "semantic_types",
]
