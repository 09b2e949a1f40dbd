"""The products: one maker for each. A new product is a new line here; docs/recipes.md shows how.

What runs a product is imported when one is made: most commands need few of them, and each takes long to import.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.running.products.chromium import ChromiumEngine
from modelcontext.running.products.firefox import FirefoxEngine
from modelcontext.running.products.makers import BrowserMaker, Maker, ModelMaker, ProductOptions, SimulatedMaker
from modelcontext.running.products.page import PageTarget
from modelcontext.running.products.polyfill import PolyfillTarget
from modelcontext.running.products.simulated_target import SimulatedEngine, SimulatedTarget
from modelcontext.running.products.target import Target
from modelcontext.spec.revisions.registry import CURRENT, FILES

if TYPE_CHECKING:
    from modelcontext.running.products.base import Product

#: The product whose script users can replace by their own.
POLYFILL: Final = "polyfill"

#: The product whose scripts V8 runs in the simulated browser.
SIMULATED: Final = "simulated"

_MODEL: Final = "model"
#: The builds of Chromium with the API, and how to run those of another revision.
_EXPECTED: Final = (
    "Chromium 152 and later have the API; `modelcontext setup chromium --version N` installs an earlier build"
)
_POLYFILLED = ChromiumEngine(native=False)
_TESTED: Final[Mapping[str, BrowserMaker]] = {
    maker.target.name: maker
    for maker in (
        BrowserMaker(Target("chromium", ChromiumEngine(), CURRENT.name, _EXPECTED)),
        BrowserMaker(Target("firefox", FirefoxEngine(), "2026-03", "Firefox ESR 153 has the API")),
        BrowserMaker(
            PolyfillTarget(POLYFILL, _POLYFILLED, CURRENT.name, "the polyfill adds the API to secure contexts")
        ),
        *(
            BrowserMaker(PageTarget(files.page, ChromiumEngine(), revision, "the bundle contains the API"))
            for revision, files in FILES.items()
        ),
        SimulatedMaker(SimulatedTarget(SIMULATED, SimulatedEngine(), CURRENT.name, "the package contains the API")),
    )
}
_MAKERS: Final[Mapping[str, Maker]] = {_MODEL: ModelMaker(CURRENT.name), **_TESTED}

#: The names of all products but builds.
PRODUCTS = tuple(_MAKERS)

#: The names of the products on which tests in the format of web-platform-tests run.
TESTED = tuple(_TESTED)

#: The names of those that are real browsers.
BROWSERS = tuple(name for name, maker in _TESTED.items() if not maker.target.is_simulated)

#: Those that run the current text itself.
RUN_THE_TEXT = (CURRENT.page, SIMULATED)

#: The products that are compared with the specification: all but the specification itself in a page.
COMPARED = (_MODEL, *(name for name, maker in _TESTED.items() if maker.target.is_compared))


def _builds() -> Mapping[str, Maker]:
    """Return the makers of earlier builds of browsers, by names as ``chromium:153``, if their distribution is installed."""
    from importlib.metadata import PackageNotFoundError, distribution  # It takes long to import.

    try:
        [makers] = distribution("modelcontext-builds").entry_points.select(group="modelcontext.products")
    except PackageNotFoundError:
        return {}
    found: Mapping[str, Maker] = makers.load()()
    return found


def named_products(*, tested: bool = False) -> Iterator[str]:
    """Yield the names of all products, builds of browsers last; with ``tested`` of those that run tests."""
    yield from TESTED if tested else PRODUCTS
    yield from (name for name, maker in _builds().items() if isinstance(maker, BrowserMaker) or not tested)


def _maker(name: str) -> Maker | None:
    return _MAKERS.get(name) or _builds().get(name)


@cache
def _runners() -> Mapping[str, Maker]:
    """Return the makers of runners of generated programs: browsers, and the model of each revision."""
    return {
        **{name: maker for name, maker in _TESTED.items() if maker.target.runs_anywhere},
        **{
            _MODEL if files.is_current else f"{_MODEL}:{revision}": ModelMaker(revision)
            for revision, files in FILES.items()
        },
    }


def runners() -> tuple[str, ...]:
    """Return the names of the runners of generated programs."""
    return tuple(_runners())


def default_products(revision: str) -> tuple[str, ...]:
    """Return the names of the products that run programs of a revision unless others are named."""
    targets = [_TESTED[name].target for name in BROWSERS]
    return (_MODEL, *[one.name for one in targets if one.is_compared and one.revision == revision][:1])


def make_target(name: str, *, binary: str | None = None, inject: Sequence[Path] = ()) -> Target:
    """Return a browser by the name of its product.

    Args:
        name: one of :func:`named_products` that runs tests.
        binary: the build to run instead of this machine's.
        inject: scripts that run in every document before its own; with ``polyfill`` they are the polyfill.

    Raises:
        ValueError: for any other name.
    """
    maker = _maker(name)
    if not isinstance(maker, BrowserMaker):
        raise ValueError(f"{name} is not a browser; the browsers are {', '.join(TESTED)}")
    return maker.chosen(ProductOptions(binary=binary, inject=inject))


def make_product(name: str, options: ProductOptions | None = None) -> Product:
    """Return a product by its name, one of :func:`named_products`.

    Raises:
        ValueError: for any other name.
    """
    maker = _maker(name)
    if maker is None:
        raise ValueError(f"{name} is not a product; the products are {', '.join(PRODUCTS)}")
    return maker.product(options or ProductOptions())


def make_runner(name: str, options: ProductOptions | None = None) -> Product:
    """Return a runner of generated programs by its name, one of :func:`runners`.

    Raises:
        ValueError: for any other name.
    """
    if name not in _runners():
        raise ValueError(f"{name} cannot run several programs at a time; these products can: {', '.join(runners())}")
    return _runners()[name].runner(options or ProductOptions())
