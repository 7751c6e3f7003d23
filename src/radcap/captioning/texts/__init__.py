"""Captions as texts: which of them are learnt, and how one that was written ends."""

from radcap.captioning.texts.cleaning import cleaned
from radcap.captioning.texts.languages import is_english
from radcap.captioning.texts.learning import Finding, Reason, Texts, learnable_captions
from radcap.captioning.texts.oddities import oddities
from radcap.captioning.texts.post import finished
from radcap.captioning.texts.reading import read_texts
from radcap.captioning.texts.selecting import chosen_captions

__all__ = [
    "Finding",
    "Reason",
    "Texts",
    "chosen_captions",
    "cleaned",
    "finished",
    "is_english",
    "learnable_captions",
    "oddities",
    "read_texts",
]
