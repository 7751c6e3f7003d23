"""The list of findings in a dataset, filled while it goes on being read."""

from __future__ import annotations

from radcap.datasets.codes import CODES
from radcap.formats.file_findings import FileFindings, Finding

__all__ = ["Finding", "Findings"]


class Findings(FileFindings):
    """Findings of the catalogue of datasets."""

    def __init__(self, kept_per_code: int = 1000) -> None:
        super().__init__(CODES, kept_per_code)
