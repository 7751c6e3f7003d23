"""Training in several processes, as torchrun starts them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import distributed
from torch.nn import functional
from vision_samples import LABELS, WIDTH, drawn_feed, same, tiny_backbone, tiny_network, weights

from radcap.core import UsageError
from radcap.vision.heads import LabelFacts, make_head
from radcap.vision.network import Network
from radcap.vision.settings import AugmentSettings, HeadSettings, TrainSettings
from radcap.vision.training import CheckpointFolder, fit, pick_place
from radcap.vision.training.sampling import epoch_batches

HERE = Path(__file__).parent
BCE = functional.binary_cross_entropy_with_logits
SETTINGS = TrainSettings(epochs=2, batch=16, lr=1e-2, ema=0.5, device="cpu")
CHILD = "import sys; sys.path.insert(0, sys.argv[1]); import test_vision_processes as t; t.learn(sys.argv[2])"


def learn(out: str) -> None:
    """What each process does: train, and leave its weights under its rank."""
    place = pick_place("cpu")
    network = tiny_network(place.rank)  # each begins elsewhere: the first one's weights count
    rows = []
    trained = fit(
        network,
        drawn_feed(augment=AugmentSettings(flip_horizontal=0.5)),
        BCE,
        SETTINGS,
        place,
        held=drawn_feed(24, 1),
        folder=CheckpointFolder(Path(out) / "state", "a"),
        observe=rows.append,
        save_s=0,
    )
    worths = torch.tensor([[row.held_score, row.held_loss, row.loss] for row in trained.history.rows])
    # what only the first sees, and what each has come to
    told = {"observed": torch.tensor(len(rows)), "worths": worths, "epoch": torch.tensor(trained.epoch)}
    plain = {name: value.contiguous() for name, value in weights(network).items()}
    plain |= {f"sharp.{name}": value for name, value in sharpened(place).items()}
    save_file(plain | told, Path(out) / f"rank-{place.rank}.safetensors")
    spoilt = replace(SETTINGS, epochs=1)
    with pytest.raises(UsageError, match="no number"):
        fit(tiny_network(), drawn_feed(), spoilt_in_one(place), spoilt, place)
    with pytest.raises(UsageError, match="1 image to learn from, for 2 processes"):
        fit(tiny_network(), drawn_feed(1), BCE, SETTINGS, place)
    distributed.barrier()
    distributed.destroy_process_group()


def sharpened(place):
    """Steps of two slopes each, with a critic and a trunk that no label has: still every weight agrees."""
    torch.manual_seed(place.rank)
    settings = HeadSettings(kind="grouped", by="kind", groups=3, hidden=(4,), critic=4)
    network = Network(tiny_backbone(), make_head(settings, WIDTH, LABELS))
    network.head.meet(LabelFacts(torch.ones(LABELS), ("a", "b") * (LABELS // 2), torch.arange(LABELS)))
    before = weights(network)["head.last.weight"]
    fit(network, drawn_feed(), BCE, replace(SETTINGS, epochs=1, sam=0.05), place, inside=True)
    assert not torch.equal(weights(network)["head.last.weight"], before)
    return {name: value.contiguous() for name, value in weights(network).items()}


def spoilt_in_one(place):
    """A loss that is no number in the last process alone, at the last step: the others must stop too."""
    steps = []

    def loss(logits, labels):
        steps.append(1)
        return BCE(logits, labels) * (float("nan") if place.rank and len(steps) == 3 else 1.0)

    return loss


def check(out: Path) -> None:
    first, second = (load_file(out / f"rank-{rank}.safetensors") for rank in range(2))
    assert [int(one.pop("observed")) for one in (first, second)] == [2, 0]
    assert same(first, second)
    assert first["worths"].isfinite().all()
    assert sorted(one.name for one in (out / "state").iterdir()) == ["epoch-2.safetensors", "state.json"]


@pytest.fixture
def group(monkeypatch):
    """What torchrun would say to the first of two processes."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    told = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": "2",
        "RANK": "0",
        "LOCAL_RANK": "0",
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    return told


def test_two_processes_learn_as_one(tmp_path, group):
    """This process is the first, and starts the second."""
    environment = os.environ | group | {"RANK": "1", "LOCAL_RANK": "1"}
    with subprocess.Popen([sys.executable, "-c", CHILD, str(HERE), str(tmp_path)], env=environment) as other:
        try:
            learn(str(tmp_path))
            assert other.wait(60) == 0
        finally:
            other.kill()
    check(tmp_path)


@pytest.mark.slow
def test_torchrun_starts_them(tmp_path):
    script = tmp_path / "learn.py"
    script.write_text(CHILD)
    run = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--standalone"]
    done = subprocess.run(
        [*run, str(script), str(HERE), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    check(tmp_path)


@pytest.mark.parametrize("sampler", ["shuffle", "balanced"])
@pytest.mark.parametrize(("n", "batch", "world"), [(48, 16, 2), (50, 16, 3), (7, 64, 2), (5, 1, 4)])
def test_processes_share_an_epoch_in_equal_batches(n, batch, world, sampler):
    labels = drawn_feed(50).labels[:n]
    settings = TrainSettings(batch=batch, sampler=sampler)
    shares = [
        epoch_batches(labels, settings, 3, replace(PLACE, rank=rank, world=world)) for rank in range(world)
    ]
    sizes = {tuple(len(one) for one in share) for share in shares}
    assert len(sizes) == 1
    (each,) = sizes
    assert len(set(each)) == 1
    assert each[0] == max(1, min(batch // world, n // world))
    if sampler == "shuffle":
        places = torch.cat([one for share in shares for one in share]).tolist()
        assert len(set(places)) == len(places)


PLACE = pick_place("cpu")
