"""Values of a program as JavaScript expressions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from modelcontext.programs.program.notation import BEHAVIORS, DOM_EXCEPTIONS, NOTATIONS
from modelcontext_filing.plain.layout import Braces, Code, array, arrow, call, joined, object_literal
from modelcontext_filing.plain.shown import literal, reason, show_line, value_text
from modelcontext_filing.plain.view import PlainError

if TYPE_CHECKING:
    from modelcontext.programs.program.language import ProgramStep
    from modelcontext_filing.plain.scope import ScriptNames

_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*\Z", re.ASCII)
_MARKS: Final = frozenset({*NOTATIONS, "$callback"})
_LETTER: Final = re.compile(r"\{([A-Z]|insecure)\}")

Nested = Callable[[Sequence["ProgramStep"]], list[Code]]


class ValueWriter:
    """The writer of the values of one document; it writes nested steps with ``nested``."""

    def __init__(self, scope: ScriptNames, nested: Nested) -> None:
        self._scope = scope
        self._nested = nested

    def written(self, value: Any) -> Code:
        """Return the expression for a value.

        Raises:
            PlainError: if no page of one file can have such a value.
        """
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, bool) or value is None:
            return json.dumps(value)
        if isinstance(value, (int, float)):
            return json.dumps(value)
        if isinstance(value, (list, tuple)):
            return array([self.written(item) for item in value])
        mark = next((key for key in value if key in _MARKS), None)
        if mark is None:
            return object_literal([self._member(key, member) for key, member in value.items()])
        return self._special(mark, value[mark], value)

    def _string(self, value: str) -> Code:
        parts = _LETTER.split(value)
        if len(parts) == 1:
            return literal(value)
        expressions = [self._scope.origin(part) if index % 2 else part for index, part in enumerate(parts)]
        if len(parts) == 3 and not parts[0] and not parts[2]:
            return expressions[1]
        return "`" + "".join(f"${{{one}}}" if i % 2 else one for i, one in enumerate(expressions)) + "`"

    def _member(self, key: str, value: Any) -> Code:
        name = key if _IDENTIFIER.match(key) and key != "__proto__" else f"[{literal(key)}]"
        if isinstance(value, Mapping) and "$getter" in value:
            body: list[Code] = [show_line(f"{value['$getter']} read"), *self._ending(value)]
            return joined(f"get {name}() ", Braces(body))
        return joined(f"{name}: ", self.written(value))

    def _special(self, mark: str, subject: Any, value: Mapping[str, Any]) -> Code:
        scope = self._scope
        match mark:
            case "$js":
                return str(subject)
            case "$bigint":
                return f"{subject}n"
            case "$symbol":
                return call("Symbol", literal(subject))
            case "$string":
                units = b"".join(unit.to_bytes(2, "little") for unit in subject)
                return literal(units.decode("utf-16-le", "surrogatepass"))
            case "$repeat":
                return f"{literal(subject)}.repeat({value['times']})"
            case "$object":
                return object_literal([self._member(key, member) for key, member in subject])
            case "$function":
                given = (" with ", "${JSON.stringify(values)}") if scope.view.inputs else ()
                shows = show_line(f"{subject} called", *given)
                ending = list(self._ending(value))
                if not BEHAVIORS.keys() & value.keys():
                    ending.append(joined("return ", "Promise.resolve(true)"))
                parameters = "(...values)" if given or "keeps" in value else "()"
                return arrow(parameters, [shows, *self._keeping(value), *ending])
            case "$callback":
                return self._callback(str(subject), value)
            case "$toJSON":
                throws = isinstance(subject, Mapping) and "$throw" in subject
                statement = joined(
                    "throw " if throws else "return ", self.written(subject["$throw"] if throws else subject)
                )
                return object_literal([joined("toJSON: ", arrow("()", [statement]))])
            case "$cycle":
                return f"((object) => (object[{literal(subject)}] = object))({{}})"
            case "$error" if subject in DOM_EXCEPTIONS:
                return f'new DOMException("", {literal(subject)})'
            case "$error":
                return f"new {subject}()"
            case "$signal":
                return f"{scope.controller(subject)}.signal"
            case "$abortedSignal":
                return call("AbortSignal.abort", self.written(subject))
            case "$anySignal":
                return call("AbortSignal.any", array([f"{scope.controller(one)}.signal" for one in subject]))
            case "$promise":
                return f"{scope.pending(subject)}.promise"
            case "$thenable":
                return object_literal([joined("then: (resolve) => ", call("resolve", self.written(subject)))])
            case "$window":
                return scope.window(subject)
            case "$origin":
                return scope.origin_of(subject)
            case "$modelContext":
                return f"{scope.document(subject)}.modelContext"
            case "$tool":
                document = value.get("in", scope.me)
                window = scope.window(document)
                members: list[Code] = [f"name: {literal(subject)}", 'description: ""']
                origin = scope.origin_of(document)
                members.append("origin" if origin == "origin" else f"origin: {origin}")
                members.append("window" if window == "window" else f"window: {window}")
                return object_literal(members)
            case "$listed":
                return f"{scope.result(value['from'])}.find(({{ name }}) => name === {literal(subject)})"
            case "$let":
                return joined("(", f"{scope.let(subject)} = ", self.written(value["be"]), ")")
            case "$the":
                return scope.named(subject) + path_text(value.get("path", ()))
        raise PlainError(f"it has a value with {mark}, which cannot be written as plain code")

    def _callback(self, name: str, value: Mapping[str, Any]) -> Code:
        scope = self._scope
        aborted = scope.is_aborted(name)
        watches = value.get("watch", False)
        hidden = not scope.is_invoked(name)
        told = not hidden and scope.view.inputs
        parameters = "(input, { signal })" if watches or aborted else "(input)" if told else "()"
        statements: list[Code] = []
        if not hidden:
            ending = ('${signal.aborted ? ", aborted" : ""}',) if aborted else ()
            given = (" with ", value_text("input", scope.view)) if told else ()
            statements.append(show_line(f"{name} called", *given, *ending))
        if watches:
            why = reason("signal.reason", scope.view)
            shows = arrow("()", [show_line(f"the signal of {name} is aborted with ", why)])
            statements.append(call("signal.addEventListener", '"abort"', shows))
        if "keeps" in value:
            raise PlainError("it keeps the options of a callback, which cannot be written as plain code")
        statements += self._ending(value, by_default=True)
        is_async = not {"returns", "throws", "pending"} & set(value)
        return arrow(parameters, statements, is_async=is_async)

    def _keeping(self, value: Mapping[str, Any]) -> Iterator[Code]:
        if "keeps" in value:
            yield f"{self._scope.let(value['keeps'])} = values[1]"

    def _ending(self, value: Mapping[str, Any], *, by_default: bool = False) -> Iterator[Code]:
        """Yield the statements of a function: the nested steps, and how it ends."""
        yield from self._nested(value.get("steps", ()))
        if "returns" in value or "resolves" in value:
            result = value.get("returns", value.get("resolves"))
            if result != {"$js": "undefined"}:
                promised = "resolves" in value and not by_default
                text = self.written(result)
                yield joined("return ", call("Promise.resolve", text) if promised else text)
        elif "throws" in value or ("rejects" in value and by_default):
            yield joined("throw ", self.written(value.get("throws", value.get("rejects"))))
        elif "rejects" in value:
            yield joined("return ", call("Promise.reject", self.written(value["rejects"])))
        elif "pending" in value:
            yield joined("return ", f"{self._scope.pending(value['pending'])}.promise")
        elif by_default:
            yield joined("return ", "true")


def path_text(path: Sequence[Any]) -> str:
    """Return the way from an object to a member of it, or of a member, and so on."""
    return "".join(f".{key}" if _IDENTIFIER.match(str(key)) else f"[{json.dumps(key)}]" for key in path)
