"""Generated forms, and what happens to them: clicks, values from scripts, resets, submissions and moves, from fixed seeds."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

EVENTS = ("click", "input", "change", "submit", "reset", "invalid")
TYPES = (
    *("text", "search", "url", "tel", "email", "password", "date", "month", "week", "time", "datetime-local"),
    *("number", "range", "color", "hidden"),
)
VALUES = (
    *("", "a", " a@b ", "x\ny", "https://a.test", "2026-02-28", "2026-02", "2026-W09", "10:30", "2026-02-28T10:30"),
    *("5", "-1", "1e3", "150", "#00FF00", "on"),
)
BUTTONS = (
    "<button id={id}>x</button>",
    "<button id={id} type=reset>x</button>",
    "<button id={id} type=button>x</button>",
    "<button id={id} formnovalidate>x</button>",
    "<input id={id} type=submit>",
    "<input id={id} type=image>",
    "<input id={id} type=reset>",
    "<input id={id} type=button>",
)


class Interaction(NamedTuple):
    """A form, the events (type and ID) that are canceled, and actions: a name, an ID and arguments."""

    html: str
    cancels: list[list[str]]
    actions: list[list[Any]]


class _Maker:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.ids: list[str] = []
        #: The IDs of elements by what can be done with them.
        self.of: dict[str, list[str]] = {"value": [], "checked": [], "select": [], "submit": [], "option": []}

    def new_id(self, *abilities: str) -> str:
        self.ids.append(f"e{len(self.ids)}")
        for ability in abilities:
            self.of[ability].append(self.ids[-1])
        return self.ids[-1]

    def some(self, *attributes: str, likely: float = 0.2) -> str:
        return "".join(f" {attribute}" for attribute in attributes if self.chance.random() < likely)

    def control(self) -> str:
        chance = self.chance
        match chance.randrange(9):
            case 0 | 1:
                kind = chance.choice(["checkbox", "radio"])
                # In Chromium a required radio button without a name may stay unchecked.
                name = chance.choice(["name=r", "name=r required", "name=s", ""])
                return f"<input id={self.new_id('checked')} type={kind} {name}{self.some('checked', 'disabled')}>"
            case 2 | 3:
                value = f" value='{chance.choice(VALUES)}'" if chance.random() < 0.5 else ""
                limits = self.some("required", "min=2", "max=20", "pattern=[ab]*", "readonly", "disabled", likely=0.12)
                return f"<input id={self.new_id('value')} type={chance.choice(TYPES)}{value}{limits}>"
            case 4:
                attributes = self.some("required", "disabled")
                return f"<textarea id={self.new_id('value')}{attributes}>{chance.choice('abc')}</textarea>"
            case 5 | 6:
                multiple = self.some("multiple", "size=3", "required")
                options = "".join(
                    f"<option id={self.new_id('option')} value={value}{self.some('selected', 'disabled')}>{value}</option>"
                    for value in ("''", "u", "v", "w")[: chance.randint(0, 4)]
                )
                return f"<select id={self.new_id('select')}{multiple}>{options}</select>"
            case 7:
                return f"<output id={self.new_id('value')}>o</output>"
        button = chance.choice(BUTTONS)
        is_submit = (
            "type=submit" in button or "type=image" in button or button.startswith(("<button id={id}>", BUTTONS[3]))
        )
        return button.format(id=self.new_id(*["submit"] if is_submit else []))

    def action(self) -> list[Any]:
        chance = self.chance
        of = self.of
        roll = chance.choice(
            ["click"] * 5 + ["value"] * 2 + ["checked", "choose", "reset", "reset", "requestSubmit"] + ["attribute"] * 2
            + ["append", "remove"]
        )  # fmt: skip
        match roll:
            case "value" if of["value"]:
                return ["value", chance.choice(of["value"]), chance.choice(VALUES)]
            case "checked" if of["checked"]:
                return ["checked", chance.choice(of["checked"]), chance.random() < 0.5]
            case "choose" if of["select"]:
                return ["choose", chance.choice(of["select"]), chance.choice("uvw")]
            case "reset":
                return ["reset", chance.choice("fg")]
            case "requestSubmit":
                return ["requestSubmit", chance.choice("fg"), None]
            case "attribute" if of["value"] and chance.random() < 0.5:
                # Chromium keeps the attribute of an input that becomes hidden, if no script has set its value.
                type = chance.choice([type for type in TYPES if type != "hidden"])
                name, value = chance.choice(
                    [("value", chance.choice(VALUES)), ("type", type), ("min", "3"), ("max", "20")]
                )
                return ["attribute", chance.choice(of["value"]), name, value]
            case "attribute" if of["checked"] or of["option"]:
                id_ = chance.choice(of["checked"] + of["option"])
                name = chance.choice(
                    ["checked", "disabled", "name"] if id_ in of["checked"] else ["selected", "disabled"]
                )
                return ["attribute", id_, name, chance.choice(["r", None])]
            case "append":
                return ["append", chance.choice(self.ids), chance.choice("fg")]
            case "remove":
                return ["remove", chance.choice(self.ids)]
        return ["click", chance.choice(self.ids)]


def interaction(seed: int) -> Interaction:
    """Return the interaction of a seed: two forms with up to eight controls, and up to five actions."""
    maker = _Maker(seed)
    chance = maker.chance
    html = ""
    for form in "fg":
        controls = "".join(maker.control() for _ in range(chance.randint(1, 4)))
        if chance.random() < 0.2:
            controls = f"<fieldset{maker.some('disabled', likely=0.5)}>{controls}</fieldset>"
        html += f"<form id={form} method=dialog{maker.some('novalidate')}>{controls}</form>"
    cancels = [[chance.choice(EVENTS), chance.choice([*maker.ids, "f", "g"])] for _ in range(chance.randint(0, 4))]
    return Interaction(html, cancels, [maker.action() for _ in range(chance.randint(1, 5))])
