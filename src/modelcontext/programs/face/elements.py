"""Elements of documents in the Python API."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from modelcontext.platform.dom.dispatching import dispatch
from modelcontext.platform.dom.events import Event
from modelcontext.platform.dom.mutations import remove
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.html.elements import HTMLElement, click
from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.forms.submission import SubmitEvent, request_submit
from modelcontext.programs.face.python_values import RejectedError
from modelcontext.programs.program.element_operations import ASSIGNMENTS, READERS

if TYPE_CHECKING:
    from modelcontext.platform.dom.elements import Element as DOMElement
    from modelcontext.programs.face.scripts import Scripting, Scripts


# Wraps the element of DOM.
class Element:
    """An element of a document."""

    __slots__ = ("_browser", "_element", "_html", "_scripts")

    def __init__(self, browser: Scripting, scripts: Scripts, element: DOMElement) -> None:
        self._browser = browser
        self._scripts = scripts
        self._html = scripts.html
        self._element = element

    @property
    def value(self) -> Any:
        """The value of a form control."""
        return self._run(lambda: READERS["value"](self._element))

    def fill(self, value: str) -> None:
        """Set the value of a form control, and fire ``input`` and ``change``, as a person does."""

        def script() -> None:
            ASSIGNMENTS["value"](self._element, value)
            dispatch(Event(self._html.realm, "input", bubbles=True, composed=True), self._element)
            dispatch(Event(self._html.realm, "change", bubbles=True), self._element)

        self._run(script)

    def click(self) -> None:
        """Call the method ``click()``."""
        element = self._element
        assert isinstance(element, HTMLElement)
        self._run(lambda: click(element))

    def submit(self) -> None:
        """Submit a form as a person does, by its method ``requestSubmit()``."""
        form = self._form()
        self._run(lambda: request_submit(form, None))

    def reset(self) -> None:
        """Reset a form."""
        form = self._form()
        self._run(lambda: reset(form))

    def remove(self) -> None:
        """Remove the element from its parent."""
        if self._element.parent is not None:
            self._run(lambda: remove(self._element))

    def add_event_listener(self, type: str, listener: Callable[[ElementEvent], None]) -> None:
        """Call ``addEventListener``; the listener gets an :class:`ElementEvent`."""
        failed = partial(self._browser.raised, self._html, f"the listener for {type}")
        function = self._scripts.function(
            lambda event: listener(ElementEvent(self._browser, self._scripts, event)), failed, given=listener
        )
        self._run(lambda: self._element.add_event_listener(type, function))

    def _form(self) -> HTMLFormElement:
        if not isinstance(self._element, HTMLFormElement):
            raise TypeError(f"{self._element} is not a form")
        return self._element

    def _run(self, script: Callable[[], Any]) -> Any:
        try:
            return self._browser.run_now(self._html, script)
        except Throw as throw:
            raise RejectedError(throw.value) from None

    def __repr__(self) -> str:
        return f"<Element {self._element.local_name}>"


class ElementEvent:
    """An event at an element, for its listener."""

    __slots__ = ("_browser", "_event", "_scripts")

    def __init__(self, browser: Scripting, scripts: Scripts, event: Event) -> None:
        self._browser = browser
        self._scripts = scripts
        self._event = event

    @property
    def type(self) -> str:
        """The type of the event."""
        return self._event.type

    @property
    def agent_invoked(self) -> bool:
        """True for a ``submit`` event of a tool's call."""
        return bool(isinstance(self._event, SubmitEvent) and self._event.attributes["agentInvoked"])

    def prevent_default(self) -> None:
        """Call ``preventDefault()``."""
        self._event.set_the_canceled_flag()

    def respond_with(self, answer: Any) -> None:
        """Call ``respondWith()`` of a ``submit`` event with a value, a promise of the page or a coroutine."""
        value = self._scripts.settled(answer)
        self._browser.world.boundary.call(self._event, "respondWith", [value])
