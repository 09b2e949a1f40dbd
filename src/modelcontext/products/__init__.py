"""Where programs and tests run: the model, and real browsers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from modelcontext.problems import UnavailableError
from modelcontext.products import chromium, firefox, page, polyfill
from modelcontext.products.base import Ending, Observation, Product
from modelcontext.products.browser import Browser
from modelcontext.products.model import Model
from modelcontext.products.target import Target

__all__ = [
    "BROWSERS",
    "COMPARED",
    "DEFAULT_PRODUCTS",
    "PRODUCTS",
    "Ending",
    "Observation",
    "Product",
    "Target",
    "UnavailableError",
    "make_product",
    "make_target",
]

_TARGETS: Mapping[str, Callable[[str | None, Sequence[Path]], Target]] = {
    "chromium": chromium.target,
    "firefox": firefox.target,
    "polyfill": polyfill.target,
    "page": page.target,
    "page-2026-03": page.target_2026_03,
}
_RUNNERS: Mapping[str, type[chromium.Chromium] | type[firefox.Firefox]] = {
    "chromium": chromium.Chromium,
    "firefox": firefox.Firefox,
    "polyfill": polyfill.Polyfill,
    "page": page.Page,
    "page-2026-03": page.Page202603,
}

#: The names of the products that are browsers: tests in the format of web-platform-tests run there.
BROWSERS = tuple(_TARGETS)

#: The names of all products.
PRODUCTS = ("model", *BROWSERS)

#: Those that are held against the specification: all but those that are the specification itself, in a page.
COMPARED = tuple(name for name in PRODUCTS if not name.startswith("page"))

#: Those that run programs unless others are named, by the revision that they implement.
DEFAULT_PRODUCTS: Mapping[str, tuple[str, ...]] = {"current": ("model", "chromium"), "2026-03": ("model", "firefox")}


def make_product(name: str, *, binary: str | None = None, port: int = 0) -> Product:
    """A product by its name; ``binary`` and ``port`` are for browsers. Raises ``ValueError`` for an unknown name."""
    if name == "model":
        return Model()
    if name not in _RUNNERS:
        raise ValueError(f"there is no product {name}")
    product: Browser = _RUNNERS[name](binary, port=port)
    return product


def make_target(name: str, *, binary: str | None = None, inject: Sequence[Path] = ()) -> Target:
    """A browser by the name of its product. Raises ``ValueError`` for a name that is none of :data:`BROWSERS`.

    ``inject`` are scripts that run in every document before its own; with ``polyfill`` they are the polyfill.
    """
    if name not in _TARGETS:
        raise ValueError(f"{name} is no product that is a browser")
    return _TARGETS[name](binary, inject)
