"""Fragments about the surroundings of operations: events of scripts, microtasks, popups, and the identity of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from modelcontext_fuzz.generators.scene import EVENTS, Data, Draw, Scene, chance, place
from modelcontext_fuzz.generators.tool_values import getters, texts, values, weighted

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Value

INTERFACES = ("ToolActivatedEvent", "ToolCancelEvent")
INIT_MEMBERS = ("toolName", "bubbles", "cancelable", "composed", "extra")
#: The members of a listed tool that a script can change or compare.
LISTED_MEMBERS = ("inputSchema", "annotations", "window", "name", "title")

_SCHEMA: Data = {"type": "object"}


def constructions(draw: Draw, scene: Scene, document: str) -> None:
    """Construct an event with any arguments, or construct and dispatch it to a listener."""
    name: Value = draw(weighted((4, st.sampled_from(EVENTS)), (1, texts())))
    init = st.dictionaries(st.sampled_from(INIT_MEMBERS), weighted((3, texts()), (1, getters(texts()))), max_size=3)
    arguments = [name, draw(weighted((4, init), (1, values())))]
    del arguments[draw(st.sampled_from((2, 2, 2, 1, 0))) :]
    step: Data = {"interface": draw(st.sampled_from(INTERFACES)), "arguments": arguments}
    if chance(draw, 2):
        scene.add(document, {"do": "construct", "as": scene.label(document, "construct"), **step})
        return
    where = place(draw, scene, document)
    if name in EVENTS:
        listening: Data = {"do": draw(st.sampled_from(("listen", "handler"))), "type": name, "steps": []}
        scene.add(document, {**listening, **where})
    scene.add(document, {"do": "dispatch", "as": scene.label(document, "dispatch"), **step, **where})


def handlers(draw: Draw, scene: Scene, document: str) -> None:
    """Set an event handler attribute to any value, and read it."""
    where = place(draw, scene, document)
    event = draw(st.sampled_from(EVENTS))
    scene.add(document, {"do": "handler", "type": event, **where, "value": draw(values())})
    scene.add(document, {"do": "get", "as": scene.label(document, "get"), **where, "path": [f"on{event}"]})


def microtasks(draw: Draw, scene: Scene, document: str) -> None:
    """Run a step in a microtask, before or after reactions of promises."""
    inner: Data = {"do": "log", "value": "in the microtask"}
    if scene.calls_tools:
        listing = {"do": "getTools", "as": scene.label(document, "list")}
        others = ({"do": "abort", "controller": "c"}, listing, {"do": "resolve", "pending": "p"})
        inner = draw(st.sampled_from((inner, *others)))
    nested: Data = {"do": "microtask", "as": scene.label(document, "microtask"), "steps": [inner]}
    if chance(draw, 3):
        nested = {"do": "microtask", "as": scene.label(document, "microtask"), "steps": [nested]}
    scene.add(document, nested)


def identities(draw: Draw, scene: Scene, document: str) -> None:
    """Compare objects: ModelContext objects, members of two lists, reasons."""
    here: Value = {"$modelContext": document}
    kinds = ("object", "attribute", "lists", "reason") if scene.calls_tools else ("object", "attribute")
    kind = draw(st.sampled_from(kinds))
    label = scene.label(document, "same")
    if kind == "object":
        other = draw(st.sampled_from(scene.reachable(document)))
        scene.add(document, {"do": "same", "as": label, "values": [here, {"$modelContext": other}]})
    elif kind == "attribute":
        paths: list[list[str]] = [[], ["ontoolchange"]] if scene.calls_tools else [[]]
        step: Data = {"do": "get", "as": scene.label(document, "get"), "path": draw(st.sampled_from(paths))}
        scene.add(document, {**step, **place(draw, scene, document)})
    elif kind == "lists":
        first, second = scene.label(document, "list"), scene.label(document, "list")
        scene.add(document, {"do": "getTools", "as": first})
        scene.add(document, {"do": "getTools", "as": second})
        path: list[str | int] = draw(st.sampled_from(([], [0], *([0, member] for member in LISTED_MEMBERS))))
        both = [{"$the": first, "path": path}, {"$the": second, "path": path}]
        scene.add(document, {"do": "same", "as": label, "values": both})
    else:
        register = scene.label(document, "register")
        reason = {"$let": "reason", "be": draw(st.sampled_from(({"$error": "TypeError"}, {}, [])))}
        tool: Data = {"name": "t", "description": "d"}
        options = {"signal": {"$abortedSignal": reason}}
        scene.add(document, {"do": "registerTool", "as": register, "tool": tool, "options": options})
        scene.add(document, {"do": "same", "as": label, "values": [{"$the": register}, {"$the": "reason"}]})


def changes(draw: Draw, scene: Scene, document: str) -> None:
    """Change an object that was passed to, or returned by, an operation."""
    if scene.calls_tools and chance(draw, 2):
        listed = scene.label(document, "list")
        scene.add(document, {"do": "getTools", "as": listed})
        path = [0, draw(st.sampled_from(LISTED_MEMBERS))]
        scene.add(document, {"do": "set", "object": listed, "path": path, "value": draw(values())})
        if chance(draw, 2):
            scene.call(document, {"$the": listed, "path": [0]})
        else:
            scene.add(document, {"do": "getTools", "as": scene.label(document, "list")})
        return
    name = scene.label(document, "schema")
    tool: Data = {"name": "t", "description": "d", "inputSchema": {"$let": name, "be": _SCHEMA}}
    scene.add(document, {"do": "registerTool", "as": scene.label(document, "register t"), "tool": tool})
    scene.tools.append(("t", document))
    scene.add(document, {"do": "set", "object": name, "path": ["type"], "value": draw(values())})
    if scene.calls_tools:
        scene.add(document, {"do": "getTools", "as": scene.label(document, "list")})
    else:
        again: Data = {"name": "u", "description": "d", "inputSchema": {"$the": name}}
        scene.add(document, {"do": "registerTool", "as": scene.label(document, "register u"), "tool": again})


def openings(draw: Draw, scene: Scene, document: str) -> None:
    """Open a popup, which registers a tool or lists tools."""
    if "opened" in scene.documents or scene.is_sandboxed(document):
        return microtasks(draw, scene, document)
    scene.documents["opened"] = {"opener": document, "start": "later", **draw(st.sampled_from(({}, {"origin": "B"})))}
    scene.add(document, {"do": "open", "document": "opened"})
    tool: Data = {"name": "t", "description": "d"}
    if chance(draw, 2):
        options: Data = {"exposedTo": [f"{{{scene.origin(document)}}}"]}
        scene.add("opened", {"do": "registerTool", "as": "register t", "tool": tool, "options": options})
        scene.add("opened", {"do": "tell", "to": document, "message": "registered"})
        scene.add(document, {"do": "waitFor", "message": "registered"})
        scene.call(document, {"$tool": "t", "in": "opened"})
    else:
        scene.add("opened", {"do": "getTools", "as": "list", "options": {"fromOrigins": ["{A}", "{B}"]}})
        scene.add("opened", {"do": "getTools", "as": "list again"})
    if chance(draw, 2):
        scene.add(document, {"do": "close", "document": "opened"})
    return None
