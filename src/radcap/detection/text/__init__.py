"""Concepts by way of words: captions, answers of vision-language models, and what reads them."""

from radcap.detection.text.config import Text

__all__ = ["Text"]
