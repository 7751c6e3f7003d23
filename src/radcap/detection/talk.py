"""What training tells while it works, to whoever listens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.vision.training import EpochRow

__all__ = ["SILENT", "Talk"]


def _unheard(text: str) -> None:
    """Words that nobody asked for."""


@dataclass(frozen=True, slots=True)
class Talk:
    """`tell` gets a sentence, `progress` a name and what is done; `board` is a folder for TensorBoard."""

    tell: Callable[[str], None] = _unheard
    progress: Callable[[str, int], None] | None = None
    board: Path | None = None
    score: str = "F1"  # what is measured on the held-out split

    def waiting(self) -> None:
        """Another process does what is wanted here."""
        if self.progress is not None:
            self.progress("waiting", 0)

    def epoch(self, row: EpochRow, of: int) -> None:
        """One line for an epoch."""
        held = self._held(row)
        speed = f"{row.images_per_s:,.0f} images/s"
        self.tell(f"epoch {row.epoch + 1} of {of}: loss {row.loss:.4f}{held}, {speed}")

    def _held(self, row: EpochRow) -> str:
        if row.held_score is not None:
            return f", held-out {self.score} {row.held_score:.4f}"
        return "" if row.held_loss is None else f", held-out loss {row.held_loss:.4f}"


SILENT = Talk()
