"""Product ``simulated``: the simulated browser with V8 for scripts, on which tests run without a real browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from modelcontext.products.engine import Engine
from modelcontext.products.page import own_interfaces
from modelcontext.products.target import Target
from modelcontext.revisions.registry import REVISIONS
from modelcontext.scripting.process import EngineProcess
from modelcontext.webidl import javascript

if TYPE_CHECKING:
    from modelcontext.revisions.revision import Revision


class SimulatedEngine(Engine):
    """The place of a make of browser; nothing starts it but :func:`start_process`."""

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

    is_compared = False


def start_process(revision: Revision) -> EngineProcess:
    """Start an engine whose realms have the API of a revision.

    Raises:
        UnavailableError: if Node.js is not installed.
    """
    return EngineProcess(javascript.bindings(revision.definitions, own_interfaces(revision)))


def start_for(target: Target) -> EngineProcess:
    """Start an engine for a target; raises as :func:`start_process`."""
    return start_process(REVISIONS[target.revision])
