"""Published explainers that ask another model for boxes, behind one protocol."""

__all__: list[str] = []
