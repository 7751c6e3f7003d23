"""How much of a stranger's file is read before radcap stops.

Invariant: the cost of a hostile file is bounded by the number of images the task has, not by the file.
>>> Limits.for_images(19_267).rows
39534
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]

_KIB, _MIB = 1024, 1024 * 1024  # 1 KiB holds an id and a hundred CUIs
_UNKNOWN_IMAGES = 250_000  # twice the largest edition, when nobody says how many images there are


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on a run file. The defaults leave every run of ten editions far below them."""

    file_bytes: int  # of the file, and of its text in memory
    rows: int
    line_bytes: int = 128 * _KIB  # what Python's csv takes for a cell; also of a cell over several lines
    zip_members: int = 100
    zip_ratio: int = 250
    zip_directory_bytes: int = _MIB
    issues_per_code: int = 1000

    @property
    def lines(self) -> int:
        """Quoted captions span several lines, and blank lines are found one by one."""
        return 4 * self.rows

    @property
    def parts(self) -> int:
        """Cells and concepts: a hundred an image."""
        return 50 * self.rows

    @property
    def findings(self) -> int:
        """What a run has to pass in slips before reading on serves nobody."""
        return 8 * self.rows

    @classmethod
    def for_images(cls, images: int | None) -> Limits:
        """Bounds for a task of so many images: 1 KiB a row, and rows for a run sent twice."""
        n = _UNKNOWN_IMAGES if images is None else images
        return cls(file_bytes=4 * _MIB + _KIB * n, rows=2 * n + 1000)

    @classmethod
    def trusted(cls) -> Limits:
        """Bounds for truth and id files, which come from the person who runs radcap."""
        return cls(file_bytes=4 * 1024 * _MIB, rows=20_000_000)
