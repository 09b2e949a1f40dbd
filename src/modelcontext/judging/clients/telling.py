"""Runs of clients in words: what happened, one moment after the other, and what the actions were that nobody sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule import footprint
from modelcontext.judging.clients.client_run import ClientRun
from modelcontext.judging.clients.session import CLIENT
from modelcontext.platform.html.event_loop import Task
from modelcontext.programs.program.outcome import describe_entry
from modelcontext.programs.tracing.story import Moment
from modelcontext.spec.specification.code.steps import StepIndex

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Process
    from modelcontext.ground.schedule.node import Transition
    from modelcontext.programs.program.language import Program, ProgramStep

_THE_BEGINNING: Final = "the beginning"


class Story:
    """A watcher of a run that writes down what happens, each event with the number of the action in which it does."""

    def __init__(self) -> None:
        self.position = 0
        self.actions = [Moment("page", _THE_BEGINNING)]
        self._choices: list[tuple[int, str]] = []
        self._events: list[tuple[int, Moment]] = []

    def performs(self, id_: str, step: ProgramStep) -> None:
        """Write down a step of a script."""
        words = _step_in_words(step)
        if words:
            self._events.append((self.position, Moment(id_, words)))

    def observes(self, stream: str, entry: Mapping[str, Any]) -> None:
        """Write down an entry."""
        if stream == CLIENT:
            self._events.append((self.position, _event_in_words(entry)))
        elif "function" in entry:
            self._events.append((self.position, Moment(entry["in"], f"the callback of “{entry['function']}” runs")))
        elif "pageTransition" in entry:
            self._events.append((self.position, Moment(entry["in"], describe_entry(entry))))

    def lists(self, id_: str) -> None:
        """Write down that the client begins to list the tools that are seen in a document."""
        where = "a new document" if id_ == "?" else id_
        self._events.append((self.position, Moment("client", f"begins to list the tools, in {where}")))

    def chooses(self, words: str) -> None:
        """Write down a free choice inside an action."""
        self._choices.append((self.position, words))

    def choices_at(self, position: int) -> list[str]:
        """Return the free choices inside an action."""
        return [words for at, words in self._choices if at == position]

    def moments(self) -> tuple[Moment, ...]:
        """Return the events in order."""
        return tuple(moment for _, moment in self._events)

    def last_of(self, who: str) -> int | None:
        """Return the index of the last event of somebody."""
        return next((n for n in reversed(range(len(self._events))) if self._events[n][1].who == who), None)

    def marked(self, position: int) -> tuple[Moment, ...]:
        """Return the events with the first of an action marked, or with the action itself if nobody sees it."""
        first = self._first_at(position)
        moments = list(self.moments())
        if not self._is_seen(position):
            moments.insert(first, self.actions[position])
        moments[first] = replace(moments[first], is_decisive=True)
        return tuple(moments)

    def unlike(self, other: Story, position: int) -> tuple[Moment, ...]:
        """Return what happens from an action on, up to the first event that is another one in another story."""
        first = self._first_at(position)
        mine, theirs = self.moments(), other.moments()
        differing = next((n for n, moment in enumerate(mine) if n >= len(theirs) or moment != theirs[n]), len(mine) - 1)
        unseen = () if self._is_seen(position) else (self.actions[position],)
        return (*unseen, *mine[first : differing + 1])

    def _first_at(self, position: int) -> int:
        """Return the index of the first event of an action or of later ones."""
        return next((n for n, (at, _) in enumerate(self._events) if at >= position), len(self._events))

    def _is_seen(self, position: int) -> bool:
        return any(at == position for at, _ in self._events)


class _Guide:
    """A chooser that leads a run along transitions, and tells a story of it."""

    def __init__(self, transitions: Sequence[Transition], story: Story) -> None:
        self._transitions = transitions
        self._story = story
        self._answers = iter(transitions[0].answers)
        self.run: ClientRun | None = None

    def pick(self, options: Sequence[Process]) -> int:
        assert self.run is not None
        footprint.stop_naming()
        self._story.position += 1
        transition = self._transitions[self._story.position]
        self._answers = iter(transition.answers)
        acting = self.run.state().processes[transition.acting]
        index = next(index for index, option in enumerate(options) if option is acting)
        self._story.actions.append(_action_in_words(options[index], self.run, self._story))
        return index

    def choose(self, label: str, count: int) -> int:
        answer = next(self._answers)
        self._story.chooses(f"{label}: option {answer + 1} of {count}")
        return answer


def story_of(way: Sequence[Transition], program: Program, begin: Callable[..., Any]) -> Story:
    """Return the story of a run along transitions; ``begin`` begins the client."""
    story = Story()
    guide = _Guide(way, story)
    with footprint.one_run():
        guide.run = ClientRun(program, begin, guide, story)
        guide.run.run()
    return story


_steps: Final = StepIndex()


def _action_in_words(process: Process, run: ClientRun, story: Story) -> Moment:
    """Return an action, which may be one that no script and no client sees, after those of a story."""
    if isinstance(process, Task) and process in run.running():
        who = _label_of(process, run)
        begun = story.last_of(who)
        action = "an action" if begun is None else f"action {begun + 1}"
        return Moment(who, f"{action} takes effect in the browser")
    place = process.place
    code = place[0] if isinstance(place, tuple) else place
    if not isinstance(code, CodeType):
        return Moment("browser", "a task")
    last = place[1] if isinstance(place, tuple) else 0
    line = next((line for start, end, line in code.co_lines() if start <= max(last, 0) < end and line), None)
    found = _steps.locate(code.co_filename, line or code.co_firstlineno)
    if found is not None:
        return Moment("browser", f"takes a step, `{found.algorithm} {found.number}`: {found.text}")
    module = code.co_filename.replace("\\", "/").rpartition("/modelcontext/")[2]
    if module.startswith("judging/clients/"):
        return Moment("client", "takes a turn")
    if module.startswith("programs/program/"):
        return Moment(_label_of(process, run), "takes a turn")
    return Moment("browser", "a document loads or unloads")


def _label_of(process: Process, run: ClientRun) -> str:
    document = process.document if isinstance(process, Task) else None
    return run.label_of(document) if document is not None else "page"


_ACTS: Final = {
    "removeFrame": "removes the frame of",
    "addFrame": "inserts a frame for",
    "leave": "leaves the page, for",
    "open": "opens",
    "close": "closes",
}


def _step_in_words(step: ProgramStep) -> str:
    given = step.arguments
    match step.do:
        case "registerTool":
            tool = given["tool"]
            hints = [hint for hint, value in tool.get("annotations", {}).items() if value]
            exposed = given.get("options", {}).get("exposedTo", ())
            facts = [f"“{tool['description']}”", *hints, *(f"exposed to {origin}" for origin in exposed)]
            return f"registers “{tool['name']}” with the callback “{step.label}”: {', '.join(facts)}"
        case "abort":
            return f"unregisters the tool of “{given['controller']}”"
        case "navigate":
            return f"begins to navigate the frame of {given['document']} to {given['to']}"
        case "removeFrame" | "addFrame" | "leave" | "open" | "close":
            return f"{_ACTS[step.do]} {given['document']}"
        case "goBack":
            return "goes back"
    return ""


def _event_in_words(event: Mapping[str, Any]) -> Moment:
    """Return something that a client, its model or its person did."""
    match event["event"]:
        case "meant":
            return Moment("model", f"calls the tool of “{event['tool']}” (call {event['call']})")
        case "approved":
            return Moment("person", f"approves call {event['call']}")
        case "denied":
            return Moment("person", f"denies call {event['call']}")
    return Moment("client", _doing_in_words(event))


def _doing_in_words(event: Mapping[str, Any]) -> str:
    match event["event"]:
        case "shown":
            pairs = [f"{name} (“{tool}”)" for name, tool in zip(event["names"], event["tools"], strict=True)]
            return f"shows the model {', '.join(pairs) or 'no tool'}, with {', '.join(event['members'])}"
        case "asked":
            return f"asks the person about call {event['call']}, showing the tool of “{event['tool']}”"
        case "marked":
            return f"marks call {event['call']} with words of {', '.join(event['origins']) or 'no other origin'}"
        case "sent":
            now = "no tool" if event["tool"] == "none" else f"“{event['tool']}”"
            again = "" if event["listed"] == "none" else f"gets the list, with “{event['listed']}”; "
            return f"{again}call {event['call']} leaves the client; its tool name now belongs to {now}"
        case "answered":
            return f"call {event['call']} ends: {event['by']}"
        case "refused":
            return f"says that call {event['call']} did not run: {event['why']}"
    return str(event["event"])
