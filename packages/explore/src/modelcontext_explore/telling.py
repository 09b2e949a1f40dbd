"""Runs of scenarios, step by step and as a story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from modelcontext.ground.schedule.choose import Barrier, Chooser, Process, Replay
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.programs.face.describing import described
from modelcontext.programs.face.watching import Watcher
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.tracing.items import Entry, ScriptStep
from modelcontext.programs.tracing.recorder import Recorder
from modelcontext.programs.tracing.snapshot import Snapshots
from modelcontext.programs.tracing.story import story_of_trace
from modelcontext.spec.revisions.current import REVISION
from modelcontext_explore.stories import ScenarioStory

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import Promise as JSPromise
    from modelcontext.platform.html.document import Document as HTMLDocument
    from modelcontext.programs.face.promises import Promise
    from modelcontext.programs.tracing.items import Trace
    from modelcontext_explore.outcomes import ScenarioOutcome
    from modelcontext_explore.scenario_run import ScenarioRun

_SCENARIO = "the scenario"


def story_of(trace: Trace, decisive: int | None) -> ScenarioStory:
    """Return the story of a trace; ``decisive`` is the position of the choice after which the end was inevitable."""
    return ScenarioStory(story_of_trace(trace, decisive), trace.others_at(decisive))


def traced(make: Callable[..., ScenarioRun], outcome: ScenarioOutcome) -> Trace:
    """Run a scenario under the schedule of an outcome, and return all steps of the specification that it takes."""
    recorder = Recorder(REVISION, Replay(outcome.schedule))
    watcher = _RecordingWatcher(recorder)
    run = make(_RecordedChooser(recorder), watcher=watcher, revision=recorder.revision)
    names = _DocumentNames(run)
    recorder.begin(Snapshots(run.browser.world.user_agent, names, watcher.promises, names.loop_of))
    recorder.goes_on(_SCENARIO)
    problem = None
    try:
        run.run()
    except RunawayError as error:
        problem = str(error)
    return recorder.trace(Outcome({}), problem)


class _RecordedChooser(Chooser):
    """A chooser that asks that of a recorder, which knows nothing of the scenario's own code."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def pick(self, options: Sequence[Process]) -> int:
        if isinstance(options[0], Barrier):
            self._recorder.goes_on(_SCENARIO)
            return 0
        return self._recorder.chooser.pick(options)

    def choose(self, label: str, count: int) -> int:
        return self._recorder.chooser.choose(label, count)


class _RecordingWatcher(Watcher):
    """A watcher that adds to a trace what scripts do."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._numbers: Counter[str] = Counter()
        self.promises: dict[str, JSPromise] = {}

    def calls(self, document: HTMLDocument, what: str, promise: Promise) -> None:
        label = f"{document.url}: {what}"
        self._numbers[label] += 1
        number = self._numbers[label]
        self.promises[label if number == 1 else f"{label} ({number})"] = promise.javascript
        self._recorder.add(ScriptStep(document.url, what, what, ""))

    def logs(self, document: HTMLDocument, text: str) -> None:
        self._entry(document, text)

    def raises(self, document: HTMLDocument, name: str, exception: Exception) -> None:
        self._entry(document, f"{name} raised {described(exception)}")

    def tool_raises(self, document: HTMLDocument, name: str, exception: Exception) -> None:
        self._entry(document, f"{name} raised {described(exception)}")

    def _entry(self, document: HTMLDocument, text: str) -> None:
        self._recorder.add(Entry(document.event_loop.name, {"in": document.url, "log": text}))


class _DocumentNames(Mapping["HTMLDocument", str]):
    """The URLs of the documents of a run, with a number where others have the same."""

    def __init__(self, run: ScenarioRun) -> None:
        self._browser = run.browser

    def _all(self) -> dict[HTMLDocument, str]:
        seen: Counter[str] = Counter()
        names = {}
        for html in self._browser.html_documents:
            seen[html.url] += 1
            names[html] = html.url if seen[html.url] == 1 else f"{html.url} ({seen[html.url]})"
        return names

    def loop_of(self, name: str) -> str:
        """Return the name of the event loop of a document."""
        return next(html.event_loop.name for html, known in self._all().items() if known == name)

    def __getitem__(self, html: HTMLDocument) -> str:
        return self._all()[html]

    def __iter__(self) -> Iterator[HTMLDocument]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._browser.html_documents)
