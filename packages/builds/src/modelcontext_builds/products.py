"""The products of builds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from modelcontext.running.products.chromium import ChromiumEngine
from modelcontext.running.products.makers import BrowserMaker, Maker, ProductOptions
from modelcontext.running.products.target import Target
from modelcontext_builds.build import PROGRAM, Build, folder_of, installed

if TYPE_CHECKING:
    from modelcontext.running.products.base import Product

#: The script that lets tests pass objects to a build that takes text.
ADAPTER: Final = Path(__file__).with_name("inputs-as-text.js")

#: Earlier builds have the API behind these as well.
EARLIER: Final = "--enable-blink-features=WebMCP,WebMCPTesting"


@dataclass(frozen=True)
class ChromiumBuildEngine(ChromiumEngine):
    """An earlier build of Chromium. It is started as the installed one is, with the earlier names of the feature."""

    remedy = "run `modelcontext setup chromium --version N` again"

    def _flags(self, hosts: Sequence[str], *features: str) -> list[str]:
        return [*super()._flags(hosts, "WebMCPTesting", *features), EARLIER]


@dataclass(frozen=True)
class BuildTarget(Target):
    """A build. With ``adapts`` a script lets tests pass and read objects where the build has JSON text."""

    #: A build has no back/forward cache.
    runs_anywhere: ClassVar[bool] = False

    adapts: bool = False

    def scripts(self) -> list[str]:
        """Return the script that adapts the build, before those of the user."""
        own = [ADAPTER.read_text(encoding="utf-8")] if self.adapts else []
        return [*own, *super().scripts()]


def target_of(name: str, revision: str, *, adapts: bool = False) -> BuildTarget:
    """Return the product of a build whose program is in the cache."""
    expected = "Chromium 147 and later have the API"
    program = str(folder_of(name) / PROGRAM)
    return BuildTarget(name, ChromiumBuildEngine(), revision, expected, program, adapts=adapts)


@dataclass(frozen=True)
class BuildMaker(BrowserMaker):
    """The maker of a build's product; a binary of the user's would be another build."""

    target: BuildTarget
    build: Build

    def chosen(self, options: ProductOptions) -> Target:
        """Return the build with the scripts of the options."""
        return replace(self.target, inject=options.inject)

    def product(self, options: ProductOptions) -> Product:
        """Make the build."""
        from modelcontext_builds.build_product import BuildProduct

        # Programs are adapted themselves, and see what the build has.
        target = replace(self.target, inject=options.inject, adapts=False)
        return BuildProduct(self.build, target, options)


@dataclass(frozen=True)
class LightpandaMaker(Maker):
    """The maker of product ``lightpanda``, which has no use for any option."""

    def product(self, options: ProductOptions) -> Product:
        """Make the product."""
        from modelcontext_builds.lightpanda import Lightpanda

        return Lightpanda()

    def runner(self, options: ProductOptions) -> Product:
        """Make the product."""
        return self.product(options)


def makers() -> Mapping[str, Maker]:
    """Return the makers of the builds in the cache, and of Lightpanda."""
    builds = {
        build.name: BuildMaker(target_of(build.name, build.revision, adapts=build.has_own_text), build)
        for build in installed()
    }
    return {**builds, "lightpanda": LightpandaMaker()}
