"""The addresses of pages that people name: a URL, or a file, which is served from its folder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from modelcontext.ground.files import ReadError, is_url, read_whole
from modelcontext.ground.problems import UnavailableError
from modelcontext.running.serving.http import Server


@contextlib.contextmanager
def address_of(source: str) -> Iterator[str]:
    """Give the URL of a page. A file is served on this machine, with all that is in its folder.

    Raises:
        UnavailableError: if the source is no URL with http or https, and no file that can be read.
    """
    if is_url(source):
        yield source
        return
    path = Path(source).absolute()
    try:
        read_whole(path)
    except ReadError as error:
        raise UnavailableError(
            f"{source} {error.reason}", "give the path of a file, or a URL with http or https"
        ) from None
    with Server(folders={"/": path.parent}) as server:
        yield f"http://localhost:{server.port}/{quote(path.name)}"
