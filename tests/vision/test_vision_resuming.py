"""Training that was broken off goes on to the same weights."""

from __future__ import annotations

import errno
import json
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch.nn import functional
from vision_samples import CPU, drawn_feed, same, tiny_network, weights

from radcap.core import InputError, UsageError
from radcap.vision.settings import AugmentSettings, TrainSettings
from radcap.vision.training import CheckpointFolder, checkpoint, fit
from radcap.vision.training.checkpoint import Checkpoint
from radcap.vision.training.history import EpochRow, History
from radcap.vision.training.learner import Learner
from radcap.vision.training.state import pack, unpack

BCE = functional.binary_cross_entropy_with_logits
MIXED = AugmentSettings(mixup=0.4, cutmix=1.0, flip_horizontal=0.5, rotate=15)
SETTINGS = TrainSettings(epochs=5, batch=16, lr=1e-2, schedule="plateau", patience=0, ema=0.8)
HERE = Path(__file__).parent


class Killed(Exception):
    """In place of a signal."""


def trained(settings, folder=None, dies_after=None, network=None):
    """The network after training, or after the epoch that it is killed behind."""
    network = network or tiny_network()

    def observe(row):
        if row.epoch == dies_after:
            raise Killed

    held = drawn_feed(24, 1)
    done = fit(
        network,
        drawn_feed(augment=MIXED),
        BCE,
        settings,
        CPU,
        held=held,
        folder=folder,
        observe=observe,
        save_s=0,
    )
    return network, done


def numbers(done):
    """What rows say, but for the clock."""
    return [replace(row, seconds=0, images_per_s=0) for row in done.history.rows]


@pytest.mark.parametrize("dies_after", [0, 3])
@pytest.mark.parametrize(
    "change",
    [
        {"optimiser": "adamw", "weight_decay": 0.1},
        {"optimiser": "adam", "schedule": "cosine", "ema": 0.0, "keep": "last"},
        {"optimiser": "sgd", "momentum": 0.9},
        {"optimiser": "sgd", "momentum": 0.0},
        {"optimiser": "rmsprop", "momentum": 0.9, "watch": "loss", "sampler": "balanced"},
    ],
    ids=lambda one: "-".join(map(str, one.values())),
)
def test_a_killed_run_ends_with_the_weights_of_an_unbroken_one(tmp_path, change, dies_after):
    settings = replace(SETTINGS, **change)
    whole, expected = trained(settings)
    folder = CheckpointFolder(tmp_path / "state", "a")
    with pytest.raises(Killed):
        trained(settings, folder, dies_after)
    assert len(json.loads((tmp_path / "state/state.json").read_text())["history"]) == dies_after + 1
    network, done = trained(settings, folder)
    assert same(weights(network), weights(whole))
    assert numbers(done) == numbers(expected)
    assert (done.epoch, done.stopped) == (expected.epoch, expected.stopped)
    assert [one.name for one in sorted(folder.path.iterdir())] == ["epoch-5.safetensors", "state.json"]


def test_an_epoch_is_saved_before_it_is_told(tmp_path):
    """Whoever hears of it may break training off, since its time is over."""
    folder = CheckpointFolder(tmp_path / "state", "a")
    with pytest.raises(Killed):
        trained(SETTINGS, folder, dies_after=SETTINGS.epochs - 1)
    told = []
    network, feed = tiny_network(5), drawn_feed(augment=MIXED)
    fit(network, feed, BCE, SETTINGS, CPU, held=drawn_feed(24, 1), folder=folder, observe=told.append)
    assert told == []
    assert same(weights(network), weights(trained(SETTINGS)[0]))


def test_a_finished_run_is_taken_as_it_is(tmp_path):
    folder = CheckpointFolder(tmp_path / "state", "a")
    first, done = trained(SETTINGS, folder)
    again, told = trained(SETTINGS, folder, network=tiny_network(5))
    assert same(weights(first), weights(again))
    assert told == done
    folder.remove()
    folder.remove()
    assert not folder.path.exists()


def test_only_its_own_files_are_removed(tmp_path):
    folder = CheckpointFolder(tmp_path, "a")
    trained(replace(SETTINGS, epochs=1), folder)
    (tmp_path / "mine.txt").write_text("kept")
    folder.remove()
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]


def test_it_is_saved_at_the_end_and_seldom_before(tmp_path, monkeypatch):
    saved = []
    monkeypatch.setattr(CheckpointFolder, "save", lambda self, state: saved.append(len(state.history.rows)))
    feed = drawn_feed()
    fit(tiny_network(), feed, BCE, SETTINGS, CPU, folder=CheckpointFolder(tmp_path, "a"))
    assert saved == [5]


def test_another_fingerprint_is_refused(tmp_path):
    trained(replace(SETTINGS, epochs=1), CheckpointFolder(tmp_path / "state", "a"))
    with pytest.raises(UsageError, match=rf"{tmp_path.name} was begun with other settings or other data"):
        CheckpointFolder(tmp_path / "state", "b").load()


def test_a_folder_in_which_nothing_was_begun(tmp_path):
    assert CheckpointFolder(tmp_path / "none", "a").load() is None


