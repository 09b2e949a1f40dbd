"""Where the model works beside this process: processes of this machine, or the workers of a cluster."""

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
#: What one worker process does before it is replaced, so that its memory stays flat.
TASKS_PER_WORKER: Final = 50


def local_pool(workers: int = 1) -> AbstractContextManager[Executor]:
    """Processes on this machine for the model to work in. They end with this one, also when it is killed."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=_end_with_the_parent, max_tasks_per_child=TASKS_PER_WORKER)


def _end_with_the_parent() -> None:
    """Each worker could write to the pipe that it waits at, so that nothing else tells it that nobody is left."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextmanager
def cluster_pool(address: str) -> Iterator[Executor]:
    """The workers of a Dask cluster for the model to work in (extra: ``modelcontext[cluster]``).

    Raises :class:`UnavailableError` if nothing answers at the address.
    """
    from distributed import Client

    where = urlsplit(address)
    try:
        # Dask's client goes on asking in the background for a scheduler that is not there.
        socket.create_connection((where.hostname, where.port or 0), timeout=CLUSTER_PATIENCE).close()
    except (OSError, ValueError) as error:
        raise UnavailableError(f"no scheduler answers at {address}: {error}", "start `dask scheduler` there") from None
    client: Any
    with Client(address, timeout=CLUSTER_PATIENCE) as client:  # type: ignore[no-untyped-call]
        yield client.get_executor()
