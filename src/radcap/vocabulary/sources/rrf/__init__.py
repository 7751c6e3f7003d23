"""UMLS releases in their own format, RRF."""

from radcap.vocabulary.sources.rrf.filters import UmlsFilters

__all__ = ["UmlsFilters"]
