"""Realms, and the hooks by which the objects of a realm reach its agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.values import JSObject, JSValue


class AgentHooks(Protocol):
    """The services that ECMAScript and DOM need from the agent of a realm."""

    def enqueue_promise_job(self, job: Callable[[], None], realm: Realm | None) -> None:
        """Queue a job that runs when no script is running; ``realm`` is that of the handler it will call, or None."""

    def run_script(self, realm: Realm, script: Callable[[], None]) -> None:
        """Prepare to run script in a realm, run it, and clean up after running script."""

    def report_an_exception(self, realm: Realm, value: JSValue) -> None:
        """Report an unhandled exception."""


class Realm:
    """A realm: the environment of the objects of one global object."""

    __slots__ = ("agent", "global_object")

    agent: AgentHooks
    global_object: JSObject

    def __init__(self, agent: AgentHooks) -> None:
        self.agent = agent
