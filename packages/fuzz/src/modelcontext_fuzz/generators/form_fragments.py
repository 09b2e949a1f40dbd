"""Generated programs about forms that are tools: a grammar of its own, so that other programs of a seed stay as they are.

One form runs one call at a time: its second call waits for the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from modelcontext.programs.program.reading import from_data
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_fuzz.generators.form_controls import CHANGES, ODD, FormParameter, Markup
from modelcontext_fuzz.generators.scene import EVENTS, Data, Draw, Scene, chance
from modelcontext_fuzz.generators.tool_values import values

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program, Value

#: The largest number of fragments in a program.
MOST_FRAGMENTS = 3
#: The attributes of a form that define its tool, with the values for a change.
FORM_CHANGES = {
    "toolname": ("u", "v", "t", "", "no name", "a" * 129),
    "tooldescription": ("new", "", "d"),
    "tooltitle": ("new", ""),
    "toolautosubmit": ("", "x"),
    "id": ("g9",),
    "novalidate": ("",),
}
_SUBMIT_EVENTS = ("submit", "reset", "invalid", "input", "change")


@dataclass
class Form:
    """A form of a document: its ID, the name of its tool, and its controls."""

    id: str
    name: str
    autosubmit: bool
    markup: Markup

    @property
    def parameters(self) -> list[FormParameter]:
        """The parameters, as far as they fit."""
        return self.markup.parameters


@dataclass
class Page:
    """The elements of one document of a scene."""

    forms: list[Form] = field(default_factory=list)
    #: The number of insertions of markup.
    inserted: int = 0
    #: The names of the tools of which a call may be running.
    busy: set[str] = field(default_factory=set)


class FormScene(Scene):
    """A program about forms under construction."""

    def __init__(self, documents: dict[str, Data], pages: dict[str, Page]) -> None:
        super().__init__(documents, CURRENT.name)
        self.pages = pages


FormFragment = Callable[[Draw, FormScene, str], None]


def _input(draw: Draw, form: Form) -> Data:
    """Draw an input of a call, which mostly fits."""
    fitting = [parameter for parameter in form.parameters if parameter.kind != "other"]
    chosen = draw(st.lists(st.sampled_from(fitting), max_size=3, unique_by=lambda one: one.name)) if fitting else []
    given: Data = {}
    for parameter in chosen:
        odd = chance(draw, 12)
        given[parameter.name.strip()] = draw(st.sampled_from(ODD if odd or not parameter.values else parameter.values))
    if chance(draw, 16):
        given[draw(st.sampled_from(("other", "")))] = "x"
    return given


def _call(draw: Draw, scene: FormScene, document: str, form: Form, **keys: Value) -> str | None:
    """Append a call of a form, if none is running. Return its label."""
    page = scene.pages[document]
    if form.name in page.busy:
        return None
    if "wait" in keys or "options" in keys:
        page.busy.add(form.name)
    label = scene.label(document, "call")
    tool = {"$tool": form.name}
    if chance(draw, 24):
        keys["input"] = draw(st.sampled_from(([], {"$js": "null"}, ["x"])))
    scene.add(document, {"do": "executeTool", "as": label, "tool": tool, "input": _input(draw, form), **keys})
    return label


def _any_form(draw: Draw, scene: FormScene, document: str) -> Form:
    return draw(st.sampled_from(scene.pages[document].forms))


def _any_control(draw: Draw, form: Form) -> str | None:
    ids = [id_ for parameter in form.parameters for id_ in parameter.ids]
    return draw(st.sampled_from(ids)) if ids else None


def _listen(scene: FormScene, document: str, type_: str, steps: Sequence[Data], element: str | None = None) -> None:
    step: Data = {"do": "listen", "as": scene.label(document, f"on {type_}"), "type": type_, "steps": list(steps)}
    _place(scene, document, {**step, **({"element": element} if element else {})})


def _place(scene: FormScene, document: str, step: Data) -> None:
    """Insert a listener before all other steps, or append it if its element may not be there from the start."""
    steps = scene.script.setdefault(document, [])
    is_late = str(step.get("element", "")).startswith("j")
    steps.insert(len(steps) if is_late else 0, step)


def _response(draw: Draw, scene: FormScene, document: str) -> Data:
    value: Value = draw(st.sampled_from(("done", 1, {"$promise": "p"}, {"$promise": "p"}, {"a": 1})))
    if chance(draw, 3):
        value = draw(values())
    return {"do": "respondWith", "as": scene.label(document, "respond"), "value": value}


def _listen_to_submit(draw: Draw, scene: FormScene, document: str, form: Form, *last: Data) -> None:
    """Insert a listener of submit events that answers a call, or does not, and then runs the ``last`` steps."""
    label = scene.label(document, "on submit")
    prevent: Data = {"do": "preventDefault", "as": scene.label(document, "prevent")}
    respond = _response(draw, scene, document)
    kind = draw(st.sampled_from(("answer",) * 4 + ("nothing", "prevent", "early", "microtask", "timer", "twice")))
    steps: dict[str, list[Data]] = {
        "answer": [prevent, respond],
        "nothing": [],
        "prevent": [prevent],
        "early": [respond, prevent],
    }
    if kind == "twice":
        steps[kind] = [prevent, respond, _response(draw, scene, document)]
    elif kind in ("microtask", "timer"):
        later = {"do": kind, "as": scene.label(document, kind), "steps": [{**respond, "event": label}]}
        steps[kind] = [prevent, later]
    step: Data = {"do": "listen", "as": label, "type": "submit", "steps": [*steps[kind], *last], "element": form.id}
    _place(scene, document, step)


def _settle(draw: Draw, scene: FormScene, document: str) -> None:
    do = draw(st.sampled_from(("resolve", "resolve", "reject")))
    scene.add(
        document, {"do": do, "pending": "p", "value": draw(st.sampled_from(("late", 2, {"$error": "TypeError"})))}
    )


def _look(draw: Draw, scene: FormScene, document: str, form: Form) -> None:
    """Append steps that look at the values and the pseudo-classes of a form."""
    control = _any_control(draw, form)
    if control is not None and chance(draw, 2):
        is_box = any(control in parameter.ids and parameter.kind.startswith("check") for parameter in form.parameters)
        member = "checked" if is_box else "value"
        scene.add(document, {"do": "get", "as": scene.label(document, "get"), "element": control, "path": [member]})
    if chance(draw, 4):
        scene.add(document, _matching(draw, scene, document, form))


def _matching(draw: Draw, scene: FormScene, document: str, form: Form) -> Data:
    selector, element = ":tool-form-active", form.id
    if form.markup.buttons and chance(draw, 3):
        selector, element = ":tool-submit-active", form.markup.buttons[0]
    return {"do": "matches", "as": scene.label(document, "matches"), "element": element, "selector": selector}


def schemas(draw: Draw, scene: FormScene, document: str) -> None:
    """List the tools."""
    scene.add(document, {"do": "getTools", "as": scene.label(document, "list")})


def calls(draw: Draw, scene: FormScene, document: str) -> None:
    """Call a form whose listeners answer, or do not, and look at it."""
    form = _any_form(draw, scene, document)
    if chance(draw, 3):
        type_ = draw(st.sampled_from(_SUBMIT_EVENTS[1:]))
        _listen(scene, document, type_, [], form.id)
    if not chance(draw, 4):
        _listen_to_submit(draw, scene, document, form)
    if chance(draw, 3):
        _listen(scene, document, draw(st.sampled_from(EVENTS)), [])
    keys: Data = {} if form.autosubmit and not chance(draw, 3) else {"wait": False}
    if _call(draw, scene, document, form, **keys) is None:
        return
    if not keys:
        _look(draw, scene, document, form)
        return
    if chance(draw, 2):
        scene.add(document, _user_step(draw, scene, document, form))
    _look(draw, scene, document, form)
    if chance(draw, 2):
        _settle(draw, scene, document)


def _user_step(draw: Draw, scene: FormScene, document: str, form: Form) -> Data:
    """Draw what a user or a script does with a form."""
    control, buttons = _any_control(draw, form), form.markup.buttons
    choices: list[Data] = [
        {"do": "requestSubmit", "element": form.id},
        {"do": "reset", "element": form.id},
        {"do": "submit", "element": form.id},
    ]
    if buttons:
        choices += [{"do": "click", "element": draw(st.sampled_from(buttons))}] * 3
        choices.append({"do": "requestSubmit", "element": form.id, "submitter": draw(st.sampled_from(buttons))})
    if control is not None:
        value = draw(st.sampled_from(("1", "x", "2026-11-23")))
        is_box = any(control in parameter.ids and parameter.kind.startswith("check") for parameter in form.parameters)
        choices.append({"do": "fill", "element": control, **({"checked": True} if is_box else {"value": value})})
        choices.append({"do": "click", "element": control})
    step = draw(st.sampled_from(choices))
    return {**step, "as": scene.label(document, step["do"])}


def _change(draw: Draw, scene: FormScene, document: str, form: Form) -> Data:
    """Draw a change of a form or of one of its elements."""
    control = _any_control(draw, form)
    kind = draw(st.sampled_from(("form", "form", "control", "control", "remove", "move", "insert", "option", "off")))
    if kind == "form" or (kind in ("control", "off") and control is None):
        name = draw(st.sampled_from(sorted(FORM_CHANGES)))
        if name == "id":
            name = "tooldescription"
        if chance(draw, 3):
            return {"do": "removeAttribute", "element": form.id, "name": name}
        return {
            "do": "setAttribute",
            "element": form.id,
            "name": name,
            "value": draw(st.sampled_from(FORM_CHANGES[name])),
        }
    if kind == "control":
        assert control is not None
        name = draw(st.sampled_from(sorted(CHANGES)))
        if chance(draw, 4):
            return {"do": "removeAttribute", "element": control, "name": name}
        return {"do": "setAttribute", "element": control, "name": name, "value": draw(st.sampled_from(CHANGES[name]))}
    if kind == "off":
        assert control is not None
        return {"do": "remove", "element": control}
    options = [id_ for parameter in form.parameters for id_ in parameter.options]
    if kind == "option" and options:
        option = draw(st.sampled_from(options))
        return draw(
            st.sampled_from(
                (
                    {"do": "remove", "element": option},
                    {"do": "setAttribute", "element": option, "name": "value", "value": "7"},
                    {"do": "setAttribute", "element": option, "name": "disabled", "value": ""},
                )
            )
        )
    if kind == "move":
        return {"do": "append", "element": "all", "child": form.id}
    if kind == "remove":
        return {"do": "remove", "element": form.id}
    page = scene.pages[document]
    page.inserted += 1
    markup = Markup(draw, f"i{page.inserted}-")
    return {"do": "insertAdjacentHTML", "element": form.id, "html": markup.control()}


def changes(draw: Draw, scene: FormScene, document: str) -> None:
    """Change a form, or put it elsewhere, and list the tools."""
    form = _any_form(draw, scene, document)
    if chance(draw, 3):
        _listen(scene, document, "toolchange", [{"do": "getTools", "as": scene.label(document, "inner")}])
    for _ in range(draw(st.integers(1, 2))):
        scene.add(document, _change(draw, scene, document, form))
    label = scene.label(document, "list")
    if chance(draw, 2):
        scene.add(document, {"do": "getTools", "as": label})
    else:
        listing = {"do": "getTools", "as": label}
        scene.add(document, {"do": "timer", "as": scene.label(document, "timer"), "steps": [listing]})


def insertions(draw: Draw, scene: FormScene, document: str) -> None:
    """Insert a form, and call it."""
    page = scene.pages[document]
    page.inserted += 1
    form_id = f"j{page.inserted}"
    form, html = _form(draw, form_id, draw(st.sampled_from(("t", "u", "w"))))
    scene.add(document, {"do": "insertAdjacentHTML", "element": "all", "html": html})
    page.forms.append(form)
    if chance(draw, 3):
        scene.add(document, _change(draw, scene, document, form))
    if chance(draw, 2):
        schemas(draw, scene, document)
    else:
        scene.add(document, {"do": "waitFor", "result": _pause(scene, document)})
        schemas(draw, scene, document)


def _pause(scene: FormScene, document: str) -> str:
    """Append an operation that takes a while, and return its label."""
    label = scene.label(document, "pause")
    scene.add(document, {"do": "getTools", "as": label})
    return label


def names(draw: Draw, scene: FormScene, document: str) -> None:
    """Register a tool with the name of a form, or the name of another tool, and change one of them."""
    form = _any_form(draw, scene, document)
    tool: Data = {"name": draw(st.sampled_from((form.name, "u"))), "description": "imperative"}
    step: Data = {"do": "registerTool", "as": scene.label(document, "register"), "tool": tool}
    if chance(draw, 2):
        step["options"] = {"signal": {"$signal": "r"}}
    scene.add(document, step)
    if chance(draw, 2):
        scene.add(document, _change(draw, scene, document, form))
    if "options" in step and chance(draw, 2):
        scene.add(document, {"do": "abort", "controller": "r"})
    schemas(draw, scene, document)


def races(draw: Draw, scene: FormScene, document: str) -> None:
    """Call a form, and meanwhile abort the call, change the form, submit it or reset it."""
    form = _any_form(draw, scene, document)
    aborts = chance(draw, 3)
    if chance(draw, 2):
        _listen(scene, document, draw(st.sampled_from(("toolactivated", "toolcancel"))), [])
    rival = {"do": "abort", "controller": "c"} if aborts else _rival(draw, scene, document, form)
    where = draw(st.sampled_from(("now", "now", "timer", "microtask", "submit", "input", "toolactivated", "pause")))
    if where == "submit":
        _listen_to_submit(draw, scene, document, form, rival)
    elif where in ("input", "toolactivated"):
        _listen(scene, document, where, [rival], None if where == "toolactivated" else form.id)
    if where != "submit" and not chance(draw, 3):
        _listen_to_submit(draw, scene, document, form)
    options: Data = {"options": {"signal": {"$signal": "c"}}} if aborts else {}
    if _call(draw, scene, document, form, wait=False, **options) is None:
        return
    if where == "now":
        scene.add(document, rival)
    elif where in ("timer", "microtask"):
        scene.add(document, {"do": where, "as": scene.label(document, where), "steps": [rival]})
    elif where == "pause":
        _pause(scene, document)
        scene.add(document, rival)
    if chance(draw, 3):
        _settle(draw, scene, document)
    _look(draw, scene, document, form)
    if chance(draw, 4):
        schemas(draw, scene, document)


def _rival(draw: Draw, scene: FormScene, document: str, form: Form) -> Data:
    if chance(draw, 2):
        return _user_step(draw, scene, document, form)
    return _change(draw, scene, document, form)


def departures(draw: Draw, scene: FormScene, document: str) -> None:
    """Call a form in a frame, and remove or navigate the frame."""
    child = "child"
    if document != "top" or child not in scene.present or scene.origin(child) != "A" or scene.is_sandboxed(child):
        return calls(draw, scene, document)
    form = scene.pages[child].forms[0]
    page = scene.pages[child]
    if form.name in page.busy:
        return schemas(draw, scene, document)
    page.busy.add(form.name)
    label = scene.label(document, "call")
    tool: Data = {"$tool": form.name, "in": child}
    scene.add(document, {"do": "executeTool", "as": label, "tool": tool, "input": _input(draw, form), "wait": False})
    if chance(draw, 2):
        _pause(scene, document)
    # The navigation of a form that is submitted would end that of its frame.
    if form.autosubmit or chance(draw, 2):
        scene.add(document, {"do": "removeFrame", "document": child})
    else:
        scene.documents["late"] = {"parent": "top", "start": "later"}
        scene.add(document, {"do": "navigate", "document": child, "to": "late"})
    scene.present.remove(child)
    return None


_FRAGMENTS: Sequence[FormFragment] = (
    *(schemas,) * 2,
    *(calls,) * 5,
    *(changes,) * 4,
    *(races,) * 5,
    insertions,
    names,
    departures,
)


def _form(draw: Draw, id_: str, name: str) -> tuple[Form, str]:
    attributes = {"toolname": name, "tooldescription": draw(st.sampled_from(("d", "d", "d", "")))}
    if chance(draw, 8):
        attributes["tooltitle"] = draw(st.sampled_from(("title", "")))
    autosubmit = draw(st.booleans())
    if autosubmit:
        attributes["toolautosubmit"] = ""
    if chance(draw, 16):
        attributes["novalidate"] = ""
    if chance(draw, 16):
        del attributes[draw(st.sampled_from(("toolname", "tooldescription")))]
    markup = Markup(draw, f"{id_}-")
    html = markup.form(id_, attributes)
    return Form(id_, name, autosubmit, markup), html


def _page(draw: Draw, name: str) -> tuple[Page, str]:
    page = Page()
    form, html = _form(draw, "f", name)
    page.forms.append(form)
    if chance(draw, 5):
        other, more = _form(draw, "g", draw(st.sampled_from(("u", "u", name))))
        page.forms.append(other)
        html += more
    return page, f'<div id="all">{html}</div>'


@st.composite
def form_programs(draw: st.DrawFn) -> Program:
    """Draw a program about forms: mostly one document, else with a frame."""
    documents: dict[str, Data] = {"top": {}}
    shape = draw(st.sampled_from(("alone",) * 6 + ("frame",) * 2 + ("other origin",)))
    if shape != "alone":
        documents["child"] = {"parent": "top"}
    if shape == "other origin":
        allow = draw(st.sampled_from(({"allow": "tools"}, {"allow": "tools"}, {})))
        documents["child"] |= {"origin": "B", **allow}
    elif shape == "frame" and chance(draw, 6):
        documents["child"]["sandbox"] = "allow-scripts allow-same-origin"
    pages: dict[str, Page] = {}
    for document, spec in documents.items():
        pages[document], spec["html"] = _page(draw, "t")
    scene = FormScene(documents, pages)
    places = ["top", "top", *list(documents)[1:]]
    departs = False
    for _ in range(draw(st.integers(1, MOST_FRAGMENTS))):
        fragment = draw(st.sampled_from(_FRAGMENTS))
        document = draw(st.sampled_from(places))
        departs = departs or (fragment is departures and document == "top")
        if departs:
            # The frame goes away, so its own script does nothing more.
            places = ["top"]
            document = "top"
        fragment(draw, scene, document)
    return from_data(scene.data())
