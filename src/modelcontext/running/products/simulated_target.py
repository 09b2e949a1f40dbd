"""The target of product ``simulated``. The product itself, which takes long to import, is in :mod:`.simulated`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from modelcontext.running.products.engine import Engine
from modelcontext.running.products.target import Target


class SimulatedEngine(Engine):
    """The place of a make of browser; nothing starts it but :func:`.simulated.start_process`."""

    name: ClassVar[str] = "simulated"
    title: ClassVar[str] = "the simulated browser"
    variable: ClassVar[str] = ""
    binaries: ClassVar[Sequence[str]] = ()
    remedy: ClassVar[str] = "pip install 'modelcontext[js]'"
    package: ClassVar[str] = ""

    def options(self, hosts: Sequence[str], *, for_tests: bool) -> Mapping[str, Any]:
        """Return nothing: Playwright does not start it."""
        return {}


@dataclass(frozen=True)
class SimulatedTarget(Target):
    """The simulated browser."""

    is_simulated: ClassVar[bool] = True
