"""The concepts of a dataset: how frequent, with what they stand, whether captions agree, examples."""

from radcap.datasets.concepts.figures import (
    ConceptFigures,
    DatasetConcepts,
    ReadConcepts,
    concept_figures,
    read_concepts,
)
from radcap.datasets.concepts.page import ConceptPage, concept_page
from radcap.datasets.concepts.tables import concept_tables

__all__ = [
    "ConceptFigures",
    "ConceptPage",
    "DatasetConcepts",
    "ReadConcepts",
    "concept_figures",
    "concept_page",
    "concept_tables",
    "read_concepts",
]
