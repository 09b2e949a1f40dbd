"""The second pass over a program: the references from one place of it to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn

from modelcontext.ground.tables import did_you_mean
from modelcontext.programs.program.language import ARRIVAL_OPERATIONS, Program, ProgramError, ProgramStep, Value
from modelcontext.programs.program.markup import ids_of
from modelcontext.programs.program.notation import ELEMENT_OPERATIONS


def check_references(program: Program) -> None:
    """Check every reference of a program.

    Raises:
        ProgramError: for the first reference to something that is missing or does not fit.
    """
    _Arrivals(program).check()
    _History(program).check()
    for document in program.script:
        _Script(program, document).check()


class _Checks:
    """Checks of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def _fail(self, place: str, problem: str) -> NoReturn:
        raise ProgramError(self._program.source, place, problem)


class _Arrivals(_Checks):
    """The documents that start later: each needs a step that brings it and fits its declaration."""

    def check(self) -> None:
        brought: dict[str, ProgramStep] = {}
        for document, step in self._program.walk():
            arrival = self._arrival(document, step)
            if arrival is None:
                continue
            if arrival in brought and brought[arrival].do != step.do:
                self._fail(step.place, f'{brought[arrival].place} already loads "{arrival}" with another operation')
            brought[arrival] = step
        self._check_navigations()
        for spec in self._program.documents.values():
            if spec.later and spec.id not in brought:
                problem = 'it has start = "later", but no step loads it: addFrame, navigate, open or leave'
                self._fail(f"documents.{spec.id}", problem)
        for document, step in self._program.walk():
            self._check_departure(document, step)

    def _arrival(self, document: str, step: ProgramStep) -> str | None:
        """Check that a step can bring its document, and return that document; None for other steps."""
        documents = self._program.documents
        if step.do not in ARRIVAL_OPERATIONS:
            return None
        arrival: str = step.arguments["to" if step.do == "navigate" else "document"]
        spec = documents[arrival]
        if not spec.later:
            self._fail(step.place, f'"{arrival}" exists from the start; give it start = "later"')
        if step.do == "addFrame" and spec.parent != document:
            self._fail(step.place, f'the parent of "{arrival}" is not this document, "{document}"')
        if step.do == "open" and spec.opener != document:
            self._fail(step.place, f'the opener of "{arrival}" is not this document, "{document}"')
        if step.do == "leave" and spec.tab != document:
            self._fail(step.place, f'"{arrival}" is not shown in the tab of this document; give it tab = "{document}"')
        if step.do == "navigate":
            leaving = documents[step.arguments["document"]]
            if leaving.parent is None:
                self._fail(step.place, f'"{leaving.id}" is in no iframe')
            if spec.parent != leaving.parent:
                self._fail(
                    step.place, f'"{arrival}" takes over the iframe of "{leaving.id}", so both need the same parent'
                )
            if spec.allow is not None or spec.sandbox is not None:
                self._fail(
                    step.place,
                    f'"{arrival}" takes over the iframe of "{leaving.id}": give allow and sandbox to "{leaving.id}"',
                )
            self._check_same_loop(document, leaving.parent, step)
        return arrival

    def _check_navigations(self) -> None:
        came_from: dict[str, str] = {}
        for _, step in self._program.walk():
            if step.do == "navigate":
                to, leaving = step.arguments["to"], step.arguments["document"]
                if came_from.setdefault(to, leaving) != leaving:
                    self._fail(step.place, f'another step already navigates the iframe of "{came_from[to]}" to "{to}"')
                link = leaving
                while link in came_from:
                    link = came_from[link]
                    if link == leaving:
                        self._fail(step.place, f'this navigates to "{to}" in a circle')

    def _check_departure(self, document: str, step: ProgramStep) -> None:
        if step.do not in ("removeFrame", "close"):
            return
        spec = self._program.documents[step.arguments["document"]]
        if step.do == "close" and spec.opener is None:
            self._fail(step.place, f'"{spec.id}" is not a popup')
        if step.do == "removeFrame":
            if spec.parent is None:
                self._fail(step.place, f'"{spec.id}" is in no iframe')
            self._check_same_loop(document, spec.parent, step)

    def _check_same_loop(self, document: str, parent: str, step: ProgramStep) -> None:
        if self._program.log_of(document) != self._program.log_of(parent):
            self._fail(step.place, f'"{document}" cannot reach the iframe in "{parent}", which has another origin')


