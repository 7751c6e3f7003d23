"""The list of findings in the files of a vocabulary, filled while they go on being read."""

from __future__ import annotations

from radcap.formats.file_findings import FileFindings, Finding
from radcap.vocabulary.codes import CODES

__all__ = ["Finding", "Findings"]


class Findings(FileFindings):
    """Findings of the catalogue of vocabularies."""

    def __init__(self, kept_per_code: int = 1000) -> None:
        super().__init__(CODES, kept_per_code)
