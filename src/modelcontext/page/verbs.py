"""What the page does for the host: the functions of hub.js that Python calls."""

from __future__ import annotations

from typing import Protocol


class PageVerbs(Protocol):
    """Functions of the page. Documents, realms, windows and values are numbers; 0 is none; ``data`` is JSON.

    A value is a handle, which :meth:`free` gives back.
    """

    def free(self, handle: int) -> None: ...

    def realm_of_document(self, document: int) -> int: ...

    def document_of_realm(self, realm: int) -> int: ...

    def is_fully_active(self, document: int) -> bool: ...

    def is_allowed(self, document: int, feature: str) -> bool: ...

    def origin_of(self, document: int) -> str: ...

    def navigable_of(self, document: int) -> int: ...

    def top_of(self, navigable: int) -> int: ...

    def active_document(self, navigable: int) -> int: ...

    def inclusive_descendants(self, document: int) -> str:
        """A list of navigables, as JSON."""

    def new_promise(self, realm: int) -> int: ...

    def resolve(self, promise: int, realm: int, data: str) -> None: ...

    def reject(self, promise: int, realm: int, data: str) -> None: ...

    def new_object(self, realm: int) -> int: ...

    def is_object(self, handle: int) -> bool: ...

    def serialize(self, handle: int) -> str | int:
        """The JSON text of a value; 0 if it has none, or the handle of what was thrown."""

    def parse(self, text: str, realm: int) -> int:
        """The handle of a value; negative, of what was thrown."""

    def make(self, realm: int, data: str) -> int:
        """A value in a realm."""

    def realm_of_function(self, handle: int, otherwise: int) -> int: ...

    def invoke(self, callback: int, realm: int, data: str) -> int:
        """Call a function with a list of arguments; a promise of what comes of it."""

    def react(self, promise: int, realm: int, reaction: int) -> None: ...

    def is_aborted(self, signal: int) -> bool: ...

    def abort_reason(self, signal: int) -> int: ...

    def add_abort_steps(self, signal: int, steps: int) -> None: ...

    def new_abort_controller(self, realm: int) -> int: ...

    def signal_of(self, controller: int) -> int: ...

    def abort(self, controller: int) -> None: ...

    def wrap(self, platform_object: int, interface: str, realm: int) -> None: ...

    def fire(self, platform_object: int, realm: int, type: str, interface: str, attributes: str) -> None: ...

    def queue(self, realm: int, task: int) -> None:
        """Queue a real task for the document of a realm."""

    def schedule(self) -> None:
        """Let steps in parallel run soon."""
