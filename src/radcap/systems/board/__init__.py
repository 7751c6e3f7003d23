"""All systems on one board: trained on the same images, scored on the same test split, side by side."""

__all__: list[str] = []
