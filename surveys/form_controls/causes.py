"""The causes of differences between the model and products, each an Issue of the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from surveys.form_controls.sides import REFUSED


class Difference(NamedTuple):
    """What a product makes otherwise of a control.

    ``key`` is that of a parameter's schema, ``required`` or ``properties`` of the whole schema, or ``value`` of a state that a
    value leads to. ``model`` and ``product`` are what is there, or None; ``value`` is what the control was given.
    """

    html: str
    key: str
    model: Any
    product: Any
    value: Any = None


class Cause(NamedTuple):
    """Why a product differs: an Issue of the text, words, and what differs for it."""

    issue: int
    words: str
    explains: Callable[[Difference], bool]


def differences(html: str, model: dict[str, Any], product: dict[str, Any]) -> list[Difference]:
    """Return the differences of two schemas of a control."""
    found = []
    if list(model["properties"]) != list(product["properties"]):
        found.append(Difference(html, "properties", model["properties"], product["properties"]))
    for name in model["properties"].keys() & product["properties"].keys():
        of_model, of_product = model["properties"][name], product["properties"][name]
        keys = [key for key in {**of_model, **of_product} if of_model.get(key) != of_product.get(key)]
        found += [Difference(html, key, of_model.get(key), of_product.get(key)) for key in keys]
        both = [key for key in of_model if key in of_product]
        if both != [key for key in of_product if key in of_model]:
            found.append(Difference(html, "order", list(of_model), list(of_product)))
    if model["required"] != product["required"]:
        found.append(Difference(html, "required", model["required"], product["required"]))
    return found


_WITH_EXPRESSIONS: Final = ("type=month", "type=week", "type=time", "type=datetime-local", "type=color")
_CHOICES: Final = ("anyOf", "enum", "items")


def _groups_by_name_first(difference: Difference) -> bool:
    is_lost = "<button" in difference.html or "<input name=a type=hidden" in difference.html
    return is_lost and (difference.key == "properties" or difference.product == REFUSED)


def _describes_charset(difference: Difference) -> bool:
    return difference.key == "properties" and "name=_charset_" in difference.html


def _has_expressions_in_format(difference: Difference) -> bool:
    return difference.key in ("format", "pattern") and any(type in difference.html for type in _WITH_EXPRESSIONS)


def _copies_the_pattern(difference: Difference) -> bool:
    return difference.key == "pattern" and difference.model == f"^(?:{difference.product})$"


def _looks_at_the_size_of_the_step(difference: Difference) -> bool:
    return difference.key == "format" and ("step=90" in difference.html or "step=any" in difference.html)


def _counts_required_anywhere(difference: Difference) -> bool:
    types = ("type=hidden", "type=range", "type=color")
    return difference.key == "required" and any(type in difference.html for type in types)


def _number_of_choices(listed: Any) -> int:
    return len(listed.get("enum", ()) if isinstance(listed, dict) else listed or ())


def _lists_choices_otherwise(difference: Difference) -> bool:
    if difference.key in _CHOICES:
        return _number_of_choices(difference.product) >= _number_of_choices(difference.model)
    return difference.key == "properties" and "<select" in difference.html


def _has_another_idea_of_numbers(difference: Difference) -> bool:
    is_any = difference.key == "multipleOf" and "type=range step=any" in difference.html
    return is_any or (difference.key == "pattern" and difference.model is None)


def _writes_six_digits(difference: Difference) -> bool:
    return difference.key == "value" and isinstance(difference.value, float)


def _takes_nonsense(difference: Difference) -> bool:
    types = ("type=range", "type=color")
    return difference.key == "value" and difference.model == REFUSED and any(type in difference.html for type in types)


def _takes_disabled_options(difference: Difference) -> bool:
    return difference.key == "value" and difference.model == REFUSED and "<option disabled" in difference.html


#: What Chromium does otherwise.
OF_CHROMIUM: Final = (
    Cause(20, "groups controls by name before it determines kinds", _groups_by_name_first),
    Cause(20, "makes `_charset_` a parameter", _describes_charset),
    Cause(22, "counts `required` where the attribute has no effect", _counts_required_anywhere),
    Cause(
        23,
        "lists disabled options, repeated options and empty lists, and copies the source text of options",
        _lists_choices_otherwise,
    ),
    Cause(24, "writes `multipleOf` for `step=any`, and `pattern` for numbers", _has_another_idea_of_numbers),
    Cause(25, "writes patterns into `format`", _has_expressions_in_format),
    Cause(25, "copies `pattern` unchanged", _copies_the_pattern),
    Cause(27, "looks only at the step's size", _looks_at_the_size_of_the_step),
    Cause(31, "writes six digits of a number", _writes_six_digits),
    Cause(31, "accepts invalid colors and ranges", _takes_nonsense),
    Cause(31, "accepts disabled options", _takes_disabled_options),
)

#: The causes of each product. One that runs the model's algorithms has none.
CAUSES: Final[Mapping[str, tuple[Cause, ...]]] = {"chromium": OF_CHROMIUM, "page": ()}
