"""The properties that a client of page tools should have, each a small function over one trace.

A property says of a whole run whether it is kept, broken, or not touched on: where nothing in the run could have broken it. It
gives the broken place as words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from modelcontext.judging.clients.session import CLIENT

if TYPE_CHECKING:
    from modelcontext.judging.clients.known import Registration, Registrations, ToolWords


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a tool's callback: the label of its registration, and the number of the call in its input."""

    label: str
    call: int


def runs_of(streams: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[ToolRun]:
    """Return the runs of tools in the logs of event loops; there is no order between those of two loops."""
    logs = [streams[name] for name in sorted(streams) if name != CLIENT]
    return [ToolRun(entry["function"], _call_in(entry["arguments"][0])) for log in logs for entry in log]


class ClientTrace:
    """The observations of one whole run.

    Args:
        streams: the observations of each stream, in order; there is no order between streams.
        registrations: those of the program.
        caller: the serialized origin on whose behalf the client calls where exposure counts, or None.
    """

    def __init__(
        self, streams: Mapping[str, Sequence[Mapping[str, Any]]], registrations: Registrations, caller: str | None
    ) -> None:
        self.client = streams.get(CLIENT, ())
        self.registrations = registrations
        self.caller = caller
        self.runs = runs_of(streams)

    @cached_property
    def size(self) -> int:
        """The number of things that happened."""
        return len(self.client) + len(self.runs)

    def tool(self, label: str) -> Registration | None:
        """Return the registration of a label; None for a tool that is in no step of the program."""
        return self.registrations.by_label.get(label)

    def events(self, kind: str) -> Iterator[Mapping[str, Any]]:
        """Yield what the client did or learned of one kind."""
        return (event for event in self.client if event["event"] == kind)

    def of_call(self, kind: str, call: int) -> Mapping[str, Any] | None:
        """Return the event of one kind of a call, or None."""
        return next((event for event in self.events(kind) if event["call"] == call), None)

    def label_of(self, kind: str, call: int) -> str:
        """Return the label in the event of one kind of a call."""
        event = self.of_call(kind, call)
        return str(event["tool"]) if event is not None else "none"

    def pairs(self, kind: str) -> Iterator[tuple[ToolRun, Registration, Registration]]:
        """Yield each run with the registration that ran, and the one in the event of a kind of its call."""
        for run in self.runs:
            ran, meant = self.tool(run.label), self.tool(self.label_of(kind, run.call))
            if ran is not None and meant is not None:
                yield run, ran, meant


def _call_in(written: Mapping[str, Any]) -> int:
    """Return the number of the call in a tool's input, which may be of another realm."""
    return int(dict(written["$object"])["call"] if "$object" in written else written["call"])


class Gap(StrEnum):
    """The reasons for which a breach is not the client's: no client can exclude it."""

    #: The tool that the model meant had the name when the call left the client, and the browser ran a later one.
    BY_NAME = "by name"
    #: The list by which the client made sure, in the turn in which the call left it, was old when it came.
    OLD_LIST = "old list"


@dataclass(frozen=True, slots=True)
class Breach:
    """A place in a run that breaks a property, in a ``call``, or 0. ``gap`` is why the client could not avoid it, or None."""

    words: str
    call: int = 0
    gap: Gap | None = None


#: Yields None for each place that could have been broken and is not, and a Breach for each that is.
Checks = Iterator[Breach | None]


@dataclass(frozen=True, slots=True)
class Property:
    """A property: its name, what it says, the harm where it is broken, and the step of the text that it rests on.

    ``is_about_runs`` is true if which tools ran decides it, so that a program without a client can show a breach.
    """

    name: str
    says: str
    harm: str
    rests_on: str
    check: Callable[[ClientTrace], Checks]
    is_about_runs: bool


PROPERTIES: Final[dict[str, Property]] = {}


def _property(
    name: str, *, says: str, harm: str, rests_on: str, is_about_runs: bool = False
) -> Callable[[Callable[[ClientTrace], Checks]], Callable[[ClientTrace], Checks]]:
    """Return a decorator that makes a property of the function that checks it."""

    def add(check: Callable[[ClientTrace], Checks]) -> Callable[[ClientTrace], Checks]:
        PROPERTIES[name] = Property(name, says, harm, rests_on, check, is_about_runs)
        return check

    return add


def _gap(trace: ClientTrace, call: int) -> Gap | None:
    sent, meant = trace.of_call("sent", call), trace.tool(trace.label_of("meant", call))
    if sent is None or meant is None:
        return None
    for label, gap in ((sent["tool"], Gap.BY_NAME), (sent["listed"], Gap.OLD_LIST)):
        found = trace.tool(label)
        if found is not None and (meant.document, meant.definition) == (found.document, found.definition):
            return gap
    return None


def _compared(trace: ClientTrace, kind: str, same: Callable[[Registration, Registration], bool], words: str) -> Checks:
    for run, ran, meant in trace.pairs(kind):
        is_kept = same(ran, meant)
        told = words.format(meant=meant.label, ran=ran.label, other=_difference(meant.definition, ran.definition))
        breach = Breach(f"call {run.call}: {told}", run.call)
        yield None if is_kept else _marked(trace, breach)


def _difference(one: ToolWords, other: ToolWords) -> str:
    """Return in words what a second tool has otherwise than the first."""
    return " and ".join(
        words
        for words, differs in (
            ("another description", one.description != other.description),
            ("another schema", one.schema != other.schema),
            ("other annotations", one.hints != other.hints),
        )
        if differs
    )


def _marked(trace: ClientTrace, breach: Breach) -> Breach:
    return Breach(breach.words, breach.call, _gap(trace, breach.call))


@_property(
    "runs-what-was-shown",
    says="The tool that runs has the description, schema and annotations that the client showed to the model.",
    harm="A page describes one tool to the model and runs another one, which does something else.",
    rests_on="run-the-tool-execute-steps 3",
    is_about_runs=True,
)
def _runs_what_was_shown(trace: ClientTrace) -> Checks:
    yield from _compared(
        trace,
        "meant",
        lambda ran, meant: ran.definition == meant.definition,
        "the model meant {meant}, but {ran} ran, with {other}",
    )


@_property(
    "runs-in-the-origin-that-was-shown",
    says="The tool that runs has the same origin as the tool that the model called.",
    harm="The arguments for one site go to another site.",
    rests_on="find-a-tool-to-execute 5",
    is_about_runs=True,
)
def _runs_in_the_origin_that_was_shown(trace: ClientTrace) -> Checks:
    yield from _compared(
        trace,
        "meant",
        lambda ran, meant: ran.origin == meant.origin,
        "the model meant {meant}, but {ran} of another origin ran",
    )


@_property(
    "runs-in-the-document-that-was-shown",
    says="The tool that runs is in the same document as the tool that the model called.",
    harm="The arguments for one document go to another document, which may have another user and another state.",
    rests_on="dom-modelcontext-executetool 17",
    is_about_runs=True,
)
def _runs_in_the_document_that_was_shown(trace: ClientTrace) -> Checks:
    yield from _compared(
        trace,
        "meant",
        lambda ran, meant: ran.document == meant.document,
        "the model meant {meant}, but {ran} of another document ran",
    )


@_property(
    "runs-only-in-documents-that-it-has-seen",
    says="A tool runs only in a document from which the client has shown a tool.",
    harm="A document takes part in the conversation, and neither the model nor a person knows of that document.",
    rests_on="perform-an-observation 5",
    is_about_runs=True,
)
def _runs_only_in_documents_that_it_has_seen(trace: ClientTrace) -> Checks:
    for run in trace.runs:
        ran = trace.tool(run.label)
        seen = {
            one.document for event in trace.events("shown") for label in event["tools"] if (one := trace.tool(label))
        }
        if ran is not None:
            breach = Breach(
                f"call {run.call}: {ran.label} ran, and the client had shown no tool of that document", run.call
            )
            yield None if ran.document in seen else _marked(trace, breach)


@_property(
    "is-exposed-when-it-runs",
    says="A tool is still exposed to the caller's origin when it runs, and not only when the browser finds it.",
    harm="A caller runs a tool that the page has hidden from the caller, and the page does not notice.",
    rests_on="find-a-tool-to-execute 9",
    is_about_runs=True,
)
def _is_exposed_when_it_runs(trace: ClientTrace) -> Checks:
    for run in trace.runs:
        ran = trace.tool(run.label)
        if ran is not None and trace.caller is not None:
            meant = trace.tool(trace.label_of("meant", run.call))
            breach = Breach(f"call {run.call}: {ran.label} ran, which is not exposed to {trace.caller}", run.call)
            was_exposed = meant is not None and meant.is_exposed_to(trace.caller)
            hidden = _marked(trace, breach) if was_exposed else breach
            yield None if ran.is_exposed_to(trace.caller) else hidden


@_property(
    "runs-at-most-once",
    says="A call runs at most one callback, and runs it at most once.",
    harm="The agent orders one payment, and the page pays twice.",
    rests_on="imperative-execute-steps 11",
)
def _runs_at_most_once(trace: ClientTrace) -> Checks:
    for call in sorted({run.call for run in trace.runs}):
        count = sum(1 for run in trace.runs if run.call == call)
        yield None if count == 1 else Breach(f"call {call} ran {count} times", call)


@_property(
    "asks-before-a-consequential-tool-runs",
    says="A person has approved each call that runs a consequential tool, even if the page replaced the tool after the call.",
    harm="A page does something that it cannot undo, and no person has agreed.",
    rests_on="create-a-registered-tool 4",
)
def _asks_before_a_consequential_tool_runs(trace: ClientTrace) -> Checks:
    for run in trace.runs:
        ran = trace.tool(run.label)
        if ran is not None and ran.definition.hints.consequential:
            meant = trace.tool(trace.label_of("meant", run.call))
            breach = Breach(f"call {run.call}: {ran.label} ran, and no person had approved the call", run.call)
            was_known = meant is not None and meant.definition.hints.consequential
            unasked = breach if was_known else _marked(trace, breach)
            yield None if trace.of_call("approved", run.call) else unasked


@_property(
    "approval-covers-the-definition",
    says="A tool that runs after an approval has the description, schema and annotations that the person approved.",
    harm="A person agrees to one action, and the page does another action in the person's name.",
    rests_on="run-the-tool-execute-steps 3",
    is_about_runs=True,
)
def _approval_covers_the_definition(trace: ClientTrace) -> Checks:
    yield from _compared(
        trace,
        "asked",
        lambda ran, asked: ran.definition == asked.definition,
        "the person approved {meant}, but {ran} ran, with {other}",
    )


@_property(
    "approval-covers-the-document",
    says="A tool that runs after an approval has the origin and the document that the client named to the person.",
    harm="A person agrees to a call of one site, and another document gets the call.",
    rests_on="dom-modelcontext-executetool 17",
    is_about_runs=True,
)
def _approval_covers_the_document(trace: ClientTrace) -> Checks:
    yield from _compared(
        trace,
        "asked",
        lambda ran, asked: (ran.origin, ran.document) == (asked.origin, asked.document),
        "the person approved {meant}, but {ran} of another document ran",
    )


@_property(
    "approval-covers-the-call",
    says="The client asks the person about the tool that the model called.",
    harm="A person decides about one action, but the model has asked for another action.",
    rests_on="dom-modelcontext-executetool 11",
)
def _approval_covers_the_call(trace: ClientTrace) -> Checks:
    for event in trace.events("asked"):
        meant, asked = trace.tool(trace.label_of("meant", event["call"])), trace.tool(event["tool"])
        if meant is not None and asked is not None:
            is_kept = (meant.document, meant.definition) == (asked.document, asked.definition)
            words = f"call {event['call']}: the model meant {meant.label}, but the client asked the person about {asked.label}"
            yield None if is_kept else Breach(words, event["call"])


@_property(
    "a-denied-call-never-runs",
    says="A call that a person denied does not run.",
    harm="A person says no, and the tool runs anyway.",
    rests_on="dom-modelcontext-executetool 21.4",
)
def _a_denied_call_never_runs(trace: ClientTrace) -> Checks:
    ran = {run.call for run in trace.runs}
    for event in trace.events("denied"):
        words = f"call {event['call']} ran, although the person denied it"
        yield Breach(words, event["call"]) if event["call"] in ran else None


@_property(
    "every-call-is-answered",
    says="Every call that leaves the client gets an answer: a result of the tool, or an error.",
    harm="The agent waits forever, or repeats a call that may have run.",
    rests_on="dom-modelcontext-executetool 20",
)
def _every_call_is_answered(trace: ClientTrace) -> Checks:
    for event in trace.events("sent"):
        yield (
            None
            if trace.of_call("answered", event["call"])
            else Breach(f"call {event['call']} never got an answer", event["call"])
        )


@_property(
    "the-answer-is-that-of-the-call",
    says="The answer to a call comes from a tool that ran for that call.",
    harm="The model mistakes the answer of one tool for the answer of another tool.",
    rests_on="imperative-execute-steps 12",
)
def _the_answer_is_that_of_the_call(trace: ClientTrace) -> Checks:
    for event in trace.events("answered"):
        if trace.tool(event["by"]) is not None:
            is_kept = ToolRun(event["by"], event["call"]) in trace.runs
            yield None if is_kept else Breach(f"call {event['call']} got the answer of {event['by']}", event["call"])


@_property(
    "a-refused-call-never-runs",
    says="If the client says that a call did not run, then the call did not run.",
    harm="The model believes that nothing happened, and calls again.",
    rests_on="find-a-tool-to-execute 7",
)
def _a_refused_call_never_runs(trace: ClientTrace) -> Checks:
    ran = {run.call for run in trace.runs}
    for event in trace.events("refused"):
        words = f"call {event['call']} ran, although the client said that it did not ({event['why']})"
        yield Breach(words, event["call"]) if event["call"] in ran else None


@_property(
    "untrusted-words-reach-other-origins-only-marked",
    says="If the model has read an untrusted result of another origin, the client marks later calls with that origin.",
    harm="The words of one site steer the tools of another site, and no one can tell where the words come from.",
    rests_on="create-a-registered-tool 4.2",
)
def _untrusted_words_reach_other_origins_only_marked(trace: ClientTrace) -> Checks:
    for run in trace.runs:
        ran, meant = trace.tool(run.label), trace.of_call("meant", run.call)
        marked = trace.of_call("marked", run.call) or {"origins": ()}
        for origin in _untrusted(trace, () if meant is None else meant["read"]):
            if ran is not None and ran.origin != origin:
                words = f"call {run.call}: {ran.label} got words from {origin}, and the call has no mark that says so"
                yield None if origin in marked["origins"] else Breach(words, run.call)


def _untrusted(trace: ClientTrace, read: Iterable[str]) -> set[str]:
    found = (trace.tool(label) for label in read)
    return {one.origin for one in found if one is not None and one.definition.hints.untrusted_content}


@_property(
    "the-origin-is-passed-on",
    says="The client shows the origin of each tool to the model.",
    harm="The model cannot tell the tools of the page from the tools of a frame of another site.",
    rests_on="perform-an-observation 5.4",
)
def _the_origin_is_passed_on(trace: ClientTrace) -> Checks:
    yield from _passed_on(trace, "origin", "the origin of a tool")


@_property(
    "the-annotations-are-passed-on",
    says="The client shows the annotations of each tool to the model.",
    harm="The model and the person cannot know that a tool is consequential, or that its result is untrusted.",
    rests_on="perform-an-observation 5.4",
)
def _the_annotations_are_passed_on(trace: ClientTrace) -> Checks:
    yield from _passed_on(trace, "annotations", "the annotations of a tool")


def _passed_on(trace: ClientTrace, member: str, words: str) -> Checks:
    for event in trace.events("shown"):
        if event["tools"]:
            yield None if member in event["members"] else Breach(f"the client did not show {words} to the model")


@_property(
    "names-tell-tools-apart",
    says="The tools that the client shows at the same time have different names.",
    harm="The model cannot say which of two tools it means, and may call the tool of another site.",
    rests_on="perform-an-observation 5.4",
)
def _names_tell_tools_apart(trace: ClientTrace) -> Checks:
    for event in trace.events("shown"):
        if len(event["names"]) > 1:
            is_kept = len(set(event["names"])) == len(event["names"])
            yield (
                None if is_kept else Breach(f"the client showed the model two tools with the name {event['names'][0]}")
            )
