"""Explanations as one HTML file: click a word, see where it comes from."""

__all__: list[str] = []
