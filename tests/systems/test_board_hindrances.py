"""Whatever one system ends of, the others go on; a full disk stops all, and a spoilt process gives place."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from board_samples import SIZE, TINY, member, pictures, tiny

from radcap.core import UsageError
from radcap.detection.ensembles import Ensemble
from radcap.detection.training import leave_networks, train_system
from radcap.systems.board import running
from radcap.systems.board.hindrances import TimeUp, is_of_one, spoils_process, told
from radcap.systems.board.results import BoardFolder, Result
from radcap.systems.board.running import Reproduction
from radcap.systems.board.scales import Scale
from radcap.vision.settings import BackboneSettings

torch.set_num_threads(1)

WHOLE = Scale("whole", SIZE, 1, 3, False, 16, 1e-3, SIZE, 1)
ONE, TWO, THREE = tiny("one"), tiny("two"), tiny("three")
LEARNT = BackboneSettings()
TOO_LONG = OSError(errno.ENAMETOOLONG, "File name too long", "a" * 300)
FULL = OSError(errno.ENOSPC, "No space left on device", "model.safetensors")
SPOILT = RuntimeError("CUDA error: device-side assert triggered")


class AcceleratorError(RuntimeError):
    """As newer versions of torch have it."""


@pytest.fixture(autouse=True)
def in_one_process() -> Iterator[None]:
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        yield


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], None]:
    """Makes the training of the first system end of an error."""

    def fail(error: Exception) -> None:
        def failing(system: Any, *given: Any) -> Any:
            if system.name == "one":
                raise error
            return train_system(system, *given)

        monkeypatch.setattr(running, "train_system", failing)

    return fail


def result(folder: BoardFolder, name: str) -> Result:
    found = folder.known(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "error",
    [AttributeError("'x'"), AssertionError(), ImportError("timm"), TOO_LONG, NotImplementedError("later")],
    ids=lambda one: type(one).__name__,
)
def test_whatever_one_system_ends_of_is_written_down_and_the_others_go_on(
    error: Exception, tmp_path: Path, fails: Callable[[Exception], None]
) -> None:
    fails(error)
    folder = BoardFolder(tmp_path)
    assert Reproduction(pictures(), TINY, folder).run((ONE, TWO))
    assert f"nobody foresaw: {type(error).__name__}: " in result(folder, "one").why_not
    assert result(folder, "one").why_not.endswith(" results/one.log says where.")
    log = folder.log("one").read_text("utf-8")
    assert log.startswith("Traceback")
    assert "in failing" in log
    assert type(error).__name__ in log
    assert result(folder, "two").is_scored
    assert not folder.log("two").exists()


def test_the_log_goes_with_the_error(
    tmp_path: Path, fails: Callable[[Exception], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = BoardFolder(tmp_path)
    made = Reproduction(pictures(), TINY, folder)
    fails(ValueError("\udcff"))
    assert made.run((ONE,))
    assert folder.log("one").exists()
    fails(UsageError("It is wrong."))
    assert made.run((ONE,))
    assert result(folder, "one").why_not == "It is wrong."
    assert not folder.log("one").exists()
    monkeypatch.setattr(running, "train_system", train_system)
    assert made.run((ONE,))
    assert result(folder, "one").is_scored


@pytest.mark.parametrize(
    "error",
    [
        FULL,
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        OSError("model.safetensors cannot be written: No space left on device (os error 28)"),
    ],
    ids=["full", "quota", "safetensors"],
)
def test_a_full_disk_stops_the_board(
    error: OSError, tmp_path: Path, fails: Callable[[Exception], None]
) -> None:
    fails(error)
    folder = BoardFolder(tmp_path)
    with pytest.raises(OSError) as caught:  # noqa: PT011 - it is this one
        Reproduction(pictures(), TINY, folder).run((ONE, TWO))
    assert caught.value is error
    assert folder.known("one") is None
    assert folder.known("two") is None


def test_a_full_disk_is_told_apart() -> None:
    assert not is_of_one(TimeUp())
    assert not is_of_one(FULL)
    assert is_of_one(TOO_LONG)
    assert is_of_one(OSError("somewhere (os error 5)"))
    assert is_of_one(ValueError("(os error 28)"))


@pytest.mark.parametrize("error", [FULL, ValueError("x"), SPOILT])
def test_a_member_that_fails_ahead_leaves_it_to_its_ensemble(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its networks are asked for again then; but a full disk stops all."""
    passes = mock.Mock(side_effect=lambda work, chunks, *_, ahead: map(work, chunks))
    monkeypatch.setattr(running, "in_processes", passes)
    monkeypatch.setattr(running, "leave_networks", mock.Mock(side_effect=error))
    monkeypatch.setattr(torch, "set_num_threads", mock.Mock())
    pair = tiny("pair", backbone=LEARNT, member=(member("a", 0, backbone=LEARNT), member("b", 1)))
    folder = BoardFolder(tmp_path)
    made = Reproduction(pictures(), WHOLE, folder, jobs=2)
    if error is FULL:
        with pytest.raises(OSError, match="No space left"):
            made.run((pair,))
        return
    assert made.run((pair,))
    assert result(folder, "pair").is_scored
    assert passes.call_count == (2 if error is SPOILT else 1)


