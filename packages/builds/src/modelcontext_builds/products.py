"""The products of builds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from modelcontext.running.products.chromium import ChromiumEngine
from modelcontext.running.products.makers import BrowserMaker, Maker, ProductOptions
from modelcontext.running.products.target import Target
from modelcontext_builds.build import PROGRAM, folder_of, installed

if TYPE_CHECKING:
    from modelcontext.running.products.base import Product

#: Earlier builds have the API behind these as well.
EARLIER: Final = "--enable-blink-features=WebMCP,WebMCPTesting"


@dataclass(frozen=True)
class ChromiumBuildEngine(ChromiumEngine):
    """An earlier build of Chromium. It is started as the installed one is, with the earlier names of the feature."""

    remedy = "run `modelcontext setup chromium --version N` again"

    def _flags(self, hosts: Sequence[str], *features: str) -> list[str]:
        return [*super()._flags(hosts, "WebMCPTesting", *features), EARLIER]


def target_of(name: str, revision: str) -> Target:
    """Return the product of a build whose program is in the cache."""
    expected = "Chromium 147 and later have it"
    return Target(name, ChromiumBuildEngine(), revision, expected, str(folder_of(name) / PROGRAM))


@dataclass(frozen=True)
class BuildMaker(BrowserMaker):
    """The maker of a build's product; a binary of the user's would be another build."""

    def chosen(self, options: ProductOptions) -> Target:
        """Return the build with the scripts of the options."""
        return replace(self.target, inject=options.inject)


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
    builds = {build.name: BuildMaker(target_of(build.name, build.revision)) for build in installed()}
    return {**builds, "lightpanda": LightpandaMaker()}
