"""Work in processes: order, errors, deaths."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from itertools import pairwise
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from process_samples import (
    Growing,
    die_of_a_note,
    die_on_negatives,
    die_on_pairs,
    die_the_first_time,
    fail_on_zero,
    process_of,
    sleep_long,
    span_of_time,
    total,
)

from radcap.core import Missing, processes
from radcap.core.processes import ProcessDied, default_workers, in_processes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHUNKS = [[1, 2], [3], [], [4, 5, 6], [7]]


@pytest.mark.parametrize("workers", [0, 1, 2, 9])
def test_results_come_in_the_order_of_the_chunks(workers: int) -> None:
    assert list(in_processes(total, CHUNKS, workers)) == [3, 3, 0, 15, 7]


@pytest.mark.parametrize("workers", [1, 2])
def test_no_chunks_give_no_results(workers: int) -> None:
    assert list(in_processes(total, [], workers)) == []


@pytest.mark.parametrize("workers", [0, 1, 2, 9])
def test_chunks_may_be_made_while_they_are_worked_on(workers: int) -> None:
    taken: list[int] = []

    def chunks() -> Iterator[list[int]]:
        for n in range(40):
            taken.append(n)
            yield [n, n]

    results = in_processes(total, chunks(), workers)
    assert next(results) == 0
    assert len(taken) <= max(3 * workers, 1)  # some for each worker, and never all of them
    assert list(results) == [2 * n for n in range(1, 40)]


def test_more_chunks_may_go_ahead_of_one_that_takes_long() -> None:
    taken: list[int] = []

    def chunks() -> Iterator[list[int]]:
        for n in range(40):
            taken.append(n)
            yield [n]

    results = in_processes(total, chunks(), 2, ahead=10)
    assert next(results) == 0
    assert 20 <= len(taken) <= 22
    assert list(results) == list(range(1, 40))


def test_an_error_of_what_makes_the_chunks_comes_through_and_leaves_no_process_behind() -> None:
    def chunks() -> Iterator[list[int]]:
        yield from ([1], [2], [3])
        raise ValueError("the file ended early")

    before = threading.active_count()
    with pytest.raises(ValueError, match="the file ended early"):
        list(in_processes(total, chunks(), 2))
    assert threading.active_count() == before


def test_one_worker_is_this_process_and_two_are_others() -> None:
    assert set(in_processes(process_of, CHUNKS, 1)) == {os.getpid()}
    others = set(in_processes(process_of, CHUNKS, 2))
    assert others
    assert os.getpid() not in others


def test_work_is_pickled_once_for_all_chunks() -> None:
    assert set(in_processes(Growing(), [[1]] * 6, 2)) == {1}


def test_a_deadly_item_is_named_and_the_rest_of_its_chunk_is_done() -> None:
    lost: list[int] = []
    chunks = [[1, 2], [3, -1, 4], [5], [-2, 6, -3], [-4], [7, 8]]
    assert list(in_processes(die_on_negatives, chunks, 2, lost.append)) == [3, 7, 5, 6, 0, 15]
    assert lost == [-1, -2, -3, -4]


@pytest.mark.parametrize("place", [0, 1, 4])
def test_chunks_that_a_death_took_along_are_done_side_by_side_again(place: int) -> None:
    chunks, lost = [[n] for n in range(10)], list[int]()
    chunks.insert(place, [-1])
    spans = list(in_processes(span_of_time, chunks, 2, lost.append, ahead=9))
    del spans[place]
    assert lost == [-1]
    later = sorted(spans[place + 2 :])
    beside = [then[0] < first[1] for first, then in pairwise(later)]
    assert sum(beside) >= len(beside) / 3


def test_after_a_death_that_does_not_come_again_chunks_are_done_side_by_side_too(tmp_path: Path) -> None:
    chunks = [[tmp_path / f"{n}"] for n in range(10)]
    spans = list(in_processes(die_the_first_time, chunks, 2, ahead=10))
    later = sorted(spans[3:])
    beside = [then[0] < first[1] for first, then in pairwise(later)]
    assert sum(beside) >= len(beside) / 3


@pytest.mark.parametrize(("others", "times"), [(0, 2), (1, 3)])
def test_a_deadly_item_is_tried_no_more_often_than_it_takes(others: int, times: int, tmp_path: Path) -> None:
    """Among others, and alone; where its chunk has more items, once more to tell it from them."""
    deadly, lost = tmp_path / "deadly", list[Path]()
    chunks = [[deadly, *(tmp_path / f"beside {n}" for n in range(others))], [tmp_path / "other"]]
    assert list(in_processes(die_of_a_note, chunks, 2, lost.append)) == [others, 1]
    assert lost == [deadly]
    assert deadly.read_text() == times * "x"


def test_a_deadly_item_raises_where_nobody_takes_it() -> None:
    with pytest.raises(ProcessDied, match="while it worked on -5") as caught:
        list(in_processes(die_on_negatives, [[1], [2, -5]], 2))
    assert caught.value.item == -5


def test_a_chunk_that_is_deadly_only_as_a_whole_raises() -> None:
    with pytest.raises(ProcessDied, match=r"\[2, 3\]"):
        list(in_processes(die_on_pairs, [[1], [2, 3]], 2))


def test_an_error_of_the_work_is_raised_in_its_place() -> None:
    results = in_processes(fail_on_zero, [[1], [0, 5], [2]], 2)
    assert next(results) == 1
    with pytest.raises(ValueError, match="zero was asked for"):
        next(results)


def test_an_error_beside_a_deadly_item_is_raised_after_the_item_was_named() -> None:
    lost: list[int] = []
    with pytest.raises(ValueError, match="zero was asked for"):
        list(in_processes(_dies_before_it_fails, [[1], [0, -1]], 2, lost.append))
    assert lost == [-1]


def _dies_before_it_fails(chunk: Sequence[int]) -> int:
    die_on_negatives(chunk)
    return fail_on_zero(chunk)


def test_a_death_between_two_chunks_is_survived() -> None:
    """A worker may die while nobody waits for it, so that the next chunk finds a broken pool."""
    results = in_processes(process_of, [[n] for n in range(30)], 2)
    os.kill(next(results), signal.SIGKILL)
    time.sleep(0.5)
    assert len(list(results)) == 29


def test_results_that_are_not_taken_leave_no_process_behind() -> None:
    before = threading.active_count()
    results = in_processes(total, [[1]] * 50, 2)
    next(results)
    results.close()
    assert threading.active_count() == before


def test_all_processes_are_there_before_any_of_them_works() -> None:
    """One that was begun while another died was never ended, and was waited for without end."""
    before, pool = len(active_children()), processes._Pool(total, 3)
    try:
        pool.start()
        assert len(active_children()) == before + 3
    finally:
        pool.close()
    assert len(active_children()) == before


def test_a_script_without_a_guard_is_told_what_to_do(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from process_samples import total\nfrom radcap.core.processes import in_processes\n"
        "print(list(in_processes(total, [[1], [2]], 2)))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    # The last error, not the last line: Python may add a warning about semaphores of the children it ended.
    error = [line for line in done.stderr.splitlines() if line.startswith("radcap.core.errors.")][-1]
    assert "Missing" in error
    assert "if __name__ == '__main__':" in error


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "guarded.py"
    script.write_text(
        f"import sys, time\nsys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from process_samples import process_of\nfrom radcap.core.processes import in_processes\n"
        "if __name__ == '__main__':\n"
        "    for process in in_processes(process_of, [[n] for n in range(9)], 2):\n"
        "        print(process, flush=True)\n        time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert _runs(worker)
        parent.kill()
    deadline = time.monotonic() + 10
    while _runs(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(worker)


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # nobody may be there to take note of its end


@pytest.mark.parametrize(
    "error",
    [ProcessDied((3, "a.jpg")), Missing("pydicom", "DICOM files need it.", "Run: pip install it")],
    ids=lambda error: type(error).__name__,
)
def test_errors_cross_processes(error: Exception) -> None:
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301


def test_default_workers_are_the_cores_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5}, raising=False)
    assert default_workers() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert default_workers() == 1


def test_a_worker_ignores_interrupts_and_does_its_work_by_pickle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs in the other processes, run here."""
    set_signals: list[object] = []
    monkeypatch.setattr(signal, "signal", lambda *both: set_signals.append(both))
    monkeypatch.setattr(processes, "_end_with_parent", lambda: None)
    monkeypatch.setattr(processes, "_end_when_told", lambda _: None)
    context = get_context("spawn")
    processes._prepare(pickle.dumps(total), context.Event(), context.Barrier(1))
    assert set_signals == [(signal.SIGINT, signal.SIG_IGN)]
    assert processes._do([1, 2]) == 3
    assert processes._do([3]) == 3
    assert processes._nothing() is None
    assert processes._meet() is None


