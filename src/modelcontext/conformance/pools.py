"""Pools in which the model works besides this process: processes of this machine, or the workers of a cluster."""

from __future__ import annotations

import multiprocessing
import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from modelcontext.problems import UnavailableError

#: A worker of a cluster can have several threads, and the model runs on one at a time.
ONE_AT_A_TIME: Final = threading.Lock()
#: Seconds that a cluster has to answer.
CLUSTER_PATIENCE: Final = 10
#: The number of tasks after which a worker process is replaced, so that its memory stays flat.
TASKS_PER_WORKER: Final = 50


def local_pool(workers: int = 1) -> AbstractContextManager[Executor]:
    """Return a pool of processes on this machine. They end with this one, also when it is killed."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=_end_with_the_parent, max_tasks_per_child=TASKS_PER_WORKER)


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
        raise UnavailableError(f"no scheduler answers at {address}: {error}", "start `dask scheduler` there") from None
    client: Any
    with Client(address, timeout=CLUSTER_PATIENCE) as client:  # type: ignore[no-untyped-call]
        yield client.get_executor()
