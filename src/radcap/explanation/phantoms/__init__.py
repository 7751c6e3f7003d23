"""Shapes planted in real radiographs, so that the true evidence is known."""

__all__: list[str] = []
