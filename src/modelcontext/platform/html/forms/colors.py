"""Colors in HTML (https://html.spec.whatwg.org/#colors), read by coloraide, or in a page by the page's own color control."""

from __future__ import annotations

import math
import re
import sys
from typing import Final

from modelcontext.platform.infra.strings import ASCII_WHITESPACE

_SIMPLE_COLOR: Final = re.compile("#[0-9a-fA-F]{6}")

if sys.platform == "emscripten":
    import js

    def _parse(value: str) -> str | None:
        if not hasattr(js, "document"):
            return None  # A worker has no color control, so only simple colors are known there.
        control = js.document.createElement("input")
        control.type, control.value = "color", value
        return str(control.value)
else:

    def _parse(value: str) -> str | None:
        from coloraide import Color  # It takes long to import, and few controls have other colors than simple ones.

        # Left out: colors that depend on a user agent or on an element (system colors, currentcolor), mixtures, calculations.
        if not value.isascii() or "--" in value:
            return None  # CSS has no such color, but the library has.
        match = Color.match(value, fullmatch=True)
        if match is None:
            return None
        components = match.color.convert("srgb").coords(nans=False)
        return "#" + "".join(f"{min(max(math.floor(component * 255 + 0.5), 0), 255):02x}" for component in components)


def is_a_valid_simple_color(input: str) -> bool:
    """https://html.spec.whatwg.org/#valid-simple-colour"""
    return _SIMPLE_COLOR.fullmatch(input) is not None


def update_a_color_well_control_color(value: str) -> str:
    """https://html.spec.whatwg.org/#update-a-color-well-control-color

    Args:
        value: the element's value.

    Returns:
        the new value, serialized as for an element with neither ``alpha`` nor ``colorspace``.
    """
    if is_a_valid_simple_color(value):
        return value.lower()
    return _parse(value.strip(ASCII_WHITESPACE)) or "#000000"