def test_members_with_long_names_are_trained_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[str] = []

    def left(one: Any, data: Any, out: Path, *given: Any) -> None:
        leave_networks(one, data, out, *given)
        places.append(out.name)

    monkeypatch.setattr(running, "in_processes", lambda work, chunks, *_, ahead: map(work, chunks))
    monkeypatch.setattr(running, "leave_networks", left)
    monkeypatch.setattr(torch, "set_num_threads", mock.Mock())
    name = "e" * 190
    members = tuple(member(letter * 190, seed, backbone=LEARNT) for seed, letter in enumerate("ab"))
    ensemble = tiny(name, backbone=LEARNT, member=members, ensemble=Ensemble(rule="votes", votes=1))
    folder = BoardFolder(tmp_path)
    assert Reproduction(pictures(), WHOLE, folder, jobs=2).run((ensemble,))
    assert result(folder, name).is_scored
    assert len(set(places)) == 2


@pytest.mark.parametrize("error", [SPOILT, AcceleratorError("unspecified launch failure")])
def test_a_process_that_cannot_use_its_gpu_leaves_the_others_to_a_new_one(
    error: Exception, tmp_path: Path, fails: Callable[[Exception], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert spoils_process(error)
    passes = mock.Mock(side_effect=lambda work, chunks, *_, ahead: map(work, chunks))
    monkeypatch.setattr(running, "in_processes", passes)
    monkeypatch.setattr(torch, "set_num_threads", mock.Mock())
    fails(error)
    folder, heard = BoardFolder(tmp_path), list[str]()
    assert Reproduction(pictures(), TINY, folder, tell=heard.append, jobs=2).run((ONE, TWO, THREE))
    assert passes.call_count == 2
    assert [one[0] for one in passes.call_args_list[1].args[1]] == [
        one[0] for one in passes.call_args_list[0].args[1][1:]
    ]
    assert [one for one in heard if one.startswith("Not")] == [
        f"Not trained: one. {result(folder, 'one').why_not}"
    ]
    assert result(folder, "two").is_scored
    assert result(folder, "three").is_scored


def test_one_system_at_a_time_goes_on_with_the_next_command(
    tmp_path: Path, fails: Callable[[Exception], None]
) -> None:
    """There is no other process; the next command tries the system that spoilt this one last."""
    fails(SPOILT)
    folder, heard = BoardFolder(tmp_path), list[str]()
    made = Reproduction(pictures(), TINY, folder, tell=heard.append)
    assert not made.run((ONE, TWO, THREE))
    assert heard[-1] == (
        "This process cannot use the GPU any more. Give the same command again, and it goes on."
    )
    assert folder.known("two") is None
    assert made.run((ONE, TWO, THREE))
    assert [one for one in heard if " of 3: " in one] == [
        "1 of 3: one", "2 of 3: two", "3 of 3: three", "1 of 3: one",
    ]  # fmt: skip


@pytest.mark.parametrize("error", [ValueError("CUDA error"), RuntimeError("shapes"), MemoryError()])
def test_other_errors_spoil_no_process(error: Exception) -> None:
    assert not spoils_process(error)


def test_fewer_jobs_are_advised_where_there_are_several() -> None:
    advice = [told(MemoryError(), jobs, "") for jobs in (1, 2)]
    assert advice[0].endswith("there is. Try a smaller scale.")
    assert advice[1].endswith("there is. Try fewer jobs, or a smaller scale.")


def test_a_worker_whose_only_system_was_deadly_is_done(tmp_path: Path) -> None:
    worker = running.Worker(Reproduction(pictures(), TINY, BoardFolder(tmp_path)), 1, 2)
    assert worker([]) is running._Outcome.DONE
