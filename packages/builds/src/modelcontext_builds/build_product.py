"""A build as a product: programs run on it in the words of the text of its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.running.products.browser_product import BrowserProduct
from modelcontext_builds.adapting import with_inputs_as_text

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from modelcontext.programs.program.language import Program
    from modelcontext.running.products.makers import ProductOptions
    from modelcontext.running.products.target import Target
    from modelcontext_builds.build import Build


class BuildProduct(BrowserProduct):
    """A build on which programs run, in the words of the text of its time."""

    def __init__(self, build: Build, target: Target, options: ProductOptions) -> None:
        super().__init__(target, port=options.port, scripts=options.scripts)
        self._build = build

    def reads(self, program: Program) -> Program | None:
        """Return a program with its inputs as text where the build takes text; ``None`` if the build cannot run it."""
        if not self.implements(program.revision) or program.leaves:
            return None
        return with_inputs_as_text(program) if self._build.has_own_text else program

    def text(self) -> AbstractContextManager[None]:
        """Let the text of the build's time be the current one."""
        return self._build.text()
