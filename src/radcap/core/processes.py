"""Work on chunks in several processes, whatever one of them may die of.

Invariant: there is one result for each chunk, in the order of the chunks. An item that kills its process is
named and left out of its chunk; it never takes other items with it. An interruption ends all of them at once.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from radcap.core.errors import Missing, RadcapError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from multiprocessing.synchronize import Barrier, Event

__all__ = ["ProcessDied", "default_workers", "in_processes"]

Item = TypeVar("Item")
T = TypeVar("T")
_AHEAD = 2  # chunks for each worker that may wait to be taken: enough to keep it busy, few enough to hold


class ProcessDied(RadcapError):
    """A process ended while it worked on this item, and nobody said what to do then."""

    def __init__(self, item: object) -> None:
        super().__init__(
            f"A process died while it worked on {item!r:.200}. Nothing more was done."
            " Leave that item out, or look at it with workers=1."
        )
        self.item = item

    def __reduce__(self) -> tuple[type[ProcessDied], tuple[object]]:
        return type(self), (self.item,)


def default_workers() -> int:
    """One for each core this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_processes(
    work: Callable[[Sequence[Item]], T],
    chunks: Iterable[Sequence[Item]],
    workers: int,
    lost: Callable[[Item], None] | None = None,
    ahead: int = _AHEAD,
) -> Generator[T]:
    """The result of `work` for each chunk. `work` can be pickled, and is sent to each process once.

    Chunks are taken as they are needed, `ahead` for each process, so they may come from a file of any size.
    While one takes long, no more than those are done after it: give more where chunks are few and unlike.
    An item that kills its process is given to `lost`, before the result of its chunk, which then lacks it (a
    chunk may become empty); without `lost` it raises `ProcessDied`. One worker means this process.
    """
    left = iter(chunks)
    first = list(islice(left, max(workers, 0)))  # no more processes than there is work for
    left = chain(first, left)
    if len(first) <= 1:
        yield from map(work, left)
        return
    pool = _Pool(work, len(first))
    try:
        pool.start()
        yield from _in_order(pool, left, lost or _not_expected, ahead * pool.workers)
    except KeyboardInterrupt:
        pool.stop()
        raise
    finally:
        pool.close()


def _in_order(
    pool: _Pool[Item, T], chunks: Iterator[Sequence[Item]], lost: Callable[[Item], None], most: int
) -> Iterator[T]:
    sent: deque[tuple[Sequence[Item], Future[T] | None]] = deque()
    suspects = 0  # so many of the lost chunks that come next may be what a process died of
    while True:
        if not suspects:  # which are looked at while nothing else runs
            sent = deque((one, pool.submit(one) if future is None else future) for one, future in sent)
            sent.extend((one, pool.submit(one)) for one in islice(chunks, most - len(sent)))
        if not sent:
            return
        chunk, future = sent.popleft()
        try:
            yield pool.wait(future)
        except BrokenProcessPool:
            # The pool took all of them along, and does not say which one it died of: one that had begun, and
            # those are the first of the lost, as many as there are processes.
            sent = deque((one, None if _is_lost(other) else other) for one, other in sent)
            result, is_found = _carefully(pool, chunk, lost)
            others = sum(other is None for _, other in sent)
            suspects = 0 if is_found else min((suspects or pool.workers) - 1, others)
            yield result


def _is_lost(future: Future[Any] | None) -> bool:
    return future is None or not future.done() or isinstance(future.exception(), BrokenProcessPool)


def _carefully(pool: _Pool[Item, T], chunk: Sequence[Item], lost: Callable[[Item], None]) -> tuple[T, bool]:
    """The result of a chunk, done alone so that only it can be to blame; and whether it was deadly."""
    try:
        return pool.alone(chunk), False
    except BrokenProcessPool:
        is_one = len(chunk) == 1
        deadly = {place for place, item in enumerate(chunk) if is_one or pool.dies_of(item)}
    for place in sorted(deadly):
        lost(chunk[place])
    try:
        return pool.alone([item for place, item in enumerate(chunk) if place not in deadly]), True
    except BrokenProcessPool:
        raise ProcessDied(chunk) from None


def _not_expected(item: object) -> NoReturn:
    raise ProcessDied(item)


class _Pool(Generic[Item, T]):
    """A pool of processes that is made anew when one of them dies."""

    def __init__(self, work: Callable[[Sequence[Item]], T], workers: int) -> None:
        self.workers = workers
        self._work = pickle.dumps(work)
        self._context = get_context("spawn")
        self._stop = self._context.Event()
        self._pool = self._new()

    def start(self) -> None:
        """See that processes start, and have all of them before any works.

        A pool that is given one more process while another dies may wait for the new one for ever.
        """
        try:
            self._pool.submit(_nothing).result()
            for one in [self._pool.submit(_meet) for _ in range(self.workers)]:
                one.result()
        except BrokenProcessPool:
            raise Missing(
                "A way to start processes",
                "New processes end at once: a script has to start its work below"
                " `if __name__ == '__main__':`, and not come from standard input.",
                "Or pass workers=1.",
            ) from None

    def submit(self, chunk: Sequence[Item]) -> Future[T] | None:
        """The promise of a result; nothing where the pool is found dead."""
        try:
            return self._pool.submit(_do, chunk)
        except BrokenProcessPool:
            return None

    def wait(self, future: Future[T] | None) -> T:
        if future is None:
            raise BrokenProcessPool
        return future.result()

    def alone(self, chunk: Sequence[Item]) -> T:
        """The result of a chunk while nothing else runs, in a pool that is known to be alive."""
        self._renew()
        return self._pool.submit(_do, chunk).result()

    def dies_of(self, item: Item) -> bool:
        try:
            self.alone([item])
        except BrokenProcessPool:
            return True
        except Exception:  # noqa: BLE001 - it is raised again, in its place, when the chunk is done without the deadly
            return False
        return False

    def stop(self) -> None:
        """End the processes in the middle of their work; `close` then has nothing to wait for."""
        self._stop.set()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _new(self) -> ProcessPoolExecutor:
        given = self._work, self._stop, self._context.Barrier(self.workers)
        return ProcessPoolExecutor(self.workers, self._context, _prepare, given)

    def _renew(self) -> None:
        """A living pool: the one there is, or a new one."""
        try:
            self._pool.submit(_nothing).result()
        except BrokenProcessPool:
            self.close()
            self._pool = self._new()
            self.start()


# What follows runs in the processes.
_received: dict[str, Any] = {}


def _prepare(work: bytes, stop: Event, together: Barrier) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process is interrupted and stops the others
    _received.clear()
    _received.update(bytes=work, together=together)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threading.Thread(target=_end_when_told, args=(stop,), daemon=True).start()


def _end_with_parent() -> None:
    """A killed parent closes nothing: without this its workers would wait for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _end_when_told(stop: Event) -> None:
    stop.wait()
    os._exit(1)


def _do(chunk: Sequence[Any]) -> Any:  # noqa: ANN401 - whatever the work gives
    if "work" not in _received:  # not earlier: what fails here is told as an error of the work
        _received["work"] = pickle.loads(_received["bytes"])  # noqa: S301 - written by our own parent
    return _received["work"](chunk)


def _nothing() -> None:
    """What shows that a process runs."""


def _meet() -> None:
    """Wait until as many processes as there shall be are here."""
    _received["together"].wait()
