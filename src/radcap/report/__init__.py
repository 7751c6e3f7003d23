"""The drawing layer: tables and files that people and programs read."""

from radcap.report.per_image import write_per_image
from radcap.report.tables import Table, digits

__all__ = ["Table", "digits", "write_per_image"]
