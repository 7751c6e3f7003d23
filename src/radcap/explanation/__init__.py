"""Explanations that come from the model itself: where in the image each concept and word was seen."""

__all__: list[str] = []
