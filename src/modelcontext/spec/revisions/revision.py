"""The interface of a revision: its IDL, its algorithms, and its hooks into the platform.

A hook is an algorithm that the platform runs. HTML has *unloading document cleanup steps*, which other specifications may
define, and does nothing where none does. HTML and DOM have no hooks for forms that are tools (Issue 36), so a text names the
places itself. A text without an algorithm for a place says that nothing happens there, with one exception: if the IDL of a
text says that forms can be tools, then a form that ought to become a tool has to run an algorithm. Where the text has none,
this is an error that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.dom.events import EventInit
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.window import WindowProxy, document_of
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.platform.webidl import idl
from modelcontext.platform.webidl.boundary import AroundCall, Boundary, Implementations
from modelcontext.platform.webidl.conversions import Conversions
from modelcontext.spec.revisions import name_of

if TYPE_CHECKING:
    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.dom.nodes import TreeScope
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.elements import HTMLElement
    from modelcontext.platform.html.forms.submission import SubmitEvent
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.webidl.platform_object import PlatformObject

_PLATFORM_TYPES: Mapping[str, Callable[[JSValue], object]] = {
    "AbortSignal": lambda value: value if isinstance(value, AbortSignal) else None,
    "Window": lambda value: value.window if isinstance(value, WindowProxy) else None,
}


def model_context_of(document: Document) -> Any:
    """Return the ModelContext of a document, whose members differ between revisions."""
    name = "associated ModelContext"
    return document.extensions.get(name) or document.window.navigator.extensions.get(name)


@dataclass(frozen=True)
class Revision:
    """A revision of the specification.

    ``package`` is the Python package that holds it, ``dictionaries`` the module of its dictionaries, ``algorithms`` the
    functions by the id of their dfn. ``accessor_owner`` returns the object with the attribute
    ``modelContext``, for a document. ``initialize_document`` and ``initialize_traversable`` are its hooks into the platform,
    ``chosen_button_of`` returns the button with which the execution of a form began, if it has one.

    Only some revisions have the others: ``hooks`` has the ids of the algorithms that the platform runs, if the text gives
    them other ids. ``parsed_idl`` is IDL that differs from the package's. ``around_call`` wraps
    the calls of operations, the last one outermost.
    """

    package: str
    dictionaries: ModuleType
    algorithms: Mapping[str, Callable[..., Any]]
    accessor_owner: Callable[[Document], PlatformObject]
    initialize_document: Callable[[Document], None]
    initialize_traversable: Callable[[Navigable], None] = lambda _: None
    chosen_button_of: Callable[[HTMLFormElement], HTMLElement | None] = lambda _: None
    hooks: Mapping[str, str] = field(default_factory=dict)
    parsed_idl: idl.Definitions | None = None
    around_call: tuple[AroundCall, ...] = ()

    @cached_property
    def name(self) -> str:
        """The name of the revision, which follows from that of its package."""
        return name_of(self.package)

    @cached_property
    def definitions(self) -> idl.Definitions:
        """The revision's IDL together with the platform's."""
        if self.parsed_idl is not None:
            return self.parsed_idl
        return idl.read_definitions(self.package)

    @cached_property
    def boundary(self) -> Boundary:
        """The bindings between scripts and the algorithms."""
        definitions = self.definitions
        classes = {name: getattr(self.dictionaries, name, EventInit) for name in definitions.dictionaries}
        return Boundary(
            definitions,
            Conversions(definitions, classes, _PLATFORM_TYPES),
            self._implementations(definitions),
            _is_secure_context,
            self.around_call,
        )

    @cached_property
    def has_forms(self) -> bool:
        """True if the IDL says that forms can be tools."""
        interfaces = self.definitions.interfaces
        return "SubmitEvent" in interfaces and "agentInvoked" in interfaces["SubmitEvent"].attributes

    def algorithm(self, id_: str) -> Callable[..., Any]:
        """Return the algorithm with an id.

        Raises:
            NoMeaningError: if the text has no such algorithm.
        """
        if id_ not in self.algorithms:
            raise NoMeaningError(f"the text has no algorithm {id_}, which is needed here")
        return self.algorithms[id_]

    def _hook(self, id_: str) -> Callable[..., Any] | None:
        return self.algorithms.get(self.hooks.get(id_, id_))

    def unloading_document_cleanup_steps(self, document: Document) -> None:
        """Run the specification's unloading document cleanup steps, if it has any."""
        if steps := self._hook("unloading-document-cleanup"):
            steps(document)

    def form_change_steps(self, form: HTMLFormElement) -> None:
        """Schedule an update of the tool of a form that was inserted, removed or moved, if forms can be tools.

        Raises:
            NoMeaningError: if the form ought to be a tool, and the text does not say how.
        """
        if steps := self._hook("schedule-a-tool-update"):
            steps(form)
        elif self.has_forms and form.has_attribute("toolname"):
            self.algorithm("schedule-a-tool-update")

    def tree_change_steps(self, root: TreeScope) -> None:
        """Run the specification's tree change steps, if it has any."""
        if steps := self._hook("tree-change-steps"):
            steps(root)

    def begin_a_submission(self, form: HTMLFormElement) -> bool:
        """Return whether a submission of a form is that of an agent."""
        steps = self._hook("begin-the-submission-of-an-agent")
        return steps is not None and bool(steps(form))

    def invalid_submission_steps(self, form: HTMLFormElement) -> None:
        """Interrupt the execution of a form that is not valid."""
        self.reset_steps(form)

    def submit_event_steps(self, form: HTMLFormElement, event: SubmitEvent) -> None:
        """Process a ``submit`` event that was fired."""
        if steps := self._hook("process-a-submit-event"):
            steps(form, event)

    def submit_method_steps(self, form: HTMLFormElement) -> None:
        """End the execution of a form that a script submits without an event."""
        if steps := self._hook("end-the-execution-of-a-form"):
            steps(form, None, True)

    def reset_steps(self, form: HTMLFormElement) -> None:
        """Interrupt the execution of a form that is reset."""
        if steps := self._hook("interrupt-the-execution-of-a-form"):
            steps(form)

    def matches(self, element: Element, pseudo_class: str) -> bool:
        """Return whether an element matches ``:tool-form-active`` or ``:tool-submit-active``.

        Raises:
            NoMeaningError: if the text does not say when a form has an active execution.
        """
        form: object = element
        if pseudo_class == ":tool-submit-active":
            form = element.form_owner if isinstance(element, FormAssociatedElement) else None
        if not isinstance(form, HTMLFormElement):
            return False
        if pseudo_class == ":tool-submit-active" and self.chosen_button_of(form) is not element:
            return False
        return bool(self.algorithm("has-an-active-execution")(form))

    def _implementations(self, definitions: idl.Definitions) -> Implementations:
        return {
            (interface.name, member): self.algorithms.get(id_) or self._missing(id_)
            for interface in definitions.interfaces.values()
            for member in (*interface.operations, *interface.attributes)
            for id_ in (f"dom-{interface.name}-{member}".lower(),)
        }

    def _missing(self, id_: str) -> Callable[..., Any]:
        return lambda *_: self.algorithm(id_)


def _is_secure_context(realm: Realm) -> bool:
    return document_of(realm).is_secure_context