class _History(_Checks):
    """The documents that are shown while another one is in the back/forward cache, out of reach of all others."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._away = {spec.id for spec in program.documents.values() if spec.tab is not None}

    def check(self) -> None:
        program = self._program
        for spec in program.documents.values():
            place = f"documents.{spec.id}"
            if spec.parent in self._away:
                self._fail(
                    f"{place}.parent", f'"{spec.parent}" is shown only for a while, so it cannot contain a frame'
                )
            if spec.opener is not None and self._away:
                self._fail(
                    f"{place}.opener", "this program needs the back/forward cache, which keeps no page with popups"
                )
            if spec.tab is not None:
                self._check_away(spec.id, place)
        left: list[str] = []
        for document, step in program.walk():
            self._check_step(document, step)
            if step.do == "leave":
                left.append(step.arguments["document"])
                if left.count(left[-1]) > 1:
                    self._fail(step.place, f'"{left[-1]}" is already shown once; declare another document')

    def _check_away(self, document: str, place: str) -> None:
        program = self._program
        if program.documents[document].origin != program.documents["top"].origin:
            self._fail(f"{place}.origin", 'it needs the origin of "top", which keeps its entries')
        steps = program.steps(document)
        backs = [step for step in steps if step.do == "goBack"]
        if len(backs) != 1 or steps[-1].do != "goBack":
            self._fail(f"script.{document}", "the last step must be goBack, and no other step may be goBack")

    def _check_step(self, document: str, step: ProgramStep) -> None:
        is_away = document in self._away
        if step.do == "goBack" and not is_away:
            self._fail(step.place, 'only a document that has a "tab" can go back')
        if step.do == "pageTransition" and (document != "top" or not self._away):
            self._fail(step.place, 'only "top" has page transitions, and only if another document has a "tab"')
        named = [step.arguments["to"]] if step.do == "tell" else []
        named += [value[key] for value, _ in tables_of(step) for key in ("$window", "$modelContext") if key in value]
        named += [value["in"] for value, _ in tables_of(step) if "$tool" in value and "in" in value]
        for other in named:
            if other != document and (is_away or other in self._away):
                self._fail(step.place, f'"{document}" and "{other}" never exist at the same time')


class _Script(_Checks):
    """The references in one document's script."""

    def __init__(self, program: Program, document: str) -> None:
        super().__init__(program)
        self._document = document
        self._steps = [step for holder, step in program.walk() if holder == document]
        self._promises = [step.label for step in self._steps if step.do in program.dialect.promises]
        self._lists = [step.label for step in self._steps if step.do == "getTools"]
        self._handlers = [step.label for step in self._steps if step.do == "listen" and "element" in step.arguments]
        self._in_listeners = {
            inner.label for step in self._steps if step.label in self._handlers for inner in step.nested()
        }
        self._remembered = [
            value[key]
            for step in self._steps
            for value, _ in tables_of(step)
            for key in ("$let", "keeps")
            if isinstance(value.get(key), str)
        ]

    def _ids_of_elements(self, document: str) -> list[str]:
        """Return the IDs that elements of a document with markup can have."""
        arguments = [
            step.arguments
            for holder, step in self._program.walk()
            if step.do in ("insertAdjacentHTML", "setAttribute") and (step.on or holder) == document
        ]
        markups = [given["html"] for given in arguments if "html" in given]
        ids = [id_ for markup in (self._program.documents[document].html or "", *markups) for id_ in ids_of(markup)]
        ids += [given["value"] for given in arguments if given.get("name") == "id"]
        return list(dict.fromkeys(ids))

    def check(self) -> None:
        for step in self._steps:
            self._check_step(step)
            self._check_elements(step)
            for value, place in tables_of(step):
                if "$listed" in value:
                    self._known(value["from"], self._lists, f"{place}.from", "getTools step with the label")
                if "$modelContext" in value:
                    self._reachable(value["$modelContext"], f"{place}.$modelContext")
                if "$the" in value:
                    self._known_object(value["$the"], f"{place}.$the")

    def _reachable(self, document: str, place: str) -> None:
        if self._program.log_of(document) != self._program.log_of(self._document):
            self._fail(place, f'"{document}" has another origin, so it is out of reach')

    def _check_owner(self, step: ProgramStep) -> None:
        owner, place = step.on or "", f"{step.place}.on"
        documents, initial = self._program.documents, self._program.initial_documents
        if owner not in (*documents, *initial):
            self._fail(place, f'unknown document "{owner}"' + did_you_mean(owner, [*documents, *initial]))
        if owner in initial and (step.do in ELEMENT_OPERATIONS or "element" in step.arguments):
            self._fail(place, "steps cannot name elements of an initial about:blank document")
        self._reachable(initial.get(owner, owner), place)

    def _check_initial_document(self, step: ProgramStep) -> None:
        name, place = step.arguments["initial"], f"{step.place}.initial"
        program = self._program
        others = [other for _, other in program.walk() if other.arguments.get("initial") == name]
        if name in program.documents or len(others) > 1:
            self._fail(place, f'"{name}" is the name of another document already')
        if program.is_opaque(step.arguments["document"]):
            self._fail(place, "the iframe is sandboxed, so its initial about:blank document is out of reach")

    def _known(self, name: str, allowed: Iterable[str], place: str, what: str) -> None:
        if name not in (allowed := list(allowed)):
            self._fail(place, f'no {what} "{name}" in this document' + did_you_mean(name, allowed))

    def _known_object(self, name: str, place: str) -> None:
        self._known(name, [*self._remembered, *self._promises], place, "$let value or result named")

    def _check_elements(self, step: ProgramStep) -> None:
        for key in ("element", "child", "submitter"):
            if key in step.arguments:
                place, document = f"{step.place}.{key}", step.on or self._document
                if self._program.documents[document].html is None:
                    self._fail(place, f'the document has no elements; give documents.{document} the key "html"')
                if step.arguments[key] not in (ids := self._ids_of_elements(document)):
                    problem = f'no element with the id "{step.arguments[key]}" in the document "{document}"'
                    self._fail(place, problem + did_you_mean(step.arguments[key], ids))
        if step.do in ("preventDefault", "respondWith"):
            if "event" in step.arguments:
                place = f"{step.place}.event"
                self._known(step.arguments["event"], self._handlers, place, "listener of an element with the label")
            elif step.label not in self._in_listeners:
                problem = f'{step.do} must be in the steps of a listener of an element, or have the key "event"'
                self._fail(step.place, problem)

    def _check_step(self, step: ProgramStep) -> None:
        place, arguments = step.place, step.arguments
        if step.on is not None:
            self._check_owner(step)
        if step.do == "addFrame" and "initial" in arguments:
            self._check_initial_document(step)
        if step.do == "set":
            self._known_object(arguments["object"], f"{place}.object")
        if step.do in ("get", "call") and arguments.get("object", "modelContext") != "modelContext":
            self._known_object(arguments["object"], f"{place}.object")
            if step.on is not None:
                self._fail(f"{place}.on", 'this key is allowed only with the object "modelContext"')
        if step.do == "waitFor" and "result" in arguments:
            self._known(arguments["result"], self._promises, f"{place}.result", "result with the label")
        if step.do == "waitFor" and "message" in arguments:
            told = [
                other.arguments["message"]
                for _, other in self._program.walk()
                if other.do == "tell" and other.arguments["to"] == self._document
            ]
            if arguments["message"] not in told:
                problem = f'no step sends this document the message "{arguments["message"]}"'
                self._fail(f"{place}.message", problem + did_you_mean(arguments["message"], told))


def tables_of(step: ProgramStep) -> Iterator[tuple[Mapping[str, Value], str]]:
    """Yield every table in the step's arguments with its place, except those in nested steps."""
    for key, value in step.arguments.items():
        yield from _tables(value, f"{step.place}.{key}")


def _tables(value: Value, place: str) -> Iterator[tuple[Mapping[str, Value], str]]:
    if isinstance(value, Mapping):
        yield value, place
        for key, member in value.items():
            yield from _tables(member, f"{place}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _tables(item, f"{place}[{index}]")
