"""The script of one document of a program, as a person writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from modelcontext.programs.program.notation import METHODS
from modelcontext_filing.plain.layout import Braces, Code, arrow, call, flat, joined
from modelcontext_filing.plain.scope import START, ScriptNames
from modelcontext_filing.plain.shown import (
    TEXT,
    label_of,
    literal,
    look,
    reason,
    report,
    settled,
    show_event,
    show_event_at,
    show_line,
    template,
)
from modelcontext_filing.plain.values import ValueWriter, path_text
from modelcontext_filing.plain.view import PlainError, View

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program, ProgramStep
    from modelcontext.programs.program.outcome import Outcome


#: The statement that waits until a frame has loaded, which nothing at the end of a script needs.
_LOADS: Final = re.compile(r"await new Promise\(\(go\) => \(.*\.onload = go\)\)")


class ScriptWriter:
    """The writer of the script of one document."""

    def __init__(self, program: Program, document: str, view: View, outcomes: Sequence[Outcome]) -> None:
        self._program = program
        self._scope = ScriptNames(program, document, view, outcomes)
        self._values = ValueWriter(self._scope, self._nested)
        self._view = view
        self._labels = {step.label: step for one, step in program.walk() if one == document}
        self._looks = self._only_report = False
        self._reports = 0
        self._handled: list[ProgramStep] = []

    def statements(
        self,
        *,
        waits_for_start: bool = False,
        hears_early: bool = False,
        frames: Callable[[str], Sequence[Code]],
        navigated: Callable[[str, str], Sequence[Code]],
    ) -> list[Code]:
        """Return the statements.

        Args:
            waits_for_start: whether the script begins when another document says so.
            hears_early: whether messages can come before the statements, while the frames of the markup load.
            frames: writes the statements that insert the frame of a document.
            navigated: writes those that lead a frame, an expression, to a document.

        Raises:
            PlainError: if a step has no plain form.
        """
        self._frames, self._navigated = frames, navigated
        scope = self._scope
        me = scope.me
        # The results that later steps use have a name, so the steps are written twice.
        for _ in range(2):
            self._only_report = self._reports == 1
            self._reports = 0
            scope.begin_again()
            body = [code for step in self._program.steps(me) for code in self._step(step)]
        begin: list[Code] = [f"await {scope.message(START)}"] if waits_for_start else []
        declared = list(scope.declarations)
        if self._reports and not (self._only_report and not scope.results):
            declared.insert(0, report(self._view, looks=self._looks, returns=bool(scope.results)))
        if self._view.realms and any("text(" in flat(code) for code in (*declared, *body)):
            declared.insert(0, TEXT)
        if body and isinstance(body[-1], str) and _LOADS.fullmatch(body[-1]):
            body.pop()
        return _without_a_name([*declared, *begin, *body], kept="window.onmessage" if hears_early else None)

    def _nested(self, steps: Sequence[ProgramStep]) -> list[Code]:
        return [code for step in steps for code in self._step(step, nested=True)]

    def _step(self, step: ProgramStep, *, nested: bool = False) -> Iterator[Code]:
        if step.do in METHODS or step.do == "call":
            yield self._method(step, nested)
            return
        operation: Callable[[ProgramStep], Iterator[Code]] | None = getattr(self, f"_do_{_snake_case(step.do)}", None)
        if operation is None:
            raise PlainError(f"it has the step {step.do}, which cannot be written as plain code")
        if self._scope.throws(step.label) and step.do not in _VALUES:
            yield joined("try ", Braces(list(operation(step))), " catch (error) ", Braces([self._threw(step)]))
        else:
            yield from operation(step)

    # Methods

    def _method(self, step: ProgramStep, nested: bool) -> Code:
        scope, label = self._scope, step.label
        called: Code = call(f"{scope.context(step.on or scope.me)}.{step.do}", *self._written(step.method_arguments))
        if step.do == "call":
            called = self._call(step)
        if step.do not in self._program.dialect.promises:
            return self._attempt(step, called)
        waits = step.wait and not nested
        begin = "await " if waits else ""
        if self._view.hides(scope.me, "promise", label) and label not in scope.results:
            return joined(begin, called)
        self._reports += 1
        looks = look(step.do, self._view)
        self._looks = self._looks or looks is not None
        if self._only_report and label not in scope.results:
            return joined(begin, call(joined(called, ".then"), *settled(self._view, literal(label)[1:-1], looks)))
        reported = call("report", literal(label), called, *([looks] if looks is not None else []))
        if label in scope.results:
            if nested:
                raise PlainError("it uses the result of a nested step, which cannot be written as plain code")
            return joined(f"const {scope.result(label)} = {begin}", reported)
        return joined(begin, reported)

    def _call(self, step: ProgramStep) -> Code:
        data = step.arguments
        name = data.get("object", "modelContext")
        start = self._scope.context(step.on or self._scope.me) if name == "modelContext" else self._scope.named(name)
        return call(start + path_text(data["path"]), *self._written(data.get("arguments", ())))

    def _written(self, values: Sequence[Any]) -> list[Code]:
        return [self._values.written(value) for value in values]

    def _attempt(self, step: ProgramStep, called: Code) -> Code:
        """Return the statement that shows a value, or what is thrown instead."""
        shows = joined("show(`", f"{label_of(step)}: ${{JSON.stringify(", called, ")}`)")
        return joined("try ", Braces([shows]), " catch (error) ", Braces([self._threw(step)]))

    def _value(self, step: ProgramStep, expression: Code) -> Code:
        """Return the statement that shows a value, which no outcome has as an exception."""
        if self._scope.throws(step.label):
            return self._attempt(step, expression)
        return joined("show(`", f"{label_of(step)}: ${{JSON.stringify(", expression, ")}`)")

    def _threw(self, step: ProgramStep) -> Code:
        return show_line(f"{label_of(step)}: threw ", reason("error", self._view))

    # Signals and promises

    def _do_abort(self, step: ProgramStep) -> Iterator[Code]:
        yield call(f"{self._scope.controller(step.arguments['controller'])}.abort", *self._optional(step, "reason"))

    def _do_resolve(self, step: ProgramStep) -> Iterator[Code]:
        yield call(f"{self._scope.pending(step.arguments['pending'])}.{step.do}", *self._optional(step, "value"))

    _do_reject = _do_resolve

    def _optional(self, step: ProgramStep, key: str) -> list[Code]:
        return [self._values.written(step.arguments[key])] if key in step.arguments else []

    # Events

    def _do_listen(self, step: ProgramStep) -> Iterator[Code]:
        data = step.arguments
        type_, nested = data["type"], data.get("steps", ())
        if "element" in data:
            target = self._scope.element(data["element"], step.on)
            shows = show_event_at(type_, data["element"], self._view)
        else:
            target = self._scope.context(step.on or self._scope.me)
            shows = show_event(type_, self._view)
        self._handled.append(step)
        statements = [shows, *self._nested(nested)]
        self._handled.pop()
        parameters = "(event)" if any("event" in flat(one) for one in statements) else "()"
        yield call(f"{target}.addEventListener", literal(type_), arrow(parameters, statements))

    def _do_handler(self, step: ProgramStep) -> Iterator[Code]:
        data = step.arguments
        target = f"{self._scope.context(step.on or self._scope.me)}.on{data['type']} = "
        if "value" in data:
            yield joined(target, self._values.written(data["value"]))
            return
        statements = [show_event(data["type"], self._view), *self._nested(data.get("steps", ()))]
        parameters = "(event)" if any("event" in flat(one) for one in statements) else "()"
        yield joined(target, arrow(parameters, statements))

    def _do_prevent_default(self, step: ProgramStep) -> Iterator[Code]:
        yield f"{self._event(step)}.preventDefault()"

    def _do_respond_with(self, step: ProgramStep) -> Iterator[Code]:
        yield call(f"{self._event(step)}.respondWith", *self._optional(step, "value"))

    def _event(self, step: ProgramStep) -> str:
        label = step.arguments.get("event")
        if not self._handled or (label is not None and label != self._handled[-1].label):
            raise PlainError("it uses the event of another listener, which cannot be written as plain code")
        return "event"

    # Values that are shown

    def _do_timer(self, step: ProgramStep) -> Iterator[Code]:
        yield call("setTimeout", self._later(step))

    def _do_microtask(self, step: ProgramStep) -> Iterator[Code]:
        yield call("queueMicrotask", self._later(step))

    def _later(self, step: ProgramStep) -> Code:
        shows = [] if self._view.hides(self._scope.me, step.do, step.label) else [show_line(step.label)]
        return arrow("()", [*shows, *self._nested(step.arguments.get("steps", ()))])

    def _do_log(self, step: ProgramStep) -> Iterator[Code]:
        value = step.arguments["value"]
        written = self._values.written(value)
        yield joined("show(", written, ")") if isinstance(value, str) else joined("show(JSON.stringify(", written, "))")

    def _do_set(self, step: ProgramStep) -> Iterator[Code]:
        data = step.arguments
        member = self._scope.named(data["object"]) + path_text(data["path"])
        yield joined(f"{member} = ", self._values.written(data["value"]))

    def _do_same(self, step: ProgramStep) -> Iterator[Code]:
        yield self._value(step, call("Object.is", *self._written(step.arguments["values"])))

    def _do_get(self, step: ProgramStep) -> Iterator[Code]:
        data, scope = step.arguments, self._scope
        if "element" in data:
            start = scope.element(data["element"], step.on)
        elif data.get("object", "modelContext") == "modelContext":
            start = scope.context(step.on or scope.me)
        else:
            start = scope.named(data["object"])
        yield self._value(step, start + path_text(data["path"]))

    def _do_matches(self, step: ProgramStep) -> Iterator[Code]:
        element = self._scope.element(step.arguments["element"], step.on)
        yield self._value(step, call(f"{element}.matches", literal(step.arguments["selector"])))

    def _do_construct(self, step: ProgramStep) -> Iterator[Code]:
        made = call(f"new {step.arguments['interface']}", *self._written(step.arguments.get("arguments", ())))
        yield self._attempt(step, joined("(({ type, toolName }) => ({ type, toolName }))(", made, ")"))

    def _do_dispatch(self, step: ProgramStep) -> Iterator[Code]:
        made = call(f"new {step.arguments['interface']}", *self._written(step.arguments.get("arguments", ())))
        yield self._attempt(step, call(f"{self._scope.context(step.on or self._scope.me)}.dispatchEvent", made))

    # Documents and messages

    def _do_tell(self, step: ProgramStep) -> Iterator[Code]:
        window = self._scope.window(step.arguments["to"])
        target = "" if window == "window" else f"{window}."
        yield call(f"{target}postMessage", literal(step.arguments["message"]), '"*"')

    def _do_wait_for(self, step: ProgramStep) -> Iterator[Code]:
        data = step.arguments
        waited = self._scope.message(data["message"]) if "message" in data else self._scope.result(data["result"])
        yield f"await {waited}"

    def _do_add_frame(self, step: ProgramStep) -> Iterator[Code]:
        data = step.arguments
        if "initial" in data:
            context = self._scope.context(data["initial"])
            early = f"const {context} = {data['document']}Frame.contentDocument.modelContext"
            yield from self._frames(data["document"])[:-1]
            yield early
            yield from self._nested(data.get("steps", ()))
            yield self._frames(data["document"])[-1]
            return
        *first, loads = self._frames(data["document"])
        yield from first
        yield from self._nested(data.get("steps", ()))
        yield loads

    def _do_close(self, step: ProgramStep) -> Iterator[Code]:
        yield f"{self._scope.window(step.arguments['document'])}.close()"

    def _do_leave(self, step: ProgramStep) -> Iterator[Code]:
        yield f'location.href = "{step.arguments["document"]}.html"'
        # The script goes on when the page is back.
        yield 'await new Promise((go) => addEventListener("pageshow", go, { once: true }))'

    def _do_go_back(self, step: ProgramStep) -> Iterator[Code]:
        yield "history.back()"

    def _do_page_transition(self, step: ProgramStep) -> Iterator[Code]:
        type_ = literal(step.arguments["type"])
        yield call("addEventListener", type_, arrow("()", [joined("show(", type_, ")")]))

    def _do_remove_frame(self, step: ProgramStep) -> Iterator[Code]:
        yield f"{self._frame(step.arguments['document'])}.remove()"

    def _do_navigate(self, step: ProgramStep) -> Iterator[Code]:
        yield from self._navigated(step.arguments["to"], self._frame(step.arguments["document"]))

    def _frame(self, id_: str) -> str:
        """Return the expression for the iframe of a document."""
        holder = self._program.holders[id_]
        parent = self._program.documents[holder].parent
        assert parent is not None
        return f'{self._scope.document(parent)}.querySelector("[name={holder}]")'

    # Elements

    def _do_set_attribute(self, step: ProgramStep) -> Iterator[Code]:
        data = step.arguments
        yield call(f"{self._element(step)}.setAttribute", literal(data["name"]), literal(data["value"]))

    def _do_remove_attribute(self, step: ProgramStep) -> Iterator[Code]:
        yield call(f"{self._element(step)}.removeAttribute", literal(step.arguments["name"]))

    def _do_insert_adjacent_html(self, step: ProgramStep) -> Iterator[Code]:
        position = step.arguments.get("position", "beforeend")
        markup = template(step.arguments["html"].strip())
        yield call(f"{self._element(step)}.insertAdjacentHTML", literal(position), markup)

    def _do_append(self, step: ProgramStep) -> Iterator[Code]:
        yield call(f"{self._element(step)}.append", self._scope.element(step.arguments["child"], step.on))

    def _do_fill(self, step: ProgramStep) -> Iterator[Code]:
        data, element = step.arguments, self._element(step)
        if "selected" in data:
            yield f"for (const one of {element}.options) one.selected = {json.dumps(data['selected'])}.includes(one.value)"
        else:
            key = "value" if "value" in data else "checked"
            yield f"{element}.{key} = {json.dumps(data[key])}"
        for type_ in ("input", "change"):
            yield f'{element}.dispatchEvent(new Event("{type_}", {{ bubbles: true }}))'

    def _do_click(self, step: ProgramStep) -> Iterator[Code]:
        yield f"{self._element(step)}.{step.do}()"

    _do_remove = _do_reset = _do_submit = _do_click

    def _do_request_submit(self, step: ProgramStep) -> Iterator[Code]:
        given = step.arguments.get("submitter")
        yield call(f"{self._element(step)}.requestSubmit", *([self._scope.element(given, step.on)] if given else []))

    def _element(self, step: ProgramStep) -> str:
        return self._scope.element(step.arguments["element"], step.on)


def _without_a_name(statements: list[Code], kept: str | None) -> list[Code]:
    """Return the statements; a promise that only the next statement awaits has no name, unless ``kept`` is in it."""
    for number, (declared, awaits) in enumerate(pairwise(statements)):
        match = re.fullmatch(r"const (\w+) = (.*)", declared) if isinstance(declared, str) else None
        if match is not None and awaits == f"await {match[1]}" and (kept is None or kept not in match[2]):
            return [*statements[:number], f"await {match[2]}", *statements[number + 2 :]]
    return statements


def _snake_case(operation: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z]+)", lambda match: f"_{match[1].lower()}", operation)


#: The steps that show a value, or what they throw.
_VALUES: Final = frozenset({"get", "same", "matches", "construct", "dispatch"})
