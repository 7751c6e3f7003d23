"""The layouts a dataset may have on disk, each in a file of its own.

Invariant: every layout can be written as well as read, and loses nothing on the way.
"""

from radcap.datasets.layouts.layout import LAYOUTS, Layout, layout_named, recognise

__all__ = ["LAYOUTS", "Layout", "layout_named", "recognise"]
