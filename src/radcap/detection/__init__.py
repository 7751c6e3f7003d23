"""Concepts of an image: probabilities, decisions, ensembles, retrieval. Import the part you need."""

__all__: list[str] = []
