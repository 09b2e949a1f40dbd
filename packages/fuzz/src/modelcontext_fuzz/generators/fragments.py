"""Fragments of programs: a few steps that belong together. A program has one to three of them.

Each fragment is about one part of the specification. The file ``weights.json`` of the revision says how often it is drawn:
more often if few programs of the corpus cover that part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from modelcontext.programs.program.notation import dialect
from modelcontext.spec.revisions.registry import FILES
from modelcontext_fuzz.generators import surroundings
from modelcontext_fuzz.generators.scene import EVENTS, Data, Draw, Scene, chance, place
from modelcontext_fuzz.generators.tool_values import getters, objects, texts, values, weighted

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Value

Fragment = Callable[[Draw, Scene, str], None]

NAMES = ("t", "u")
ODD_NAMES: Sequence[Value] = (
    "", " ", "a b", "é", "-._9Z", {"$repeat": "x", "times": 128}, {"$repeat": "x", "times": 129}, {"$string": [0xD800]},
    1, {"$js": "null"}, {"$js": "undefined"}, {"$symbol": "s"},
)  # fmt: skip
URLS: Sequence[Value] = (
    "{A}", "{B}", "{C}/path?query", "{insecure}", "", "no URL", "data:,", "https://",
    "https://user:pass@example.test:444/", "HTTPS://EXAMPLE.TEST", "file:///", "http://127.0.0.1", "wss://example.test",
    "null", "about:blank", {"$string": [0xD800]}, 1,
)  # fmt: skip


def _callback(draw: Draw, scene: Scene, document: str) -> Data:
    kind = draw(st.sampled_from(("resolves", "pending", "returns", "throws", "rejects", "resolves")))
    callback: Data = {"pending": "p"} if kind == "pending" else {kind: draw(values())}
    if chance(draw, 3):
        callback["watch"] = True
    if chance(draw, 5):
        callback["steps"] = [_nested_step(draw, scene, document)]
    return callback


def _nested_step(draw: Draw, scene: Scene, document: str, *, calls: bool = False) -> Data:
    """Draw a step for the inside of callbacks, listeners and getters.

    With ``calls`` it may execute a tool. A callback must not, or it would call itself endlessly.
    """
    if not scene.calls_tools:
        register: Data = {"do": "registerTool", "as": scene.label(document, "inner"), "tool": _tool("t")}
        unregister: Data = {"do": "unregisterTool", "as": scene.label(document, "inner"), "name": "t"}
        return draw(st.sampled_from((register, unregister)))
    choices: list[Data] = [
        {"do": "registerTool", "as": scene.label(document, "inner"), "tool": _tool(draw(st.sampled_from(NAMES)))},
        {"do": "abort", "controller": "c"},
        {"do": "getTools", "as": scene.label(document, "inner")},
        {"do": "log", "value": "here"},
        {"do": "resolve", "pending": "p"},
    ]
    if calls and scene.tools:
        choices.append(
            {"do": "executeTool", "as": scene.label(document, "inner"), "tool": _any_tool(draw, scene, document)}
        )
    if not scene.is_sandboxed(document):
        choices += [{"do": "removeFrame", "document": child} for child in _children(scene, document)]
    return draw(st.sampled_from(choices))


def _children(scene: Scene, document: str) -> list[str]:
    return [child for child in scene.present if scene.documents[child].get("parent") == document]


def _tool(name: Value) -> Data:
    return {"name": name, "description": "d"}


def _any_tool(draw: Draw, scene: Scene, document: str) -> Value:
    return _handle(document, *draw(st.sampled_from(scene.tools or [("t", document)])))


def _handle(document: str, name: str, owner: str) -> Value:
    return {"$tool": name} if owner == document else {"$tool": name, "in": owner}


def _wait(draw: Draw, step: Data) -> Data:
    if chance(draw, 4):
        step["wait"] = False
    return step


def _register(draw: Draw, scene: Scene, document: str, **tool: Value) -> Data:
    """Draw a plain registration, which succeeds if the document may register tools."""
    where = place(draw, scene, document)
    name = draw(st.sampled_from(NAMES))
    scene.tools.append((name, where.get("on", document)))
    step: Data = {
        "do": "registerTool",
        "as": scene.label(document, f"register {name}"),
        "tool": {**_tool(name), **tool},
    }
    return {**step, **where}


def _exposed(draw: Draw, scene: Scene) -> Data:
    origins = sorted({scene.origin(document) for document in scene.documents})
    if len(origins) > 1 and chance(draw, 2):
        return {"exposedTo": draw(st.lists(st.sampled_from([f"{{{letter}}}" for letter in origins]), max_size=2))}
    return {}


def _options(step: Data, options: Data) -> Data:
    return {**step, "options": options} if options else step


def results(draw: Draw, scene: Scene, document: str) -> None:
    """Call a tool with any result."""
    behavior = draw(st.sampled_from(("resolves", "returns", "rejects", "throws")))
    step = _register(draw, scene, document)
    scene.add(document, {**step, "callback": {behavior: draw(values())}})
    scene.call(document, _handle(document, *scene.tools[-1]))


def inputs(draw: Draw, scene: Scene, document: str) -> None:
    """Call a tool with any input."""
    if not scene.tools:
        scene.add(document, _register(draw, scene, document))
    step: Data = {"do": "executeTool", "as": scene.label(document, "call"), "tool": _any_tool(draw, scene, document)}
    step["input"] = draw(weighted((3, objects()), (1, values())))
    scene.add(document, _options(step, draw(st.sampled_from(({}, {"signal": {"$signal": "c"}})))))


def schemas(draw: Draw, scene: Scene, document: str) -> None:
    """Register a tool with any input schema, and list it."""
    schema = draw(weighted((4, objects()), (1, values())))
    if chance(draw, 4):
        inner = _nested_step(draw, scene, document, calls=True)
        schema = {"toJSON": {"$function": "toJSON", "returns": {}, "steps": [inner]}}
    scene.add(document, _register(draw, scene, document, inputSchema=schema))
    if scene.calls_tools:
        scene.add(document, {"do": "getTools", "as": scene.label(document, "list")})


def definitions(draw: Draw, scene: Scene, document: str) -> None:
    """Register a tool with an odd member, or without a required one."""
    tool: Data = {"name": "t", "description": "d"}
    member = draw(st.sampled_from(("name", "title", "description", "annotations", "execute")))
    if member == "name":
        tool["name"] = draw(st.sampled_from(ODD_NAMES))
    elif member == "annotations":
        hints = ("readOnlyHint", "untrustedContentHint", "consequentialHint", "debugging")
        tool["annotations"] = draw(
            st.one_of(
                st.dictionaries(st.sampled_from(hints), weighted((4, values()), (1, getters(values()))), max_size=2),
                values(),
            )
        )
    else:
        given = values() if member == "execute" else texts()
        tool[member] = draw(weighted((4, given), (1, getters(given))))
    if chance(draw, 6):
        del tool[draw(st.sampled_from(sorted(tool)))]
    step: Data = {"do": "registerTool", "as": scene.label(document, "register"), "tool": tool}
    scene.add(document, {**step, **place(draw, scene, document)})
    if tool.get("name") == "t":
        scene.tools.append(("t", document))
    if scene.calls_tools:
        scene.add(document, {"do": "getTools", "as": scene.label(document, "list")})


def origins(draw: Draw, scene: Scene, document: str) -> None:
    """Register or list tools with good and bad lists of origins."""
    urls = draw(weighted((4, st.lists(st.sampled_from(URLS), max_size=2)), (1, values())))
    if chance(draw, 2):
        scene.add(document, _options(_register(draw, scene, document), {"exposedTo": urls}))
    else:
        step = {"do": "getTools", "as": scene.label(document, "list"), "options": {"fromOrigins": urls}}
        scene.add(document, {**step, **place(draw, scene, document)})


def handles(draw: Draw, scene: Scene, document: str) -> None:
    """Execute an object in place of a listed tool, with odd or missing members."""
    tool: Data = {"name": "t", "description": "", "origin": {"$origin": document}, "window": {"$window": document}}
    member = draw(st.sampled_from(("origin", "name", "description", "window", "title", "inputSchema", "annotations")))
    if member == "origin":
        tool["origin"] = draw(st.sampled_from(URLS))
    elif chance(draw, 3):
        tool.pop(member, None)
    else:
        tool[member] = draw(values())
    scene.call(document, tool)


def signals(draw: Draw, scene: Scene, document: str) -> None:
    """Register a tool with a signal, and abort it."""
    aborted = draw(st.integers(0, 3)) == 3
    signal: Value = {"$signal": "c"} if draw(st.integers(0, 5)) < 5 else {"$anySignal": ["c", "d"]}
    if aborted:
        signal = {"$abortedSignal": draw(values())}
    step = _options(_register(draw, scene, document), {"signal": signal, **_exposed(draw, scene)})
    scene.add(document, _wait(draw, step))
    if not aborted:
        _abort(draw, scene, document)
    if chance(draw, 2):
        scene.add(document, {"do": "getTools", "as": scene.label(document, "list")})


def _abort(draw: Draw, scene: Scene, document: str) -> None:
    step: Data = {"do": "abort", "controller": "c"}
    if chance(draw, 3):
        step["reason"] = draw(values())
    scene.add(document, step)


def executions(draw: Draw, scene: Scene, document: str) -> None:
    """Call a tool with any callback, and perhaps abort the call."""
    step = _options(_register(draw, scene, document), _exposed(draw, scene))
    scene.add(document, {**step, "callback": _callback(draw, scene, document)})
    call: Data = {"do": "executeTool", "as": scene.label(document, "call"), "tool": _any_tool(draw, scene, document)}
    if chance(draw, 2):
        if not chance(draw, 8):
            call["input"] = {}
        scene.add(document, {**call, "options": {"signal": {"$signal": "c"}}, "wait": False})
        if chance(draw, 2):
            scene.add(document, {"do": "timer", "steps": [{"do": "abort", "controller": "c"}]})
        else:
            _abort(draw, scene, document)
    else:
        scene.add(document, _wait(draw, call))
    if chance(draw, 3):
        scene.add(
            document, {"do": draw(st.sampled_from(("resolve", "reject"))), "pending": "p", "value": draw(values())}
        )


def events(draw: Draw, scene: Scene, document: str) -> None:
    """Add a listener or a handler before all other steps."""
    step: Data = {
        "do": draw(st.sampled_from(("listen", "handler"))),
        "type": draw(st.sampled_from(EVENTS)),
        **place(draw, scene, document),
    }
    step["steps"] = [_nested_step(draw, scene, document, calls=step["type"] == "toolchange")] if chance(draw, 4) else []
    scene.script.setdefault(document, []).insert(0, step)


def departures(draw: Draw, scene: Scene, document: str) -> None:
    """Remove a frame, mostly one that has a tool or runs one."""
    children = _children(scene, document)
    if not children or scene.is_sandboxed(document):
        return listings(draw, scene, document)
    child = draw(st.sampled_from(children))
    if scene.origin(child) == scene.origin(document) and not scene.is_sandboxed(child) and chance(draw, 2):
        step: Data = {"do": "registerTool", "as": scene.label(document, "register t"), "on": child, "tool": _tool("t")}
        step["options"] = {"signal": {"$signal": "c"}}
        step["callback"] = _callback(draw, scene, document)
        scene.add(document, step)
        scene.tools.append(("t", child))
    if scene.tools and chance(draw, 2):
        scene.call(document, _any_tool(draw, scene, document), wait=False)
    scene.add(document, {"do": "removeFrame", "document": child})
    if chance(draw, 2):
        scene.add(
            document, draw(st.sampled_from(({"do": "abort", "controller": "c"}, {"do": "resolve", "pending": "p"})))
        )
    if chance(draw, 2):
        scene.call(document, {"$tool": "t", "in": child})
    return None


def arrivals(draw: Draw, scene: Scene, document: str) -> None:
    """Add a frame, or navigate one; it registers a tool or listens for changes."""
    if "late" in scene.documents or document not in scene.present:
        return listings(draw, scene, document)
    late: Data = {"parent": document, "start": "later", **draw(st.sampled_from(({}, {}, {"origin": "B"})))}
    children = [child for child in _children(scene, document) if "sandbox" not in scene.documents[child]]
    if children and not scene.is_sandboxed(document) and chance(draw, 2):
        child = draw(st.sampled_from(children))
        scene.documents["late"] = late
        scene.add(document, {"do": "navigate", "document": child, "to": "late"})
        scene.present.remove(child)
    else:
        scene.documents["late"] = {**late, **draw(st.sampled_from(({"allow": "tools"}, {})))}
        step: Data = {"do": "addFrame", "document": "late"}
        if scene.calls_tools and not scene.is_sandboxed(document) and chance(draw, 3):
            step |= {"initial": "early", "steps": [_step_of_the_initial_document(draw, scene, document)]}
        scene.add(document, step)
    scene.add("late", _register(draw, scene, "late") if chance(draw, 2) else {"do": "listen", "type": "toolchange"})
    if chance(draw, 2):
        listings(draw, scene, document)
    else:
        scene.call(document, {"$tool": "t", "in": "late"})
    return None


def _step_of_the_initial_document(draw: Draw, scene: Scene, document: str) -> Data:
    choices: tuple[Data, ...] = (
        {"do": "registerTool", "as": scene.label(document, "register early"), "tool": _tool("t")},
        {"do": "getTools", "as": scene.label(document, "list early")},
        {"do": "listen", "as": scene.label(document, "listen early"), "type": "toolchange"},
    )
    return {**draw(st.sampled_from(choices)), "on": "early"}


def closings(draw: Draw, scene: Scene, document: str) -> None:
    """Close a popup, during or after a call of its own tool."""
    popups = [other for other in scene.present if scene.documents[other].get("opener") == document]
    if not popups:
        return results(draw, scene, document)
    popup = popups[0]
    scene.add(popup, {**_register(draw, scene, popup), "callback": _callback(draw, scene, popup)})
    scene.call(popup, _any_tool(draw, scene, popup))
    scene.add(popup, {"do": "tell", "to": document, "message": "now"})
    scene.add(document, {"do": "waitFor", "message": "now"})
    scene.add(document, {"do": "close", "document": popup})
    scene.present.remove(popup)
    return None


def listings(draw: Draw, scene: Scene, document: str) -> None:
    """List tools from all origins of the scene."""
    letters = sorted({scene.origin(other) for other in scene.documents})
    step: Data = {"do": "getTools", "as": scene.label(document, "list"), **place(draw, scene, document)}
    if len(letters) > 1:
        step["options"] = {"fromOrigins": [f"{{{letter}}}" for letter in letters]}
    if scene.tools and chance(draw, 3):
        scene.add(document, step)
        scene.call(document, {"$listed": scene.tools[-1][0], "from": step["as"]})
    else:
        scene.add(document, _wait(draw, step))


def arguments(draw: Draw, scene: Scene, document: str) -> None:
    """Call one of the methods with any list of arguments."""
    operation = draw(st.sampled_from(("registerTool", "getTools", "executeTool")))
    given = draw(st.lists(values(), max_size=3))
    if chance(draw, 2):
        # Only as the first argument: another may become JSON, and that of a Window depends on its other members.
        given[:1] = [_any_tool(draw, scene, document)]
    scene.add(document, {"do": operation, "as": scene.label(document, "odd call"), "arguments": given})


def unregistrations(draw: Draw, scene: Scene, document: str) -> None:
    """Unregister a tool, or a name without one (revision 2026-03)."""
    if scene.tools and chance(draw, 2):
        name, _ = draw(st.sampled_from(scene.tools))
        step: Data = {"do": "unregisterTool", "name": name}
    else:
        step = {"do": "unregisterTool", "name": draw(st.one_of(st.sampled_from(("t", *ODD_NAMES)), values()))}
    scene.add(document, {**step, "as": scene.label(document, "unregister"), **place(draw, scene, document)})


def registrations(draw: Draw, scene: Scene, document: str) -> None:
    """Register a plain tool; a second one of the same name is a duplicate."""
    step = _register(draw, scene, document)
    if scene.calls_tools:
        step = _wait(draw, _options(step, _exposed(draw, scene)))
    scene.add(document, step)


# The fragments, each with the operation that a revision needs for it.
_FRAGMENTS: Sequence[tuple[Fragment, str]] = (
    (registrations, "registerTool"),
    (unregistrations, "unregisterTool"),
    (results, "executeTool"),
    (executions, "executeTool"),
    (schemas, "registerTool"),
    (events, "listen"),
    (inputs, "executeTool"),
    (signals, "executeTool"),
    (departures, "executeTool"),
    (arrivals, "getTools"),
    (closings, "executeTool"),
    (definitions, "registerTool"),
    (origins, "getTools"),
    (handles, "executeTool"),
    (listings, "getTools"),
    (arguments, "executeTool"),
    (surroundings.constructions, "dispatch"),
    (surroundings.handlers, "handler"),
    (surroundings.microtasks, "microtask"),
    (surroundings.identities, "same"),
    (surroundings.changes, "set"),
    (surroundings.openings, "getTools"),
)


def fragments_of(revision: str) -> list[Fragment]:
    """Return the fragments for programs of a revision."""
    operations = dialect(revision).operations
    return [fragment for fragment, operation in _FRAGMENTS if operation in operations]


def weights_of(revision: str) -> Mapping[str, int]:
    """Return the weight of each fragment, by name; ``python -m tools.lab weights`` makes them."""
    weights = json.loads((FILES[revision].installed / FILES[revision].weights.name).read_text(encoding="utf-8"))
    return {fragment.__name__: weights[fragment.__name__] for fragment in fragments_of(revision)}
