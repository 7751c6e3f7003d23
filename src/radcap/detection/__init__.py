"""Concepts of an image: calibration, decisions, ensembles, retrieval, training. Import the part you need."""

__all__: list[str] = []
