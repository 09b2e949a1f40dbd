"""A browser as a product: which one it is, and what is put into its pages. Programs and tests run in the same ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from modelcontext.problems import UnavailableError

if TYPE_CHECKING:
    from modelcontext.products.engine import Capability, Engine


@dataclass(frozen=True)
class Target:
    """A product that is a browser.

    ``revision`` is that of the specification which it implements, ``expected`` says which version of the browser does.
    ``binary`` is the user's choice of a build, ``inject`` are files with scripts to run in every document before its own.
    """

    name: str
    engine: Engine
    revision: str
    expected: str
    binary: str | None = None
    inject: Sequence[Path] = field(default=())

    @property
    def remedy(self) -> str:
        """What to do where the browser does not have the API."""
        return f"{self.expected}; {self.engine.remedy}"

    @property
    def binds_page_to_origin(self) -> bool:
        """Whether a page from :meth:`open_page` serves one origin only, as far as top-level documents go."""
        return False

    @property
    def keeps_pages(self) -> bool:
        """Whether its pages can go into the back/forward cache."""
        return True

    @property
    def is_compared(self) -> bool:
        """Whether it is held against the specification; what is the specification itself is not."""
        return True

    @property
    def runs_in_frames(self) -> bool:
        """Whether programs can run in frames of pages that stay."""
        return True

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it can do for tests beyond loading pages."""
        return self.engine.capabilities

    def find_binary(self) -> Path | None:
        """The browser to run; ``None`` is Playwright's own. Raises :class:`UnavailableError` if there is none."""
        return self.engine.find_binary(self.binary)

    def scripts(self) -> list[str]:
        """The texts of the scripts to run in every document. Raises :class:`UnavailableError` if one cannot be read."""
        return list(map(_read, self.inject))

    def folders(self) -> Mapping[str, Path]:
        """Folders to serve beside the tests, by the path that they are served below."""
        return {}

    async def open_page(self, context: Any, url: str, fault: Callable[[str], None], *, leaves: bool = False) -> Any:
        """A page of that Playwright context in which the URL can be opened, and with ``leaves`` be left and come back to.

        ``fault`` is to be told of whatever makes the product itself fail: that is an error, and never a result.
        """
        return await context.new_page()

    def version(self, browser: Any) -> str:
        """The version to report, given Playwright's browser."""
        return " with ".join([browser.version, *(path.name for path in self.inject)])


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnavailableError(f"{path} cannot be read: {error}", "name a script in UTF-8 with --inject") from None


def origin_of(url: str) -> str:
    """The serialized origin of an HTTP or HTTPS URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
