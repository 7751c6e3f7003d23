"""Explanations as one HTML file: click a word, see where it comes from."""

from radcap.explanation.viewer.page import Viewer, viewer_page

__all__ = ["Viewer", "viewer_page"]
