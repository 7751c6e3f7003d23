"""Splits by group: no article or patient on two sides, labels in even shares."""

from radcap.datasets.splits.splitting import Splitting, split_dataset

__all__ = ["Splitting", "split_dataset"]
