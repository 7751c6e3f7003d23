"""Datasets as their users see them: every layout, records, images, statistics, checks, splits and leaks."""

from radcap.datasets.caption_truth import caption_truth
from radcap.datasets.cards.card import Card
from radcap.datasets.dataset import SPLITS, Dataset
from radcap.datasets.findings import Finding, Findings
from radcap.datasets.image_groups import image_groups
from radcap.datasets.layouts import LAYOUTS
from radcap.datasets.loading import BUNDLED, load_dataset, open_dataset
from radcap.datasets.records import Caption, CaptionSource, ImageRef, Record
from radcap.datasets.refusal import ImageRefused
from radcap.datasets.saving import Saved, save
from radcap.datasets.selection import Concepts, Selection

__all__ = [
    "BUNDLED",
    "LAYOUTS",
    "SPLITS",
    "Caption",
    "CaptionSource",
    "Card",
    "Concepts",
    "Dataset",
    "Finding",
    "Findings",
    "ImageRef",
    "ImageRefused",
    "Record",
    "Saved",
    "Selection",
    "caption_truth",
    "image_groups",
    "load_dataset",
    "open_dataset",
    "save",
]
