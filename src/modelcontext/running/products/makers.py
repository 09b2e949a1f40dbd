"""The makers of products. Each imports what runs its product only when it makes one: most commands need few of them."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from modelcontext.ground.schedule.choose import Seeded

if TYPE_CHECKING:
    from pathlib import Path

    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.running.products.base import Product
    from modelcontext.running.products.target import Target


@dataclass(frozen=True, kw_only=True)
class ProductOptions:
    """The options of a product. A maker leaves out what its product has no use for.

    Attributes:
        binary: the build of a browser to run instead of this machine's.
        inject: files with scripts to run in every document before its own.
        port: the port of the server for pages; 0 takes any free one.
        in_frames: run programs in frames of pages that stay, if the product can.
        scripts: texts of further scripts to run in every document.
        seed: gives each run a schedule of its own where the model decides the schedule; by default first in, first out.
    """

    binary: str | None = None
    inject: Sequence[Path] = ()
    port: int = 0
    in_frames: bool = False
    scripts: Sequence[str] = ()
    seed: int | None = None


class Maker(ABC):  # Of products; programs have one of values.
    """The maker of a product."""

    @abstractmethod
    def product(self, options: ProductOptions) -> Product:
        """Make the product, for programs of people."""

    @abstractmethod
    def runner(self, options: ProductOptions) -> Product:
        """Make the product for generated programs, many at a time."""


@dataclass(frozen=True)
class ModelMaker(Maker):
    """The maker of the model of a revision."""

    revision: str

    def product(self, options: ProductOptions) -> Product:
        """Make the model; it has no documents in which further scripts could run."""
        from modelcontext.running.products.model import Model

        return Model(self.revision) if options.seed is None else Model(self.revision, _choosers(options.seed))

    def runner(self, options: ProductOptions) -> Product:
        """Make the model. A random schedule for each run finds only defects of the model or the specification."""
        return self.product(replace(options, seed=0))


@dataclass(frozen=True)
class BrowserMaker(Maker):
    """The maker of a product that is a browser."""

    target: Target

    def chosen(self, options: ProductOptions) -> Target:
        """Return the browser with the build and the scripts of the options."""
        return replace(self.target, binary=options.binary, inject=options.inject)

    def product(self, options: ProductOptions) -> Product:
        """Make the browser."""
        from modelcontext.running.products.browser_product import PATIENCE, BrowserProduct

        target = self.chosen(options)
        if options.in_frames and target.runs_anywhere:
            from modelcontext.running.products.frames import FramesProduct

            return FramesProduct(target, port=options.port, scripts=options.scripts, patience_in_frames=PATIENCE)
        return BrowserProduct(target, port=options.port, scripts=options.scripts)

    def runner(self, options: ProductOptions) -> Product:
        """Make the browser with pages that stay."""
        from modelcontext.running.products.frames import FramesProduct

        return FramesProduct(self.chosen(options), port=options.port)


@dataclass(frozen=True)
class SimulatedMaker(BrowserMaker):
    """The maker of the simulated browser."""

    def product(self, options: ProductOptions) -> Product:
        """Make the simulated browser; with a seed, programs run where a schedule decides about everything."""
        from modelcontext.running.products.simulated import SimulatedProduct

        target = self.chosen(options)
        if options.seed is None:
            return SimulatedProduct(target)
        return SimulatedProduct(target, _choosers(options.seed), on_stage=True)

    def runner(self, options: ProductOptions) -> Product:
        """Make the simulated browser, with a random schedule for each run."""
        from modelcontext.running.products.simulated import SimulatedProduct

        return SimulatedProduct(self.chosen(options), _choosers(0))


def _choosers(seed: int) -> Callable[[], Chooser]:
    """Return a function that makes choosers, each of another random schedule."""
    seeds = random.Random(seed)
    return lambda: Seeded(seeds.getrandbits(32))
