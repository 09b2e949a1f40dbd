"""Browsers as products, the same for programs and for tests: the browser, and the scripts in its pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from modelcontext.ground.files import ReadError, read_text
from modelcontext.ground.problems import UnavailableError

if TYPE_CHECKING:
    from modelcontext.running.products.engine import Engine


@dataclass(frozen=True)
class Target:
    """A product that is a browser.

    Attributes:
        name: the name of the product.
        engine: the make of the browser.
        revision: the revision of the specification that it implements.
        expected: the version of the browser that does, in words.
        binary: the build that the user has chosen.
        inject: files with scripts to run in every document before its own.
    """

    #: Whether a page from :meth:`open_page` serves only one origin, as far as top-level documents go.
    binds_page_to_origin: ClassVar[bool] = False
    #: Whether the product is compared with the specification; the specification itself is not.
    is_compared: ClassVar[bool] = True
    #: Whether the model is the browser: tests run in this process, each under a schedule that is chosen.
    is_simulated: ClassVar[bool] = False

    name: str
    engine: Engine
    revision: str
    expected: str
    binary: str | None = None
    inject: Sequence[Path] = field(default=())

    @property
    def remedy(self) -> str:
        """The advice where the browser does not have the API."""
        return f"{self.expected}; {self.engine.remedy}"

    @property
    def runs_anywhere(self) -> bool:
        """True if its pages can go into the back/forward cache, and programs can run in frames of pages that stay."""
        return True

    def find_binary(self) -> Path | None:
        """Return the browser to run; ``None`` is Playwright's own. Raises :class:`UnavailableError` if there is none."""
        return self.engine.find_binary(self.binary)

    def scripts(self) -> list[str]:
        """Return the scripts to run in every document. Raises :class:`UnavailableError` if one cannot be read."""
        return list(map(_read, self.inject))

    def folders(self) -> Mapping[str, Path]:
        """Return the folders to serve besides the tests, by the path below which each is served."""
        return {}

    async def open_page(self, context: Any, url: str, fault: Callable[[str], None], *, leaves: bool = False) -> Any:
        """Return a page in which the URL can be opened.

        Args:
            context: the context of Playwright's in which to open the page.
            url: the URL.
            fault: is called with a message if the product itself fails, which is an error and never a result.
            leaves: whether the document will go into the back/forward cache and come back.
        """
        return await context.new_page()

    async def clears(self, context: Any) -> bool:
        """Close what a test has opened in a context, and return whether :meth:`open_page` may be called again in it.

        Only where that saves much of :meth:`open_page`; otherwise nothing is closed.
        """
        return False

    def version(self, browser: Any) -> str:
        """Return the version to report, given Playwright's browser."""
        return " with ".join([browser.version, *(path.name for path in self.inject)])


def _read(path: Path) -> str:
    try:
        return read_text(path)
    except ReadError as error:
        raise UnavailableError(str(error), "name a script in UTF-8 with --inject") from None


def origin_of(url: str) -> str:
    """Return the serialized origin of an HTTP or HTTPS URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
