"""Explanations as one HTML file: click a word, see where it comes from."""

from radcap.explanation.viewer.page import viewer_page

__all__ = ["viewer_page"]
