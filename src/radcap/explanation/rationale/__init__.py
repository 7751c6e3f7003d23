"""Why, in words: what drove the caption, and the training cases that are near."""

__all__: list[str] = []
