"""The products: one record for each browser, and the model. New products are added only here.

What runs a product is imported when one is made: most commands need few of them, and each takes long to import.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.ground.schedule.choose import Seeded
from modelcontext.running.products.chromium import ChromiumEngine
from modelcontext.running.products.firefox import FirefoxEngine
from modelcontext.running.products.page import PageTarget
from modelcontext.running.products.polyfill import PolyfillTarget
from modelcontext.running.products.simulated_target import SimulatedEngine, SimulatedTarget
from modelcontext.running.products.target import Target
from modelcontext.spec.revisions.registry import CURRENT, FILES

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.running.products.base import Product
    from modelcontext.running.products.frames import FramesProduct
    from modelcontext.running.products.model import Model
    from modelcontext.running.products.simulated import SimulatedProduct

#: The product whose script users can replace by their own.
POLYFILL = "polyfill"

_POLYFILLED = ChromiumEngine(native=False)
_TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        Target("chromium", ChromiumEngine(), CURRENT.name, "Chromium 156 and later have it"),
        Target("firefox", FirefoxEngine(), "2026-03", "Firefox ESR 153 has it"),
        PolyfillTarget(POLYFILL, _POLYFILLED, CURRENT.name, "the polyfill brings it to secure contexts"),
        *(
            PageTarget(files.page, ChromiumEngine(), revision, "the bundle brings it")
            for revision, files in FILES.items()
        ),
    )
}

#: The names of the products that are browsers, on which tests in the format of web-platform-tests run.
BROWSERS = tuple(_TARGETS)

#: The product whose scripts V8 runs in the simulated browser.
SIMULATED = "simulated"

_SIMULATED = SimulatedTarget(SIMULATED, SimulatedEngine(), CURRENT.name, "the package brings it")

#: The names of the products on which tests in the format of web-platform-tests run.
TESTED = (*BROWSERS, SIMULATED)

#: The names of all products.
PRODUCTS = ("model", *TESTED)

#: The products that are compared with the specification: all but the specification itself in a page.
COMPARED = ("model", *(name for name, target in _TARGETS.items() if target.is_compared), SIMULATED)


@cache
def runners() -> tuple[str, ...]:
    """Return the names of the runners of generated programs: browsers, and the model of each revision."""
    return (
        *(name for name, target in _TARGETS.items() if target.runs_anywhere),
        SIMULATED,
        *("model" if files.is_current else f"model:{revision}" for revision, files in FILES.items()),
    )


def default_products(revision: str) -> tuple[str, ...]:
    """Return the names of the products that run programs of a revision unless others are named."""
    browsers = [name for name, target in _TARGETS.items() if target.is_compared and target.revision == revision]
    return ("model", *browsers[:1])


def make_target(name: str, *, binary: str | None = None, inject: Sequence[Path] = ()) -> Target:
    """Return a browser by the name of its product.

    Args:
        name: one of :data:`TESTED`.
        binary: the build to run instead of this machine's.
        inject: scripts that run in every document before its own; with ``polyfill`` they are the polyfill.

    Raises:
        ValueError: for any other name.
    """
    if name not in TESTED:
        raise ValueError(f"{name} is not a browser; the browsers are {', '.join(TESTED)}")
    return replace(_TARGETS.get(name, _SIMULATED), binary=binary, inject=inject)


def make_product(
    name: str,
    *,
    binary: str | None = None,
    inject: Sequence[Path] = (),
    port: int = 0,
    in_frames: bool = False,
    scripts: Sequence[str] = (),
    seed: int | None = None,
) -> Product:
    """Return a product by its name.

    Args:
        name: one of :data:`PRODUCTS`; what follows is for browsers.
        binary: as for :func:`make_target`.
        inject: as for :func:`make_target`.
        port: the port of the server; 0 takes any free one.
        in_frames: run programs in frames of pages that stay, if the product can.
        scripts: texts of further scripts to run in every document.
        seed: gives each run a schedule of its own where the model decides the schedule; by default first in, first out. Real
            browsers have no use for it, and where the model decides there is none for ``scripts``.

    Raises:
        ValueError: for any other name.
    """
    if name == "model":
        from modelcontext.running.products.model import Model

        return Model() if seed is None else Model(make_chooser=_choosers(seed))
    target = make_target(name, binary=binary, inject=inject)
    if isinstance(target, SimulatedTarget):
        from modelcontext.running.products.simulated import SimulatedProduct

        return SimulatedProduct(target) if seed is None else SimulatedProduct(target, _choosers(seed), on_stage=True)
    from modelcontext.running.products.browser_product import PATIENCE, BrowserProduct

    if in_frames and target.runs_anywhere:
        from modelcontext.running.products.frames import FramesProduct

        return FramesProduct(target, port=port, scripts=scripts, patience_in_frames=PATIENCE)
    return BrowserProduct(target, port=port, scripts=scripts)


def _choosers(seed: int) -> Callable[[], Chooser]:
    """Return a function that makes choosers, each of another random schedule."""
    seeds = random.Random(seed)
    return lambda: Seeded(seeds.getrandbits(32))


def make_runner(
    name: str, *, binary: str | None = None, inject: Sequence[Path] = (), port: int = 0
) -> FramesProduct | Model | SimulatedProduct:
    """Return a runner of generated programs by its name, one of :func:`runners`; raises as :func:`make_product`."""
    if name not in runners():
        raise ValueError(f"{name} does not run many programs at a time; those that do are {', '.join(runners())}")
    product, _, revision = name.partition(":")
    if product == "model":
        from modelcontext.running.products.model import Model

        # A random schedule for each run finds only defects of the model or the specification.
        return Model(revision or CURRENT.name, _choosers(0))
    target = make_target(name, binary=binary, inject=inject)
    if isinstance(target, SimulatedTarget):
        from modelcontext.running.products.simulated import SimulatedProduct

        return SimulatedProduct(target, _choosers(0))
    from modelcontext.running.products.frames import FramesProduct

    return FramesProduct(target, port=port)
