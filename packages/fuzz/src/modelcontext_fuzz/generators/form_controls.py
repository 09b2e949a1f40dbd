"""The markup of generated forms: controls of every kind, and the values that a call gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from modelcontext_fuzz.generators.scene import Draw, chance

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Value

TEXTS = ("text", "search", "email", "url", "tel", "password", "unknown")
#: The types of single input elements, with values that mostly fit.
INPUTS: Mapping[str, Sequence[Value]] = {
    "text": ("x", "y", "two\nlines", "", 1, 12.5, 1234567, True, -0.5),
    "search": ("x", " x "),
    "email": ("a@example.test", " a@example.test ", "no address"),
    "url": ("https://example.test/", "no address"),
    "tel": ("123", "x"),
    "password": ("x", ""),
    "unknown": ("x", 2),
    "number": (1, 2, 2.5, -3, "4", 100, "", "x", " 5", "1e2"),
    "range": (1, 50, 200, -3, "7", ""),
    "date": ("2026-11-23", "2026-13-01", 1),
    "month": ("2026-11", "2026-13"),
    "week": ("2026-W07", "2026-07"),
    "time": ("12:30", "12:30:15", "24:00"),
    "datetime-local": ("2026-11-23T12:30", "2026-11-23 12:30", "x"),
    "color": ("#ff0000", "#FF0000", "red", ""),
    "hidden": ("x", ""),
    "checkbox": (True, False, "true", "FALSE", 1, 0, -1, "0", 1.5, "x"),
}
#: The attributes that matter to some types, with their values.
ATTRIBUTES: Mapping[str, Sequence[str]] = {
    "min": ("0", "2", "-1.5", "x"),
    "max": ("10", "1", "99.5", ""),
    "step": ("1", "2", "0.5", "any", "0", "30", "0.1"),
    "pattern": ("[a-z]+", "x|y", "[", ""),
    "value": ("1", "x", "", "5", "2026-11-23"),
}
#: The attributes of a control that change its schema, or do not, with values for a change.
CHANGES: Mapping[str, Sequence[str]] = {
    "name": ("n", "a", ""),
    "type": ("text", "number", "date", "checkbox", "color"),
    "required": ("",),
    "disabled": ("",),
    "toolparamdescription": ("new", ""),
    "aria-description": ("new",),
    "placeholder": ("new",),
    "minlength": ("3",),
    **ATTRIBUTES,
}
#: Values that fit no control, or few.
ODD: Sequence[Value] = ("other", [], {}, {"$js": "null"}, [1], 3.5, False)
LABELS = ("Label", " spaced ", "")
_NUMERIC = ("number", "range")
_TEMPORAL = ("date", "month", "week", "time", "datetime-local")

# Browsers differ on the validation of a control to which readonly does not apply.
_WITH_READONLY = (*TEXTS, *_TEMPORAL, "number", "textarea")


@dataclass
class FormParameter:
    """A parameter of a generated form: its name, the IDs of its controls, values to give it, and its ``kind``."""

    name: str
    kind: str
    ids: list[str]
    values: Sequence[Value]
    options: list[str] = field(default_factory=list)


class Markup:
    """The markup of one form under construction. IDs begin with ``prefix``, so that those of several forms differ."""

    def __init__(self, draw: Draw, prefix: str) -> None:
        self._draw = draw
        self._prefix = prefix
        self._number = 0
        self.parameters: list[FormParameter] = []
        #: The IDs of the submit buttons.
        self.buttons: list[str] = []

    def id(self) -> str:
        """Return the ID of a new element."""
        self._number += 1
        return f"{self._prefix}{self._number}"

    def control(self) -> str:
        """Draw a control, or a group of them, with a label or without."""
        kinds = (
            *INPUTS,
            "text",
            "number",
            "checkbox",
            "checkboxes",
            "radios",
            "select",
            "selects",
            "textarea",
            "other",
        )
        kind = self._draw(st.sampled_from(kinds))
        name = self._draw(st.sampled_from(("a", "b", "c", " a ", "1"))) if chance(self._draw, 3) else f"n{self._number}"
        if kind in ("checkboxes", "radios"):
            return self._group(kind, name)
        if kind in ("select", "selects"):
            return self._select(kind, name)
        if kind == "other":
            return self._other(name)
        id_ = self.id()
        values: Sequence[Value] = ("x", "two\nlines", "", 3, ["x"]) if kind == "textarea" else INPUTS[kind]
        self.parameters.append(FormParameter(name, kind, [id_], values))
        attributes = self._attributes(kind)
        if kind == "textarea":
            return self._labeled(f'<textarea id="{id_}" name="{name}"{attributes}>t</textarea>', id_)
        return self._labeled(f'<input id="{id_}" name="{name}" type="{kind}"{attributes}>', id_)

    def _attributes(self, kind: str) -> str:
        draw, text = self._draw, ""
        if kind in (*TEXTS, *_NUMERIC, *_TEMPORAL):
            fitting = ("pattern", "value") if kind in TEXTS else ("min", "max", "step", "value", "pattern")
            for name in draw(st.lists(st.sampled_from(fitting), max_size=2, unique=True)):
                text += f' {name}="{draw(st.sampled_from(ATTRIBUTES[name]))}"'
        for name, one_in in (("required", 6), ("disabled", 16), ("readonly", 16)):
            if chance(draw, one_in) and (name != "readonly" or kind in _WITH_READONLY):
                text += f" {name}"
        if chance(draw, 4) or kind == "hidden":
            text += f' toolparamdescription="{draw(st.sampled_from(("d", "", "d")))}"'
        if chance(draw, 10):
            text += ' aria-description="aria"'
        if kind == "email" and chance(draw, 3):
            text += " multiple"
        return text + (" checked" if kind == "checkbox" and chance(draw, 3) else "")

    def _labeled(self, markup: str, id_: str) -> str:
        if chance(self._draw, 3):
            text = self._draw(st.sampled_from(LABELS))
            if chance(self._draw, 2):
                return f"<label>{text}{markup}</label>"
            return f'<label for="{id_}">{text}</label>{markup}'
        return markup

    def _group(self, kind: str, name: str) -> str:
        draw = self._draw
        type_ = "radio" if kind == "radios" else "checkbox"
        values = draw(st.lists(st.sampled_from(("1", "2", "3")), min_size=1 if kind == "radios" else 2, max_size=3))
        parameter = FormParameter(name, kind, [], (*values, 1, "9") if kind == "radios" else _lists(values))
        text = ""
        for value in values:
            id_ = self.id()
            parameter.ids.append(id_)
            flags = "".join(f" {flag}" for flag in ("required", "disabled", "checked") if chance(draw, 8))
            control = f'<input id="{id_}" name="{name}" type="{type_}" value="{value}"{flags}>'
            text += self._labeled(control, id_)
        self.parameters.append(parameter)
        if chance(draw, 4):
            described = draw(st.sampled_from(("", ' toolparamdescription="group"', ' toolparamdescription=""')))
            return f'<fieldset id="{self.id()}"{described}>{text}</fieldset>'
        return text

    def _select(self, kind: str, name: str) -> str:
        draw, id_ = self._draw, self.id()
        values = draw(st.lists(st.sampled_from(("1", "2", "3", "")), max_size=3))
        parameter = FormParameter(name, kind, [id_], (*values, 1, "9") if kind == "select" else _lists(values))
        text = ""
        for value in values:
            option = self.id()
            parameter.options.append(option)
            flags = "".join(f" {flag}" for flag in ("disabled", "selected") if chance(draw, 8))
            text += f'<option id="{option}" value="{value}"{flags}>{draw(st.sampled_from(("One", "", "Two")))}</option>'
        self.parameters.append(parameter)
        multiple = " multiple" if kind == "selects" else ""
        attributes = self._attributes("select")
        return self._labeled(f'<select id="{id_}" name="{name}"{multiple}{attributes}>{text}</select>', id_)

    def _other(self, name: str) -> str:
        """Draw a control that is no parameter."""
        id_ = self.id()
        self.parameters.append(FormParameter(name, "other", [id_], ("x",)))
        others = (
            f'<input id="{id_}" name="{name}" type="file">',
            f'<input id="{id_}" name="{name}" type="reset">',
            f'<input id="{id_}" name="{name}" type="button">',
            f'<button id="{id_}" name="{name}" type="button">Press</button>',
            f'<output id="{id_}" name="{name}">o</output>',
        )
        return self._draw(st.sampled_from(others))

    def button(self) -> str:
        """Draw a submit button."""
        id_ = self.id()
        self.buttons.append(id_)
        kinds = (f'<button id="{id_}">Send</button>', f'<input id="{id_}" type="submit">')
        flags = (*(("",) * 6), " disabled", " formnovalidate")
        return self._draw(st.sampled_from(kinds)).replace(
            f'id="{id_}"', f'id="{id_}"{self._draw(st.sampled_from(flags))}'
        )

    def form(self, id_: str, attributes: Mapping[str, str], most: int = 3) -> str:
        """Draw a form with at most so many controls."""
        inner = "".join(self.control() for _ in range(self._draw(st.integers(0, most))))
        inner += "".join(self.button() for _ in range(self._draw(st.sampled_from((1, 1, 1, 1, 1, 2, 0)))))
        if chance(self._draw, 12):
            inner = f'<fieldset id="{self.id()}"{self._draw(st.sampled_from(("", " disabled")))}>{inner}</fieldset>'
        text = "".join(f' {name}="{value}"' for name, value in attributes.items())
        return f'<form id="{id_}"{text}>{inner}</form>'


def _lists(values: Sequence[str]) -> Sequence[Value]:
    """Return lists of choices, mostly good ones."""
    one: list[Value] = list(values[:1])
    every: list[Value] = list(dict.fromkeys(values))
    return (one, every, [], every[::-1], ["9"], [*one, *one], "1")