ROW = {"epoch": 0, "loss": 1.0, "lr": 1.0, "seconds": 1.0, "images_per_s": 1.0}
TOLD = {"fingerprint": "a", "tensors": "epoch-1.safetensors", "watch": "f1", "history": [ROW], "numbers": {}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"a"',
        "\x00\xff",
        json.dumps({**TOLD, "tensors": "other.safetensors"}),
        json.dumps({**TOLD, "tensors": None}),
        json.dumps({**TOLD, "history": [{"epoch": 1}]}),
        json.dumps({**TOLD, "history": 7}),
        json.dumps({**TOLD, "numbers": 7}),
        json.dumps({key: value for key, value in TOLD.items() if key != "watch"}),
    ],
)
def test_a_broken_state_is_refused_with_what_to_do(tmp_path, text):
    save_file({"network.x": torch.zeros(1)}, tmp_path / "epoch-1.safetensors")
    (tmp_path / "state.json").write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=r"cannot be read: .*Delete the folder to begin anew") as caught:
        CheckpointFolder(tmp_path, "a").load()
    assert caught.value.path == str(tmp_path)


def test_tensors_that_break_off_are_refused(tmp_path):
    folder = CheckpointFolder(tmp_path, "a")
    trained(replace(SETTINGS, epochs=1), folder)
    file = tmp_path / "epoch-1.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(InputError, match="cannot be read"):
        folder.load()


def spoiled(name, value):
    learner = Learner(tiny_network(), SETTINGS, CPU)
    state = pack(learner)
    history = History((EpochRow(0, 1.0, 1.0, 1.0, 1.0),))
    tensors = dict(state.tensors)
    tensors.pop(name, None)
    return Checkpoint(history, tensors | value, state.numbers)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("network.head.linear.bias", {}),
        ("network.head.linear.bias", {"network.head.linear.bias": torch.zeros(99)}),
        ("average.head.linear.bias", {"average.head.linear.bias": torch.zeros(99)}),
        ("", {"other.x": torch.zeros(1)}),
        ("", {"optimiser.99.step": torch.zeros(1)}),
        ("", {"optimiser.x.step": torch.zeros(1)}),
        ("", {"best.none": torch.zeros(1)}),
    ],
)
def test_a_state_of_another_network_is_refused(name, value):
    with pytest.raises(InputError, match="The training state does not fit the network"):
        unpack(Learner(tiny_network(1), SETTINGS, CPU), spoiled(name, value))


def test_moments_lie_in_memory_as_their_weights_do(tmp_path):
    """Fused optimisers refuse others, and a file does not tell."""
    folder = CheckpointFolder(tmp_path, "a")
    trained(replace(SETTINGS, epochs=1), folder)
    learner = Learner(tiny_network(), SETTINGS, CPU)
    state = folder.load()
    assert state is not None
    unpack(learner, state)
    moments = [
        (weight, learner.optimiser.state[weight]["exp_avg"])
        for group in learner.optimiser.param_groups
        for weight in group["params"]
    ]
    assert any(not weight.is_contiguous() for weight, _ in moments)
    assert all(weight.stride() == moment.stride() for weight, moment in moments)


def test_a_full_disk_leaves_the_older_state(tmp_path, monkeypatch):
    folder = CheckpointFolder(tmp_path / "state", "a")
    with pytest.raises(Killed):
        trained(SETTINGS, folder, 2)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "save_file", full)
        with pytest.raises(OSError, match="No space left on device"):
            trained(SETTINGS, folder)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(OSError, match="No space left on device"):
            trained(SETTINGS, folder)
    assert not list(folder.path.glob("*.part"))
    network, _ = trained(SETTINGS, folder)
    assert same(weights(network), weights(trained(SETTINGS)[0]))


def test_a_file_that_may_not_grow_is_an_os_error(tmp_path):
    """The limit of the system on the size of a file stands for a disk that is really full."""
    folder = CheckpointFolder(tmp_path, "a")
    state = Checkpoint(History(), {"x": torch.zeros(100_000)})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        with pytest.raises(OSError, match="cannot be written"):
            folder.save(state)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
    folder.save(state)
    assert folder.load() is not None


CHILD = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import test_vision_resuming as tests

def slowly(row):
    print(row.epoch, flush=True)
    time.sleep(60 if row.epoch == 2 else 0)

folder = tests.CheckpointFolder(Path(sys.argv[2]), "a")
feed = tests.drawn_feed(augment=tests.MIXED)
held = tests.drawn_feed(24, 1)
tests.fit(tests.tiny_network(), feed, tests.BCE, tests.SETTINGS, tests.CPU, held=held, folder=folder,
          observe=slowly, save_s=0)
"""


def test_a_process_that_is_really_killed(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(HERE), str(tmp_path / "state")], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert [int(child.stdout.readline()) for _ in range(3)] == [0, 1, 2]
        child.send_signal(signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    folder = CheckpointFolder(tmp_path / "state", "a")
    left = folder.load()
    assert left is not None
    assert len(left.history.rows) == 3
    network, _ = trained(SETTINGS, folder)
    assert same(weights(network), weights(trained(SETTINGS)[0]))
