"""A simulated browser whose scripts run in an engine: one run of a page under one schedule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Chooser, FirstInFirstOut
from modelcontext.hosts.scripting.answers import Answers
from modelcontext.hosts.scripting.engine import EndOfRunError
from modelcontext.hosts.scripting.fetching import Fetcher
from modelcontext.hosts.scripting.loading import Loader
from modelcontext.hosts.scripting.loading_elements import (
    LOADER,
    CustomElement,
    HTMLAnchorElement,
    HTMLIFrameElement,
    HTMLScriptElement,
)
from modelcontext.hosts.scripting.loadings import Loadings
from modelcontext.hosts.scripting.messages import Messages
from modelcontext.hosts.scripting.parts import Parts
from modelcontext.hosts.scripting.realms import Realms
from modelcontext.hosts.scripting.scripting_host import ScriptingHost
from modelcontext.hosts.scripting.timers import Timers
from modelcontext.platform.dom.nodes import shadow_including_inclusive_descendants
from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.origin import serialization
from modelcontext.platform.html.parallel import Strand
from modelcontext.platform.html.user_agent import Action, UserAgent
from modelcontext.spec.revisions.revision import model_context_of
from modelcontext.spec.verbs.verbs import use

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.engine import ScriptEngine
    from modelcontext.hosts.scripting.observed import Observed
    from modelcontext.hosts.scripting.resources import Server
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.document import Document
    from modelcontext.spec.revisions.revision import Revision

#: Milliseconds of virtual time after which a run ends, and the number of actions.
LONGEST: Final = 10 * 60 * 1000
MOST_ACTIONS: Final = 200_000
#: The most actions while virtual time stands still, as with messages that beget messages.
MOST_AT_ONCE: Final = 50_000
#: Milliseconds of virtual time that may go by in a run while other things wait.
HASTE: Final = 1000.0


class ScriptedUserAgent(UserAgent):
    """A user agent whose tasks let only steps in parallel act in their middle: the engine has one queue of microtasks.

    ``shared_writes`` counts the places so far at which a task would let others act.
    """

    shared_writes = 0

    def let_others_run(self) -> None:
        """Let steps in parallel act in the middle of the running task."""
        self.shared_writes += 1
        super().let_others_run()

    def actions_beside_the_running_tasks(self) -> list[Action]:
        """Return the enabled steps in parallel."""
        return [action for action in self.enabled_actions() if isinstance(action, Strand)]


class _Reports(list[tuple["Document", object]]):
    """The exceptions that listeners threw, each of which is reported at once."""

    def __init__(self, report: Callable[[Document, JSValue], None]) -> None:
        super().__init__()
        self._report = report

    def append(self, item: tuple[Document, Any]) -> None:
        """Report an exception."""
        self._report(*item)


class ScriptedBrowser:
    """One run. It owns its parts, and no part knows it.

    Args:
        engine: the engine.
        revision: the revision of the specification.
        server: answers requests.
        chooser: makes the free choices; by default first in, first out.
        scripts: run in each document before its own.
        reports: whether the first document may report a result, which ends the run.
        noted: called with each note that a test writes.
        hastens: whether a timer may fire while other things wait, for :data:`HASTE` milliseconds in all.
        tells_of_rejections: whether scripts are told of rejected promises without a handler.
        seconds: the time that one action may take.
    """

    def __init__(
        self,
        engine: ScriptEngine,
        revision: Revision,
        server: Server,
        chooser: Chooser | None = None,
        *,
        scripts: Sequence[str] = (),
        reports: bool = False,
        noted: Callable[[str], None] | None = None,
        hastens: bool = False,
        tells_of_rejections: bool = True,
        seconds: float = 10.0,
    ) -> None:
        self._engine = engine
        self._haste = HASTE if hastens else 0.0
        self._seconds = seconds
        self._chooser = chooser or FirstInFirstOut()
        hooks = replace(revision, initialize_document=self._initialize_document)
        self.user_agent = ScriptedUserAgent(hooks, self._chooser)
        self.realms = realms = Realms(
            engine,
            revision,
            self.user_agent,
            scripts=scripts,
            reports=reports,
            takes_notes=noted is not None,
            tells_of_rejections=tells_of_rejections,
        )
        self.user_agent.reported_exceptions = _Reports(realms.report_an_exception)
        self.user_agent.further_elements = {
            "a": HTMLAnchorElement,
            "iframe": HTMLIFrameElement,
            "script": HTMLScriptElement,
            "-": CustomElement,
        }
        self.user_agent.set_handler = realms.set_handler
        self.host = ScriptingHost(
            self.user_agent, revision.boundary, realms.border, realms.call, realms.warn, realms.place_of
        )
        fetcher = Fetcher(realms, server)
        loadings = Loadings(realms, fetcher)
        self._loader = Loader(realms, fetcher, loadings)
        self.user_agent.submit = self._loader.submit
        self.parts = Parts(realms, fetcher, loadings, self._loader, Messages(realms), Timers())
        engine.handlers = Answers(self.parts, self.host, noted or (lambda text: None)).handlers()
        engine.news = lambda: None
        engine.give_time(60.0)
        engine.call("reset")
        engine.news = realms.news
        self._calls_before = engine.calls

    def _initialize_document(self, document: Document) -> None:
        document.extensions[LOADER] = self._loader
        self.realms.initialize_document(document)

    @property
    def observed(self) -> Observed:
        """The observations of the run so far."""
        return self.realms.observed

    # Running

    def run(self, url: str) -> Observed:
        """Open a page and run until it has reported or nothing is left to do."""
        use(self.host)
        footprint.call_before_shared_writes(self.user_agent.let_others_run)
        try:
            self._engine.give_time(self._seconds)
            self._loader.open(url)
            self._loop()
        except EndOfRunError as error:
            self.observed.ended = error
        finally:
            footprint.call_before_shared_writes(None)
        self.observed.calls = self._engine.calls - self._calls_before
        self.observed.tools = sorted(self._tools())
        return self.observed

    def _tools(self) -> Iterator[str]:
        """Yield the names and descriptions of the tools of all documents, with the origins of those in frames."""
        for document in self.realms.documents.values():
            frame = "" if document.container is None else f" (in a frame of {serialization(document.origin)})"
            for tool in _tools_of(document):
                yield f"{tool.name}: {' '.join(tool.description.split())}{frame}"

    def standing(self) -> Counter[str]:
        """Return the tools, frames and further windows that are there now, each in words.

        A form that has the name of a tool counts as a form, from the moment when it is in the tree.
        """
        found: Counter[str] = Counter()
        windows = 0
        for document in self.realms.documents.values():
            if not document.is_fully_active:
                continue
            origin = serialization(document.origin)
            windows += document.container is None
            if document.container is not None:
                found[f"a frame of {origin}"] += 1
            elif windows > 1:
                found[f"a window of {origin}"] += 1
            where = f" in a frame of {origin}" if document.container is not None else ""
            nodes = shadow_including_inclusive_descendants(document)
            forms = [
                name for one in nodes if isinstance(one, HTMLFormElement) and (name := one.get_attribute("toolname"))
            ]
            found.update(f'the form "{name}"{where}' for name in forms)
            found.update(f'the tool "{tool.name}"{where}' for tool in _tools_of(document) if tool.name not in forms)
        return found

    def _loop(self) -> None:
        user_agent = self.user_agent
        since = 0
        while self.observed.report is None:
            self._engine.give_time(self._seconds)
            actions = user_agent.enabled_actions()
            if actions and self._is_hasty():
                self._let_time_go_on()
            elif actions:
                user_agent.perform(actions[self._chooser.pick(actions)])
                self.observed.actions += 1
                if self.observed.actions > MOST_ACTIONS:
                    raise EndOfRunError(f"the run did not end within {MOST_ACTIONS:,} actions")
                if self.observed.actions - since > MOST_AT_ONCE:
                    problem = "look for a message or a task that always causes another one"
                    raise EndOfRunError(f"{MOST_AT_ONCE:,} actions ran at one moment of virtual time: {problem}")
            elif not self._let_time_go_on():
                return
            else:
                since = self.observed.actions
            if self.parts.timers.now > LONGEST:
                raise EndOfRunError(f"the run did not end within {LONGEST // 60_000} virtual minutes")

    def _let_time_go_on(self) -> bool:
        with footprint.unrecorded():
            return self.parts.timers.advance()

    def _is_hasty(self) -> bool:
        """Choose whether the next timer fires though other things could happen."""
        wait = self.parts.timers.until_next()
        if wait is None or wait >= self._haste or self._chooser.choose("a timer fires", 2) == 0:
            return False
        self._haste -= max(wait, 1.0)
        return True


def _tools_of(document: Document) -> list[Any]:
    """Return the tools of a document; one that is not fully active has none."""
    # The text of another revision can keep its tools elsewhere.
    internal = getattr(model_context_of(document), "internal_context", None)
    return list(getattr(internal, "tool_map", {}).values()) if document.is_fully_active else []
