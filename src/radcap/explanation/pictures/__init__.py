"""From maps to pictures: colours, overlays, contours, boxes, one figure an image."""

__all__: list[str] = []
