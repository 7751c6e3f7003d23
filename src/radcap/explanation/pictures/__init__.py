"""From maps to pictures: colours, overlays, contours, boxes, one figure an image."""

from radcap.explanation.pictures.boxes import boxes_of
from radcap.explanation.pictures.contour import contour
from radcap.explanation.pictures.figure import figure
from radcap.explanation.pictures.overlay import heat, overlay

__all__ = ["boxes_of", "contour", "figure", "heat", "overlay"]
