"""Generated forms, and inputs for them that their schemas accept or nearly accept, from fixed seeds."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from modelcontext.platform.html.forms.input_types import InputType
from tests.html.forms.generated_controls import DATES, MONTHS, NUMBERS, TEXTS, TIMES, WEEKS, Control, controls

CHOICES = ("a", "b", "c", "on", "1", "true", "", "ä", "x y")
#: What is nothing for most parameters.
NONSENSE: Sequence[Any] = (
    None,
    [],
    {},
    ["a"],
    "",
    "\n",
    " ",
    "x",
    "tomorrow",
    True,
    0,
    -1,
    1.5,
    1e21,
    "+5",
    "0x10",
    "FALSE",
    "1",
)


class Form(NamedTuple):
    """The source of a form, and what decides about the inputs for it."""

    html: str
    chance: random.Random


def form(seed: int) -> Form:
    """Return a form with one to four parameters."""
    chance = random.Random(seed)
    names = [f"p{index}" for index in range(chance.randint(1, 4))]
    parts = [_parameter(chance, name) for name in names]
    if chance.random() < 0.1:
        parts.append(_input(chance, names[0]))
    return Form(f"<form id=f>{''.join(parts)}</form>", chance)


def _parameter(chance: random.Random, name: str) -> str:
    match chance.randrange(12):
        case 0:
            return f"<textarea {_attributes(chance, name)}>{chance.choice(TEXTS[:20])}</textarea>"
        case 1 | 2:
            multiple = " multiple" if chance.random() < 0.5 else ""
            options = "".join(
                f"<option{_some(chance, 'selected', 'disabled')} value='{value}'>{value} {index}"
                for index, value in enumerate(_values(chance))
            )
            return f"<select {_attributes(chance, name)}{multiple}>{options}</select>"
        case 3 | 4:
            type = chance.choice(["checkbox", "radio"])
            return "".join(
                f"<input type={type} {_attributes(chance, name)}{_some(chance, 'checked')} value='{value}'>"
                for value in _values(chance)
            )
    return _input(chance, name)


def _input(chance: random.Random, name: str) -> str:
    (made,) = chance.sample(_CONTROLS, 1)
    attributes = {"type": str(made.type)} | made.attributes | {"name": name}
    attributes.pop("disabled", None)
    attributes.pop("readonly", None)
    if made.type is InputType.HIDDEN:
        attributes["toolparamdescription"] = "A"
    written = " ".join(f'{key}="{escape(value)}"' for key, value in attributes.items())
    return f"<input {written}>"


def _attributes(chance: random.Random, name: str) -> str:
    return f"name={name}{_some(chance, 'required', 'disabled')}"


def _some(chance: random.Random, *attributes: str) -> str:
    return "".join(f" {attribute}" for attribute in attributes if chance.random() < 0.15)


def _values(chance: random.Random) -> list[str]:
    return [chance.choice(CHOICES) for _ in range(chance.randint(1, 4))]


def _is_sayable(control: Control) -> bool:
    """Return whether HTML source can say what a control is, and its pattern is none that nobody can compile in time."""
    texts = "".join(control.attributes.values())
    return re.search("[\ud800-\udfff\r\0]", texts) is None and control.type not in _WITHOUT_PARAMETER


_WITHOUT_PARAMETER = (InputType.FILE, InputType.SUBMIT, InputType.IMAGE, InputType.RESET, InputType.BUTTON)
_CONTROLS = [control for control in controls(22 * 100, seed=19) if _is_sayable(control)]


def an_input(chance: random.Random, schema: dict[str, Any]) -> Any:
    """Return an input for a schema: an object that it accepts, or nearly."""
    if chance.random() < 0.01:
        return chance.choice(NONSENSE)
    properties = schema["properties"]
    names = [name for name in properties if name in schema["required"] or chance.random() < 0.7]
    chance.shuffle(names)
    if names and chance.random() < 0.1:
        names.pop()
    values = {name: a_value(chance, properties[name]) for name in names}
    if chance.random() < 0.03:
        values["unknown"] = chance.choice(NONSENSE)
    return values


def a_value(chance: random.Random, schema: dict[str, Any]) -> Any:
    """Return a value that the schema of a parameter accepts, or nearly."""
    if chance.random() < 0.12:
        return chance.choice(NONSENSE)
    if schema["type"] == "array":
        choices = schema["items"]["enum"]
        chosen = chance.sample(choices, chance.randint(0, len(choices)))
        return [*chosen, chance.choice(CHOICES)] if chance.random() < 0.1 else chosen
    if "enum" in schema:
        return chance.choice(schema["enum"] if chance.random() < 0.9 else CHOICES)
    if schema["type"] == "boolean":
        return chance.random() < 0.5
    if schema["type"] == "number":
        return _a_number(chance, schema)
    return _a_string(chance, schema)


def _a_number(chance: random.Random, schema: dict[str, Any]) -> Any:
    step = min(schema.get("multipleOf", 1), 1e300)  # Sums stay finite.
    base = schema.get("minimum", schema.get("maximum", 0))
    match chance.randrange(8):
        case 0:
            return chance.choice(NUMBERS)
        case 1:
            return base
        case 2:
            return schema.get("maximum", base)
        case 3:
            return base - step
        case 4:
            return schema.get("maximum", base) + step
        case 5:
            return base + step / 2
    return base + step * chance.randint(0, 5)


def _a_string(chance: random.Random, schema: dict[str, Any]) -> str:
    texts = TEXTS
    pattern = schema.get("pattern", "")
    if schema.get("format") == "date":
        texts = DATES
    elif "T(" in pattern:
        texts = [f"{chance.choice(DATES)}T{chance.choice(TIMES)}"]
    elif "W(" in pattern:
        texts = WEEKS
    elif pattern.startswith("^[0-9]{4,}"):
        texts = MONTHS
    elif pattern.startswith("^([01]"):
        texts = TIMES
    elif pattern.startswith("^#"):
        texts = ["#000000", "#FFFFFF", "#abcdef", "#abc", "red", "#12345g"]
    return chance.choice(texts)
