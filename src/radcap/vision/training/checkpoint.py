"""The state of a training run on disk, so that a killed one goes on.

Invariant: tensors lie in safetensors and the rest in `state.json`, which names the tensors' file and is put
in place after it; so a kill or a full disk leaves the state before or the state after. The state holds the
fingerprint of the settings it was begun with; other settings on the folder are refused.
"""

# safetensors is typed in part
# pyright: reportUnknownVariableType=false
from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from radcap.core import InputError, UsageError
from radcap.vision.training.history import EpochRow, History

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Checkpoint", "CheckpointFolder"]


@dataclass(frozen=True)
class Checkpoint:
    """All that the next epoch needs."""

    history: History
    tensors: Mapping[str, torch.Tensor]
    numbers: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class CheckpointFolder:
    """Where checkpoints of one run lie, one at a time."""

    path: Path
    fingerprint: str

    def save(self, state: Checkpoint) -> None:
        """Put this state in the place of the one before; `OSError` where the disk does not take it."""
        self.path.mkdir(parents=True, exist_ok=True)
        tensors = self.path / f"epoch-{len(state.history.rows)}.safetensors"
        told = {
            "fingerprint": self.fingerprint,
            "tensors": tensors.name,
            "watch": state.history.watch,
            "history": [asdict(row) for row in state.history.rows],
            "numbers": dict(state.numbers),
        }
        part = self.path / "state.part"
        try:
            _write(state.tensors, part)
            part.replace(tensors)
            part.write_text(json.dumps(told), encoding="utf-8")
            part.replace(self._state)
        finally:
            part.unlink(missing_ok=True)
        for old in set(self.path.glob("epoch-*.safetensors")) - {tensors}:
            old.unlink()

    def load(self) -> Checkpoint | None:
        """The last state, or None where nothing was begun."""
        if not self._state.exists():
            return None
        try:
            told = json.loads(self._state.read_text(encoding="utf-8"))
            if told["fingerprint"] == self.fingerprint:
                rows = tuple(EpochRow(**row) for row in told["history"])
                tensors = load_file(self.path / told["tensors"])
                return Checkpoint(History(rows, told["watch"]), tensors, dict(told["numbers"]))
        except Exception as error:  # whatever is wrong with the files
            raise InputError(
                f"{self.path} holds a training state that cannot be read: {error}."
                " Delete the folder to begin anew.",
                path=str(self.path),
            ) from error
        raise UsageError(
            f"{self.path.parent} was begun with other settings or other data, and is not finished."
            " Go on with those, or choose another folder."
        )

    def remove(self) -> None:
        """Nothing is left to go on from."""
        for file in (self._state, *self.path.glob("epoch-*.safetensors")):
            file.unlink(missing_ok=True)
        if self.path.exists() and not any(self.path.iterdir()):
            self.path.rmdir()

    @property
    def _state(self) -> Path:
        return self.path / "state.json"


def _write(tensors: Mapping[str, torch.Tensor], path: Path) -> None:
    """Each tensor by itself and in plain order, as the format wants them."""
    whole = torch.contiguous_format
    copies = {name: value.detach().cpu().clone(memory_format=whole) for name, value in tensors.items()}
    try:
        save_file(copies, path)
    except SafetensorError as error:
        raise OSError(f"{path} cannot be written: {error}") from error
