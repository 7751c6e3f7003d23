"""Captioners that others published, woven into ours: their eyes are a backbone, their text side a decoder."""

from radcap.captioning.pretrained.family import Family, Told, Whole, family_of
from radcap.captioning.pretrained.opening import (
    Published,
    has_own_eyes,
    open_published,
    published_folder,
    published_tokenizer,
)
from radcap.captioning.pretrained.writer import PretrainedWriter

__all__ = [
    "Family",
    "PretrainedWriter",
    "Published",
    "Told",
    "Whole",
    "family_of",
    "has_own_eyes",
    "open_published",
    "published_folder",
    "published_tokenizer",
]
