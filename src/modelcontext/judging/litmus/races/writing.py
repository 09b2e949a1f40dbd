"""The program of a race: what has to be there, the moment at which all documents are ready, and the actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from modelcontext.judging.litmus.races.actions import FRAME, NAMES, TOP, Deed, RacingAction, When
from modelcontext.judging.litmus.races.enumeration import Race, Setting
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

Step = dict[str, Any]

#: The document that comes when the frame navigates.
_NEXT: Final = "next"
_ANSWER: Final = "done"


def program_of(race: Race) -> Program:
    """Return the program of a race."""
    return from_data(_Writing(race).data())


class _Writing:
    """The writing of one program."""

    def __init__(self, race: Race) -> None:
        self._race = race
        self._documents = race.scene.documents
        self._labels: dict[str, set[str]] = {document: set() for document in (*self._documents, _NEXT)}
        self._setup: dict[str, list[Step]] = {document: [] for document in self._documents}

    def data(self) -> Mapping[str, Any]:
        race = self._race
        documents: dict[str, Step] = {document: {} for document in self._documents}
        if FRAME in documents:
            documents[FRAME] = {"parent": TOP}
            if race.scene is Setting.OTHER:
                documents[FRAME] |= {"origin": "B", "allow": "tools"}
        for document in self._documents:
            if (html := self._markup(document)) is not None:
                documents[document]["html"] = html
            self._set_up(document)
        scripts = {document: self._setup[document] for document in self._documents}
        self._begin(scripts)
        for document in self._documents:
            scripts[document] = [*scripts[document], *self._actions(document)]
        if any(one.kind is Deed.NAVIGATE for one in race.actions):
            documents[_NEXT] = {
                "parent": TOP,
                "start": "later",
                **({"origin": "B"} if race.scene is Setting.OTHER else {}),
            }
            scripts[_NEXT] = [{**self._register(_NEXT, NAMES[0], 3), "wait": False}]
        return {
            "title": str(race),
            "documents": documents,
            "script": {document: steps for document, steps in scripts.items() if steps},
        }

    def _markup(self, document: str) -> str | None:
        forms = "".join(
            _form(name, waits=self._waits(document, name))
            for name in NAMES
            if self._race.holds(document, name) is Deed.INSERT
        )
        if forms or any(one.kind is Deed.INSERT and one.by == document for one in self._race.actions):
            return f'<div id="p"></div>{forms}'
        return None

    def _waits(self, document: str, name: str) -> bool:
        """Return whether a form waits until it is submitted, and so is not submitted by its call."""
        return any(
            one.kind in (Deed.SUBMIT, Deed.ABORT) and (one.owner, one.name) == (document, name)
            for one in self._race.actions
        )

    def _set_up(self, document: str) -> None:
        steps, race = self._setup[document], self._race
        for name in NAMES:
            kind = race.holds(document, name)
            if kind is Deed.REGISTER:
                steps.append({**self._register(document, name, True, set_up=True), "as": f"tool {name}"})
            elif kind is Deed.INSERT:
                answer = [{"do": "preventDefault"}, {"do": "respondWith", "value": _ANSWER}]
                steps.append(
                    {"do": "listen", "element": f"f-{name}", "type": "submit", "as": f"submit {name}", "steps": answer}
                )

    def _begin(self, scripts: dict[str, list[Step]]) -> None:
        """Append what makes the documents ready for the race, each after the others."""
        told: dict[str, list[str]] = {document: [] for document in self._documents}
        for document in self._documents:
            if scripts[document]:
                for other in self._documents:
                    if other != document:
                        scripts[document].append({"do": "tell", "to": other, "message": f"{document} is ready"})
                        told[other].append(f"{document} is ready")
        for document, messages in told.items():
            scripts[document] += [{"do": "waitFor", "message": message} for message in messages]
        if self._race.running is None:
            return
        caller, owner = self._race.running
        is_form = self._race.holds(owner, NAMES[0]) is Deed.INSERT
        wait: Step = {"do": "waitFor", "entries": 1}
        if is_form:
            scripts[owner].append({"do": "listen", "type": "toolactivated"})
        call: Step = {
            "do": "executeTool",
            "as": "running",
            "tool": _handle(caller, owner, NAMES[0]),
            "input": {},
            "options": {"signal": {"$signal": "running"}},
            "wait": False,
        }
        if caller == owner:
            scripts[owner] += [call, wait]
        else:
            scripts[owner] += [wait, {"do": "tell", "to": caller, "message": "running"}]
            scripts[caller] += [call, {"do": "waitFor", "message": "running"}]

    def _actions(self, document: str) -> list[Step]:
        mine = {when: [one for one in self._race.actions if (one.by, one.when) == (document, when)] for when in When}
        steps: list[Step] = []
        if mine[When.EVENT]:
            inner = [step for one in mine[When.EVENT] for step in self._steps(one, nested=True)]
            steps.append({"do": "listen", "type": "toolchange", "as": "reaction", "steps": inner})
        steps += [
            {"do": "timer", "as": self._label(document, "timer"), "steps": self._steps(one, nested=True)}
            for one in mine[When.TIMER]
        ]
        return [*steps, *(step for one in mine[When.SCRIPT] for step in self._steps(one))]

    def _register(self, document: str, name: str, result: Any, *, set_up: bool = False) -> Step:
        callback: Step = {"resolves": result}
        race = self._race
        if set_up and race.running is not None and (race.running[1], NAMES[0]) == (document, name):
            callback = {"pending": "p", "each": True}
        if set_up and name == self._called(document):
            nested = [one for one in race.actions if (one.by, one.when) == (document, When.CALLBACK)]
            inner = [step for one in nested for step in self._steps(one, nested=True)]
            if inner:
                callback["steps"] = inner
        step: Step = {
            "do": "registerTool",
            "tool": {"name": name, "description": "d" if set_up else "new"},
            "callback": callback,
        }
        options: Step = {}
        if race.scene is Setting.OTHER:
            options["exposedTo"] = ["{A}" if document != TOP else "{B}"]
        if set_up:
            options["signal"] = {"$signal": name}
        if options:
            step["options"] = options
        return step

    def _called(self, document: str) -> str | None:
        """Return the name of the tool that has the actions in its callback."""
        return next((one.name for one in self._race.actions if one.kind is Deed.CALL and one.of == document), None)

    def _label(self, document: str, words: str) -> str:
        taken = self._labels[document]
        label = next(one for one in (words, *(f"{words} {index}" for index in range(2, 9))) if one not in taken)
        taken.add(label)
        return label

    def _steps(self, action: RacingAction, *, nested: bool = False) -> list[Step]:
        """Return the steps of an action, which run in one turn."""
        if action.kind is Deed.REPLACE:
            steps = [self._step(replace(action, kind=kind)) for kind in (Deed.UNREGISTER, Deed.REGISTER)]
        else:
            steps = [self._step(action)]
        return [{key: value for key, value in one.items() if key != "wait"} for one in steps] if nested else steps

    def _step(self, action: RacingAction) -> Step:
        name, document = action.name, action.by
        match action.kind:
            case Deed.REGISTER:
                label = self._label(document, f"register {name}")
                return {**self._register(document, name, 1), "as": label, "wait": False}
            case Deed.UNREGISTER:
                return {"do": "abort", "controller": name}
            case Deed.LIST:
                everywhere = {"options": {"fromOrigins": ["{A}", "{B}"]}} if self._race.scene is Setting.OTHER else {}
                return {"do": "getTools", "as": self._label(document, "list"), **everywhere, "wait": False}
            case Deed.HEAR:
                return {"do": "listen", "type": "toolchange", "as": self._label(document, "hear")}
            case Deed.CALL | Deed.FILL:
                aborted = {"input": {}, "options": {"signal": {"$signal": "call"}}} if self._cancels(document) else {}
                label = self._label(document, f"call {name}")
                tool = _handle(document, action.of, name)
                return {"do": "executeTool", "as": label, "tool": tool, **aborted, "wait": False}
            case Deed.ABORT:
                return {"do": "abort", "controller": "running"}
            case Deed.SETTLE:
                return {"do": "resolve", "pending": "p", "value": _ANSWER}
            case Deed.CANCEL:
                return {"do": "abort", "controller": "call"}
            case Deed.REMOVE:
                return {"do": "removeFrame", "document": FRAME}
            case Deed.NAVIGATE:
                return {"do": "navigate", "document": FRAME, "to": _NEXT, "wait": False}
            case Deed.INSERT:
                return {"do": "insertAdjacentHTML", "element": "p", "html": _form(name, waits=False, mark="new-")}
            case Deed.WITHDRAW:
                return {"do": "remove", "element": f"f-{name}"}
            case Deed.RENAME:
                return {"do": "setAttribute", "element": f"f-{name}", "name": "toolname", "value": NAMES[1]}
            case Deed.DESCRIBE:
                return {"do": "setAttribute", "element": f"f-{name}", "name": "tooldescription", "value": "new"}
            case Deed.SUBMIT:
                return {"do": "requestSubmit", "element": f"f-{name}"}
        raise AssertionError(action)

    def _cancels(self, document: str) -> bool:
        return any(one.kind is Deed.CANCEL and one.by == document for one in self._race.actions)


def _handle(document: str, owner: str, name: str) -> Step:
    return {"$tool": name} if owner == document else {"$tool": name, "in": owner}


def _form(name: str, *, waits: bool, mark: str = "") -> str:
    how = "" if waits else " toolautosubmit"
    button = f'<button id="{mark}b-{name}">Send</button>'
    return f'<form id="{mark}f-{name}" toolname="{name}" tooldescription="d"{how}>{button}</form>'
