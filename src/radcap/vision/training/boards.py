"""The rows of a run for TensorBoard, where it is installed.

fit(..., observe=board_writer(Path("runs/first")))
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from radcap.core import Missing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.vision.training.history import EpochRow

__all__ = ["board_writer"]


def board_writer(folder: Path) -> Callable[[EpochRow], None]:
    """Something that writes each epoch into the folder, at once."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise Missing(
            "tensorboard",
            "The log for it is written by its own package.",
            "Install it: pip install tensorboard.",
        ) from error
    writer = SummaryWriter(str(folder))

    def write(row: EpochRow) -> None:
        values = {name: value for name, value in asdict(row).items() if name != "epoch" and value is not None}
        for name, value in values.items():
            writer.add_scalar(name, value, row.epoch)
        writer.flush()

    return write