def test_a_worker_whose_parent_has_gone_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(processes, "parent_process", lambda: None)
    processes._end_with_parent()
    assert ended == []
    gone = threading.Thread(target=total, args=([],))
    gone.start()
    monkeypatch.setattr(processes, "parent_process", lambda: gone)
    processes._end_with_parent()
    assert ended == [1]


def test_a_worker_that_is_told_to_stop_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    stop = get_context("spawn").Event()
    stop.set()
    processes._end_when_told(stop)
    assert ended == [1]


def test_an_interruption_does_not_wait_for_the_work_that_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_: object) -> object:
        until = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(processes._Pool, "wait", interrupted)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(in_processes(sleep_long, [[tmp_path / "a"], [tmp_path / "b"]], 2))
    assert len(list(tmp_path.iterdir())) == 2
    assert time.monotonic() - began < 200  # and not the five minutes that each would have slept


def test_processes_that_never_start_are_told_apart_from_deadly_items(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __init__(self, *_: object) -> None: ...
        def shutdown(self, **_: object) -> None: ...
        def submit(self, *_: object) -> None:
            raise BrokenProcessPool

    monkeypatch.setattr(processes, "ProcessPoolExecutor", Broken)
    with pytest.raises(Missing, match="workers=1"):
        list(in_processes(total, CHUNKS, 2))
