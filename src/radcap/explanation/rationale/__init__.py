"""Why, in words: what drove the caption, and the training cases that are near."""

from radcap.explanation.rationale.case_index import cases_of, find_cases
from radcap.explanation.rationale.cases import CaseFinder, IndexedCases
from radcap.explanation.rationale.text import rationale

__all__ = ["CaseFinder", "IndexedCases", "cases_of", "find_cases", "rationale"]
