"""Numbers in HTML (https://html.spec.whatwg.org/#numbers), with exact arithmetic.

A parsed number is a :class:`~fractions.Fraction`. Of a floating-point number it is the shortest decimal that denotes the
IEEE 754 number, so that 0.3 is three times 0.1: what the standard says of steps then holds as its readers expect.
"""

from __future__ import annotations

import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Final

from modelcontext.platform.ecmascript.json import number_to_string

#: The digits that Python reads as one integer; it refuses some thousands, and takes quadratic time.
_DIGITS: Final = 1000
_INTEGER: Final = re.compile(r"[\t\n\f\r ]*([+-]?)([0-9]+)")
_FLOATING_POINT: Final = re.compile(
    r"[\t\n\f\r ]*([+-]?(?:[0-9]+(?:\.(?:[0-9]+|(?=[eE])))?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
)
_VALID_FLOATING_POINT: Final = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def base_ten_integer(digits: str) -> int:
    """Return ASCII digits interpreted as a base-ten integer, however many they are."""
    if len(digits) <= _DIGITS:
        return int(digits)
    half = len(digits) // 2
    power: int = 10**half
    return base_ten_integer(digits[:-half]) * power + base_ten_integer(digits[-half:])


def rules_for_parsing_integers(input: str) -> int | None:
    """https://html.spec.whatwg.org/#rules-for-parsing-integers; None is an error."""
    match = _INTEGER.match(input)
    if match is None:
        return None
    value = base_ten_integer(match[2])
    return -value if match[1] == "-" else value


def rules_for_parsing_non_negative_integers(input: str) -> int | None:
    """https://html.spec.whatwg.org/#rules-for-parsing-non-negative-integers; None is an error."""
    value = rules_for_parsing_integers(input)
    return None if value is None or value < 0 else value


def is_a_valid_floating_point_number(input: str) -> bool:
    """https://html.spec.whatwg.org/#valid-floating-point-number"""
    return _VALID_FLOATING_POINT.fullmatch(input) is not None


def rules_for_parsing_floating_point_number_values(input: str) -> Fraction | None:
    """https://html.spec.whatwg.org/#rules-for-parsing-floating-point-number-values; None is an error."""
    match = _FLOATING_POINT.match(input)
    if match is None:
        return None
    rounded = float(match[1])
    if math.isinf(rounded):
        return None  # The rounded value is 2^1024 or -2^1024.
    return Fraction(Decimal(repr(rounded)))


def best_representation_as_a_floating_point_number(number: Fraction) -> str:
    """https://html.spec.whatwg.org/#best-representation-of-the-number-as-a-floating-point-number

    The result is a JSON number as well. A number beyond the range of IEEE 754 is represented by the greatest one of its
    sign, since there is no closer one.
    """
    try:
        value = float(number)
    except OverflowError:
        value = sys.float_info.max if number > 0 else -sys.float_info.max
    return number_to_string(value)
