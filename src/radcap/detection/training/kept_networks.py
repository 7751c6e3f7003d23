"""Trained networks, kept from one system to the next.

Many systems of a board train the same network and differ only in what they make of its answers. Invariant:
what is taken was trained by the same settings on the same images and labels, on the same kind of device, so
it is what training would give again; of several processes that want one network, one trains it and the others
wait.
"""

# safetensors is typed in part
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import hashlib
import json
import time
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from radcap.core import InputError
from radcap.core.tables import to_plain
from radcap.datasets.images import CacheBusy
from radcap.datasets.images.cache_lock import locked
from radcap.detection.training.contents import origins_digest
from radcap.detection.training.spending import Spent
from radcap.formats import replacing
from radcap.vision.training import EpochRow, History, Trained

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from torch import nn

    from radcap.core import Cui
    from radcap.detection.system import ConceptModel
    from radcap.vision.training import PictureFeed

__all__ = ["KeptNetworks", "network_key"]

_WAIT_S = 0.2


@dataclass
class KeptNetworks:
    """A folder of networks, what data they are trained on, and who pays for those that are asked for now."""

    path: Path
    data: str  # by which it is known again, each pixel of it
    spent: Spent = field(default_factory=Spent)

    def get(
        self, key: str, network: nn.Module, train: Callable[[], Trained], wait: Callable[[], None]
    ) -> Trained:
        """The network trained: by `train`, or by whoever did before. `wait` is called while another does."""
        file = self.path / f"{key}.safetensors"
        if not file.exists():
            with self._alone(file.with_suffix(".lock"), wait):
                if not file.exists():  # by whoever had the lock a moment ago
                    began = time.monotonic()
                    trained = train()
                    _save(file, network, trained, _seconds(trained, time.monotonic() - began))
                    self.spent.trained(key)
                    return trained
        asked = time.monotonic()
        trained, seconds = _load(file, network)
        self.spent.spared(key, seconds - (time.monotonic() - asked))
        return trained

    @contextmanager
    def _alone(self, lock: Path, wait: Callable[[], None]) -> Generator[None]:
        """A block that one process runs at a time; others wait for it, which costs them nothing."""
        with ExitStack() as held:
            while True:
                try:
                    held.enter_context(locked(lock))
                    break
                except CacheBusy:
                    with self.spent.unpaid():
                        wait()
                        time.sleep(_WAIT_S)
            yield


def _seconds(trained: Trained, last: float) -> float:
    """Of the whole training, which may have been cut off and gone on with: `last` is its last piece."""
    return max(last, sum(row.seconds for row in trained.history.rows))


def network_key(
    model: ConceptModel,
    labels: Sequence[Cui],
    feed: PictureFeed,
    held: PictureFeed | None,
    kind: str,
    data: str,
) -> str:
    """Of all that a network comes from: settings and the files that they name, labels, data by their mark,
    and the kind of device."""
    train = replace(model.train, device="auto", pixels="auto")
    settings = (model.image, model.backbone, model.head, model.loss, train, model.teacher)
    origins = origins_digest(model)
    told = json.dumps([kind, data, origins, *labels, *(to_plain(one) for one in settings)], sort_keys=True)
    digest = hashlib.sha256(told.encode())
    for one in (feed, held):
        if one is not None:
            digest.update("\n".join(one.pictures.ids).encode())
            digest.update(one.labels.cpu().numpy().tobytes())
    return digest.hexdigest()


def _save(file: Path, network: nn.Module, trained: Trained, seconds: float) -> None:
    told = {
        "rows": [asdict(row) for row in trained.history.rows],
        "watch": trained.history.watch,
        "epoch": trained.epoch,
        "stopped": trained.stopped,
        "seconds": seconds,
    }
    whole = torch.contiguous_format
    weights = {
        name: value.detach().cpu().clone(memory_format=whole) for name, value in network.state_dict().items()
    }
    with replacing(file) as part:
        try:
            save_file(weights, part, {"told": json.dumps(told)})
        except SafetensorError as error:
            raise OSError(f"{file} cannot be written: {error}") from error


def _load(file: Path, network: nn.Module) -> tuple[Trained, float]:
    held: Any
    try:
        with safe_open(file, "pt") as held:
            told: dict[str, Any] = json.loads(held.metadata()["told"])
            network.load_state_dict({name: held.get_tensor(name) for name in held.keys()})  # noqa: SIM118
        history = History(tuple(EpochRow(**row) for row in told["rows"]), told["watch"])
        trained = Trained(history, told["epoch"], told["stopped"]), float(told["seconds"])
    except Exception as error:  # safetensors, files and torch each have errors of their own
        raise InputError(
            f"{file} cannot be read as a network: {error}. Delete it, and it is trained again.",
            path=str(file),
        ) from error
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # as training leaves it
    return trained
