"""A run of a program whose scripts the engine performs, by the interpreter for pages, on the stage of the model.

Both interpreters of scripts, ``operations.py`` and the modules in ``runtime``, then have the same documents, event loops and
choices, so that a schedule of one is a schedule of the other. The modules in ``runtime/staged`` stand in for the harness that
browsers need.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.joining import function_of_modules
from modelcontext.hosts.scripting.resources import Answer
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.hosts.world import World
from modelcontext.platform.ecmascript.values import UNDEFINED
from modelcontext.programs.program.documents import DocumentOperations
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.render import common_configuration, documents, own_configuration, step_data
from modelcontext.programs.program.stage import ORIGINS

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.hosts.scripting.engine import ScriptEngine
    from modelcontext.platform.html.document import Document
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.stage import Performer
    from modelcontext.spec.revisions.revision import Revision

_RUNTIME: Final = Path(__file__).parent / "runtime"
_STAGED: Final = _RUNTIME / "staged"
#: Seconds that a run may take.
_PATIENCE: Final = 60.0


@cache
def staged_runtime() -> str:
    """Return a function of what a realm was given and of a configuration as JSON."""
    names = ("frames.js", "post.js", "timetable.js", "windows.js")
    replaced = tuple((_RUNTIME / name, _STAGED / name) for name in names)
    runtime = function_of_modules(_STAGED / "main.js", "config", "", replaced)
    return f"((given, text) => {runtime}({{ ...JSON.parse(text), given }}))"


class EngineScript:
    """The script of one document in the engine."""

    def __init__(self, run: StagedRun, id_: str, document: Document) -> None:
        self._run = run
        self._document = document
        self._documents = DocumentOperations(run, document, self)
        self._id = id_
        run.browser.realms.install(document, staged_runtime(), run.configuration(id_))

    def enter(self, script: Callable[[], None]) -> None:
        """Run code in the document's realm."""
        self._document.event_loop.run_script(self._document.realm, script)

    def run(self, index: int) -> None:
        """Run the steps from an index on, until one waits."""
        self._run.browser.realms.call(self._document.realm, "run_script", index)

    def receive(self, message: str) -> None:
        """Take a message; the script continues if it waits for this one."""
        self._run.browser.realms.call(self._document.realm, "receive", message)

    def perform(self, operation: str, data: Sequence[Any]) -> Any:
        """Perform an operation that the script asks of the stage, and return its result as data."""
        border = self._run.browser.realms.border
        values = [self._function(one) if isinstance(one, list) and one[0] == "function" else one for one in data]
        own = getattr(self, f"_{operation}", None)
        result = own(*values) if own is not None else getattr(self._documents, operation)(*values)
        return border.encode(result if result is not None else UNDEFINED)

    def _function(self, data: Any) -> Callable[[], None]:
        """Return what calls a function of the script."""
        realms, realm = self._run.browser.realms, self._document.realm
        return lambda: realms.call(realm, "go_on", ["held", data[1]])

    def _record(self, text: str, settles: str | None) -> None:
        self._run.record(self._id, json.loads(text), None)
        if settles is not None:
            self._run.unsettled.discard(f"{self._id}: {settles}")

    def _called(self, label: str) -> None:
        self._run.unsettled.add(f"{self._id}: {label}")

    def _broken(self, text: str) -> None:
        raise ProgramError(self._run.program.source, "", text)

    def _start(self, to: str, message: None) -> None:
        self._run.start_script(to)

    def _window_of(self, id_: str) -> Any:
        return self._run.window_of(id_)

    def _holders(self) -> list[str]:
        return list(self._run.windows)


class StagedRun(Run):
    """One run of a program under one schedule, as :class:`Run`, whose scripts the engine performs.

    Args:
        engine: the engine, which is of no use any more if the run raises an exception.
        program: the program to run.
        chooser: makes the free choices; first in, first out by default.
        scripts: run in each document before the program.
    """

    def __init__(
        self, engine: ScriptEngine, program: Program, chooser: Chooser | None = None, scripts: Sequence[str] = ()
    ) -> None:
        self._engine = engine
        self._scripts = scripts
        super().__init__(program, chooser)
        self._common = {**common_configuration(program, ORIGINS), "documents": documents(program, ORIGINS)}

    def new_world(self, revision: Revision, chooser: Chooser | None) -> World:
        """Make a world with the engine."""
        # As in the interpreter in Python, nobody is told of rejected promises.
        browser = self.browser = ScriptedBrowser(
            self._engine,
            revision,
            lambda request: Answer(404),
            chooser,
            scripts=self._scripts,
            tells_of_rejections=False,
        )
        # The documents of a program have the policy form-action 'none'.
        browser.user_agent.submit = lambda form, submitter: None
        self._engine.give_time(_PATIENCE)
        self._engine.handlers = {**self._engine.handlers, "stage": self._answer, "rejection_handled": _ignore}
        return World(revision, user_agent=browser.user_agent, host=browser.host)

    def arrive(self, id_: str, document: Document) -> None:
        """Register a new document. A parser performs a microtask checkpoint before the script at the end of a page."""
        super().arrive(id_, document)
        document.event_loop.perform_a_microtask_checkpoint()

    def _answer(self, realm: int, operation: str, data: Sequence[Any]) -> Any:
        script = self.scripts[self.browser.realms.documents[realm]]
        assert isinstance(script, EngineScript)
        return script.perform(operation, data)

    def configuration(self, id_: str) -> str:
        """Return the configuration of a document's page side as JSON."""
        return json.dumps({**self._common, **own_configuration(self.program, id_)}, default=step_data)

    def new_script(self, id_: str, document: Document) -> Performer:
        """Make the script of a new document."""
        return EngineScript(self, id_, document)


def _ignore(*_: object) -> None:
    """Do nothing."""
