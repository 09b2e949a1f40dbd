"""The site of the demo: a shop, and in a frame of another origin the parcel service that brings what it sells.

The shop has the tools ``search_teas``, ``open_basket``, which registers ``add_to_basket``, and ``place_order``, which is
consequential. The parcel service has ``track_parcel``, whose output is untrusted: the note of a stranger is in it.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Self

from modelcontext.running.serving.http import Server

_PATH = "/tea/"


class DemoSite:
    """The site on the loopback address, and a context manager. Raises :class:`PortError` if the port is taken.

    Attributes:
        url: the address of the shop.
        origins: the origins of the shop and of the parcel service.
    """

    def __init__(self, port: int = 0) -> None:
        self._server = Server(port, {_PATH: Path(str(files("modelcontext_agent.demo").joinpath("page")))})
        # The shop's page looks for the parcel service under this name.
        self.origins = (self._server.origins["A"], self._server.origins["B"])
        self.url = self.origins[0] + _PATH

    def close(self) -> None:
        """Stop serving."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
