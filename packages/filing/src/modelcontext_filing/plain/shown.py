"""The lines for what happens: as JavaScript that shows them, and in Python for the entries of an outcome.

The first functions return JavaScript; :func:`line_of` returns the same line for an entry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from modelcontext_filing.plain.layout import Code, arrow, call, flat, joined
from modelcontext_filing.plain.parts import expression, part_of
from modelcontext_filing.plain.view import PlainError, View

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program, ProgramStep
    from modelcontext.programs.program.outcome import Entry, Outcome

#: The origins of the documents, if a server that listens to localhost serves the page.
ORIGINS: Final = {
    "A": "http://localhost:8000",
    "B": "http://127.0.0.1:8000",
    "C": "http://c.localhost:8000",
    "insecure": "http://insecure.example",
}
#: The events whose lines name the tool.
_OF_TOOLS: Final = ("toolactivated", "toolcancel")
#: Lone surrogates, and white space that no reader sees or distinguishes from a space.
_UNSEEN: Final = re.compile("[\ud800-\udfff\u0085\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u3000\ufeff]")


# JavaScript


def template(*parts: str) -> str:
    """Return a template literal; a part in ``${...}`` is an expression, and every other part stands for itself."""
    text = "".join(part if part.startswith("${") else _escaped(part) for part in parts)
    return f"`{text}`" if "${" in text else literal("".join(parts))


def _escaped(part: str) -> str:
    return part.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")


def literal(text: str) -> str:
    """Return a string literal; it never ends a script element."""
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)).replace(
        "</", "<\\/"
    )


def show_line(*parts: str) -> Code:
    """Return the statement that shows a line; the parts are those of a :func:`template`."""
    return joined("show(", template(*parts), ")")


def value_text(expression: str, view: View) -> str:
    """Return the expression for the text of a value."""
    return f"${{text({expression})}}" if view.realms else f"${{JSON.stringify({expression})}}"


#: The function that says whether a value is of another realm.
TEXT: Final = (
    'const text = (value) => JSON.stringify(value) + (Object(value) instanceof Object ? "" : " of another realm")'
)


def show_event(type_: str, view: View) -> Code:
    """Return the function that shows an event at a ModelContext, as its parameter and first statement."""
    tool = (" for ", "${event.toolName}") if type_ in _OF_TOOLS else ()
    trusted = (", trusted: ", "${event.isTrusted}") if view.events > 1 else ()
    flags = (" (", "${event.constructor.name}", *trusted, ")") if view.events else ()
    return show_line(type_, *tool, *flags)


def show_event_at(type_: str, id_: str, view: View) -> Code:
    """Return the statement that shows an event at an element."""
    agent = (", agentInvoked: ", "${event.agentInvoked}") if view.agents and type_ == "submit" else ()
    return show_line(f"{type_} at {id_}", *agent)


def look(do: str, view: View) -> Code | None:
    """Return the function that takes the shown part of the result of a method; None if that is all of it."""
    if do != "getTools":
        return None
    if view.parts:
        named = ", ".join(dict.fromkeys(str(path[0]) for path in view.parts))
        parts = ", ".join(map(expression, view.parts))
        return f"(tools) => tools.map(({{ {named} }}) => {parts if len(view.parts) == 1 else f'[{parts}]'})"
    match view.members:
        case ("name",):
            return "(tools) => tools.map(({ name }) => name)"
        case tuple(members):
            listed = ", ".join(members)
            return f"(tools) => tools.map(({{ {listed} }}) => ({{ {listed} }}))"
        case "most":
            return "(tools) => tools.map(({ window, origin, ...tool }) => tool)"
        case "all":
            return "(tools) => tools.map(({ window, ...tool }) => tool)"
        case "keys":
            return "(tools) => tools.map((tool) => Object.keys(tool))"


def settled(view: View, label: str, looks: Code | None, *, returns: bool = False) -> tuple[Code, Code]:
    """Return the two functions that show how a promise settles; ``looks`` takes the shown part of its value."""
    value = "value"
    if looks is not None:
        function = flat(looks)
        value = "look(value)" if function == "look" else function.replace("(tools) => tools", "value")
    shows = show_line(label, ": fulfilled with ", value_text(value, view))
    fulfilled = arrow("(value)", [shows, "return value"] if returns else [shows])
    return fulfilled, arrow("(error)", [show_line(label, ": rejected with ", reason("error", view))])


def report(view: View, *, looks: bool, returns: bool) -> Code:
    """Return the declaration of the function that shows how a promise settles."""
    fulfilled, rejected = settled(view, "${label}", "look" if looks else None, returns=returns)
    parameters = "(label, promise, look = (value) => value)" if looks else "(label, promise)"
    return joined(f"const report = {parameters} => ", call("promise.then", fulfilled, rejected))


def reason(expression: str, view: View) -> str:
    """Return the expression for the text of a reason: the name of an error, or another value."""
    return f"${{{expression}?.name ?? JSON.stringify({expression})}}" if view.reasons else f"${{{expression}.name}}"


# Entries


def lines_of(program: Program, outcome: Outcome, view: View) -> dict[str, list[str]]:
    """Return the lines of an outcome, by log."""
    steps = {(document, step.label): step for document, step in program.walk()}
    found: dict[str, list[str]] = {}
    for name, log in outcome.logs.items():
        found[name] = []
        for entry in log:
            step = steps.get((entry["in"], str(entry.get("promise", entry.get("step")))))
            named = {**entry, "step": label_of(step)} if step is not None and "step" in entry else entry
            line = line_of(named, view, step.do if step is not None else "")
            found[name] += [line] if line is not None else []
    return found


def label_of(step: ProgramStep) -> str:
    """Return the label of a step in its line: what it reads, if the program gives no label to a step that reads."""
    if step.do != "get" or not re.fullmatch(r"get( \d+)?", step.label):
        return step.label
    data = step.arguments
    start = data.get("element", data.get("object", "modelContext"))
    return "".join([str(start), *(f".{key}" for key in data["path"])])


def line_of(entry: Entry, view: View, do: str = "") -> str | None:
    """Return the line for an entry, or None if the view hides it; ``do`` is the method whose promise it is about."""
    document = str(entry["in"])
    kind = next(key for key in entry if key != "in")
    if view.hides(document, kind, str(entry[kind])):
        return None
    line = _line(entry, view, do)
    return line if document == "top" else f"{document}: {line}"


def _line(entry: Entry, view: View, do: str) -> str:
    match entry:
        case {"promise": label, "fulfilled": value}:
            return f"{label}: fulfilled with {_text(_looked_at(value, do, view), view)}"
        case {"promise": label, "rejected": value}:
            return f"{label}: rejected with {_reason(value)}"
        case {"step": label, "threw": value}:
            return f"{label}: threw {_reason(value)}"
        case {"step": label, "value": value}:
            return f"{label}: {_json(_looked_at(value, do, view))}"
        case {"event": type_, "at": at}:
            agent = f", agentInvoked: {json.dumps(entry.get('agentInvoked'))}" if view.agents else ""
            return f"{type_} at {at}{agent if type_ == 'submit' else ''}"
        case {"event": type_, "interface": interface}:
            tool = f" for {entry.get('toolName', 'undefined')}" if type_ in _OF_TOOLS else ""
            trusted = f", trusted: {json.dumps('trusted' in entry['flags'])}" if view.events > 1 else ""
            return f"{type_}{tool}{f' ({interface}{trusted})' if view.events else ''}"
        case {"callback": name, "input": value, "aborted": aborted}:
            given = f" with {_text(value, view)}" if view.inputs else ""
            return f"{name} called{given}{', aborted' if aborted else ''}"
        case {"abort": name, "reason": value}:
            return f"the signal of {name} is aborted with {_reason(value)}"
        case {"function": name, "arguments": values}:
            return f"{name} called{f' with {_json(values)}' if view.inputs else ''}"
        case {"get": name}:
            return f"{name} read"
        case {"timer": label} | {"microtask": label}:
            return str(label)
        case {"log": str(value)}:
            return _with_origins(value)
        case {"log": value}:
            return _text(value, view)
        case {"pageTransition": type_}:
            return str(type_)
    raise AssertionError(entry)


def _looked_at(value: Any, do: str, view: View) -> Any:
    if do == "construct" and isinstance(value, Mapping):
        return {key: value[key] for key in ("type", "toolName") if key in value}
    if do == "getTools" and isinstance(value, Mapping) and "$array" in value:
        # A list of another realm.
        return {**value, "$array": _looked_at(value["$array"], do, view)}
    if do != "getTools" or not isinstance(value, list):
        return value
    value = [dict(tool["$object"]) if "$object" in tool else tool for tool in value]
    if view.parts:
        found = [[part_of(tool, path) for path in view.parts] for tool in value]
        return [one if len(view.parts) > 1 else one[0] for one in found]
    if view.members == ("name",):
        return [tool.get("name") for tool in value]
    if isinstance(view.members, tuple):
        return [{key: tool[key] for key in view.members if key in tool} for tool in value]
    if view.members == "keys":
        return [list(tool) for tool in value]
    hidden = ("window",) if view.members == "all" else ("window", "origin")
    return [{key: member for key, member in tool.items() if key not in hidden} for tool in value]


def _reason(value: Any) -> str:
    if isinstance(value, Mapping) and "$error" in value:
        return str(value["$error"])
    return _json(value)


def _text(value: Any, view: View) -> str:
    is_foreign = view.realms and isinstance(value, Mapping) and "$realm" in value
    return _json(value) + (" of another realm" if is_foreign else "")


def _json(value: Any) -> str:
    """Return what JSON.stringify does for the value of an entry; undefined if it returns no string."""
    if isinstance(value, Mapping):
        special = next((key for key in value if key.startswith("$") and key != "$realm"), None)
        if special is None:
            return _members([(key, member) for key, member in value.items() if key != "$realm"])
        subject = value[special]
        match special:
            case "$js":
                return {"undefined": "undefined", "-0": "0"}.get(subject, "null")
            case "$symbol" | "$function":
                return "undefined"
            case "$error" | "$signal" | "$platform":
                return "{}"
            case "$window":
                return "a Window"
            case "$string":
                units = b"".join(unit.to_bytes(2, "little") for unit in subject)
                return literal(units.decode("utf-16-le", "surrogatepass"))
            case "$object":
                return _members(subject)
            case "$array":
                return _json(subject)
        raise PlainError(f"JSON.stringify cannot write a value with {special}")
    if isinstance(value, (list, tuple)):
        return "[" + ",".join("null" if (text := _json(item)) == "undefined" else text for item in value) + "]"
    if isinstance(value, str):
        return json.dumps(_with_origins(value), ensure_ascii=False)
    return json.dumps(value)


def _with_origins(value: str) -> str:
    for letter, origin in ORIGINS.items():
        value = value.replace(f"{{{letter}}}", origin)
    return value


def _members(members: Sequence[tuple[Any, Any]]) -> str:
    return "{" + ",".join(_member(members)) + "}"


def _member(members: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    for key, value in members:
        if (text := _json(value)) != "undefined":
            yield f"{_json(key)}:{text}"
