"""Pools in which the model works besides this process: processes of this machine, or the workers of a cluster."""

from __future__ import annotations

import multiprocessing
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar
from urllib.parse import urlsplit

from modelcontext.ground.problems import UnavailableError
from modelcontext.spec.revisions.registry import REVISIONS, StandIn

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")

#: A worker of a cluster can have several threads, and the model runs on one at a time.
ONE_AT_A_TIME: Final = threading.Lock()
#: Seconds that a cluster has to answer.
CLUSTER_PATIENCE: Final = 10
#: The number of tasks after which a worker process is replaced, so that its memory stays flat.
TASKS_PER_WORKER: Final = 50
#: Programs of one task. A new process compiles the text first, and has its number of tasks, not of programs.
_TOGETHER: Final = 5
#: Tasks that wait for a process at a time, for each process.
_AHEAD: Final = 2
_CONTEXT: Final = multiprocessing.get_context("forkserver")


def local_pool(workers: int = 1) -> AbstractContextManager[Executor]:
    """Return a pool of processes on this machine. They end with this one, also when it is killed."""
    return _LocalPool(workers)


def in_turn(call: Callable[[T], R], given: Sequence[T], pool: Executor | None, workers: int) -> Iterator[R]:
    """Yield the result of a call for each program or what belongs to it, in order; the pool makes them, if there is one.

    Args:
        call: the call, which a process can find by its name.
        given: what it is called with.
        pool: the processes that work.
        workers: their number.
    """
    if pool is None:
        yield from map(call, given)
        return
    parts = [given[begin : begin + _TOGETHER] for begin in range(0, len(given), _TOGETHER)]
    # An interrupt need not wait for more than these.
    ahead = workers * _AHEAD
    futures = [pool.submit(_call_for_each, call, part) for part in parts[:ahead]]
    for index in range(len(parts)):
        yield from futures[index].result()
        if index + ahead < len(parts):
            futures.append(pool.submit(_call_for_each, call, parts[index + ahead]))


def _call_for_each(call: Callable[[T], R], given: Sequence[T]) -> list[R]:
    return [call(one) for one in given]


class _LocalPool(ThreadPoolExecutor):
    """Threads that have a process each, and take a new one after some tasks.

    One pool of processes with ``max_tasks_per_child`` can end its last process while tasks wait, for which it never starts
    another (https://github.com/python/cpython/issues/115634).
    """

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._workers = [_Worker() for _ in range(workers)]
        for worker in self._workers:
            self._idle.put(worker)

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Return the future result of a call, which runs in one of the processes."""
        # The first call of all decides; a process that starts later is a copy of one that has imported this.
        _CONTEXT.set_forkserver_preload([function.__module__])
        return super().submit(self._call, partial(function, *args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls, and end the processes after the last one; the processes need ``wait``."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        if wait:
            for worker in self._workers:
                worker.end()

    def _call(self, call: Callable[[], T]) -> T:
        # There are as many workers as threads.
        worker = self._idle.get_nowait()
        try:
            return worker.run(call)
        finally:
            self._idle.put(worker)


class _Worker:
    """A process that runs one task at a time, and the next process after :data:`TASKS_PER_WORKER` of them."""

    def __init__(self) -> None:
        self._process: ProcessPoolExecutor | None = None
        self._tasks = 0

    def run(self, call: Callable[[], T]) -> T:
        """Return the result of a call."""
        if self._tasks == TASKS_PER_WORKER:
            self.end()
        if self._process is None:
            self._process = ProcessPoolExecutor(1, _CONTEXT, initializer=_begin, initargs=(REVISIONS.stand_ins,))
        self._tasks += 1
        return self._process.submit(call).result()

    def end(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.shutdown()
        self._process = None
        self._tasks = 0


def _begin(stand_ins: Mapping[str, StandIn]) -> None:
    """Let the same texts stand in for revisions as in the parent, and end with the parent."""
    REVISIONS.stand_ins = stand_ins
    _end_with_the_parent()


def _end_with_the_parent() -> None:
    """End this worker when the parent ends; the pipe does not tell, because each worker holds its other end open."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextmanager
def cluster_pool(address: str) -> Iterator[Executor]:
    """Yield a pool of the workers of a Dask cluster (extra: ``modelcontext[cluster]``).

    Raises:
        UnavailableError: if nothing answers at the address.
    """
    from distributed import Client

    where = urlsplit(address)
    try:
        # Dask's client keeps asking in the background for a scheduler that does not exist.
        socket.create_connection((where.hostname, where.port or 0), timeout=CLUSTER_PATIENCE).close()
    except (OSError, ValueError) as error:
        raise UnavailableError(
            f"no scheduler of a Dask cluster answers at {address}: {error}", "start `dask scheduler` there"
        ) from None
    client: Any
    with Client(address, timeout=CLUSTER_PATIENCE) as client:  # type: ignore[no-untyped-call]
        yield client.get_executor()
