"""The local page: drop an image, see the reading, click a word, see where it came from.

Invariant: it is served to this machine alone, one look of the model at a time, and no image is written down.
"""

from radcap.reading.serving.server import serve

__all__ = ["serve"]
