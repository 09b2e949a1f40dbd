"""The addresses of pages that people name: a URL, or a file, which is served from its folder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from modelcontext.ground.files import is_url
from modelcontext.ground.problems import UnavailableError
from modelcontext.running.serving.http import Server


@contextlib.contextmanager
def address_of(source: str) -> Iterator[str]:
    """Give the URL of a page. A file is served on this machine, with all that is in its folder.

    Raises:
        UnavailableError: if the source is no URL with http or https, and no file.
    """
    if is_url(source):
        yield source
        return
    path = Path(source).absolute()
    if not path.is_file():
        raise UnavailableError(
            f"{source} cannot be opened: it is no file, and no URL with http or https", "check the address"
        )
    with Server(folders={"/": path.parent}) as server:
        yield f"http://localhost:{server.port}/{quote(path.name)}"
