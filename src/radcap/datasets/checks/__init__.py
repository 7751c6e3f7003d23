"""Everything that can be wrong with a dataset, found in one go: ids, labels, images, splits."""

from radcap.datasets.checks.checking import Check, check_dataset, check_table

__all__ = ["Check", "check_dataset", "check_table"]
