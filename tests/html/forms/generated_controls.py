"""Generated input elements: attributes and values around the boundaries of every state, from a fixed seed."""

from __future__ import annotations

import random
from typing import NamedTuple

from modelcontext.platform.html.forms.input_types import InputType


def words(text: str) -> list[str]:
    """Return the parts of a text between single spaces."""
    return text.split(" ")


NUMBERS = words(
    "0 1 -1 2 5 10 100 101 -0 .5 -.5 0.1 0.2 0.3 0.30000000000000004 1.5 3e1 1E-2 1e+2 99.99 1e21 1e-7 5e-324 1e308 "
    "123456789012345678901234567890 0.1234567890123456789 007 1. +5 1e 1e+ - . e5 0x10 1,5 NaN Infinity 1e400 -1e400 1.e5 "
    "--1 1-1 9007199254740993 2.50 1.05 1.15 33.333333333333336"
)
DATES = words(
    "1970-01-01 1970-01-02 1969-12-31 2000-02-29 1900-02-29 2023-02-29 2024-02-29 2023-04-31 2023-12-31 0001-01-01 "
    "0000-01-01 0004-02-29 9999-12-31 10000-01-01 275760-09-13 275760-09-14 00002023-01-01 2023-1-1 23-01-01 2023-13-01 "
    "2023-00-10 2023-01-00 2023-01-32 2023/01/01 2023-01-01T -2023-01-01 +2023-01-01 1970-01-04 1970-01-07 2023-06-15"
)
MONTHS = words(
    "1970-01 1970-02 1969-12 2023-12 2023-13 2023-00 0001-01 0000-12 9999-12 10000-01 275760-09 275760-10 2023-1 2023 "
    "02023-05 2023-01-01 2000-06 1971-01 2023_01"
)
WEEKS = words(
    "1970-W01 1970-W02 1969-W52 1970-W53 2020-W53 2021-W53 2015-W53 2016-W53 2004-W53 2023-W00 2023-W1 2023-W01 2023-w01 "
    "0001-W01 0000-W01 9999-W52 275760-W37 275760-W38 2023W01 2023-W054 02023-W05 1976-W53 2026-W53"
)
TIMES = words(
    "00:00 00:01 12:00 23:59 24:00 12:60 12:00:00 12:00:30 12:00:60 12:00:00.0 12:00:00.1 12:00:00.12 12:00:00.123 "
    "12:00:00.1234 12:00:00. 12:00: 1:00 12:0 12:00:5 12:00:30.500 23:59:59.999 06:30 18:30:15 22:00 02:00 12.00 12:00Z "
    "012:00 00:00:00.001 00:00:00.0005"
)
COLORS = words(
    "#000000 #ffffff #FFFFFF #AbCdEf #abc #abcd #12345 #1234567 #12345678 #gggggg 000000 red RED rebeccapurple transparent "
    "rgb(1,2,3) rgb(1%,2%,300%) rgb(127.5,0.5,1.4) rgba(1,2,3,.5) hsl(120,50%,50%) hsl(120deg_50%_50%) hwb(10_20%_30%) "
    "oklch(60%_.1_20) lab(50_20_20) color(display-p3_1_0_0) color(srgb_.5_.5_.2) currentcolor var(--x) inherit none "
    "rgb(1,2) rgb(1_2,3) ## # rgb(none_1_2)"
)
EMAILS = words(
    "a@b a@b.c a.b+c@d.e.f a@ @b a a@b@c a@-b a@b- a@b..c a@.b .a@b a..b@c a@b,c@d a@b,_c@d a@b,,c@d ,a@b , ,, "
    "a'b@c a\"b@c ä@b a@ä.de a@b_c a_b@c a@1.2.3.4 a@[1.2.3.4]"
)
EMAILS += [f"a@{'b' * 63}", f"a@{'b' * 64}", f"{'a' * 65}@b", f"a@{'b' * 63}.{'c' * 63}"]
URLS = words(
    "https://a.test http://a a.test //a.test /x mailto:a@b foo:bar foo: : https: https:// http://[ http://a:99999 "
    "https://a.test:443/x?y#z javascript:1 data:,x about:blank https://ä.test HTTP://A.test http://a_b file:///x "
    "https:a.test http:/a \ud800 https://a/\ud800 h\u00e9:x"
)
TEXTS = words("a b ab abc aaa A 1 12 123 a1 ä 😀 a😀 x-y x.y foo bar FOO a@b https://a.test 2023-01-01 # * \ud83d")
PATTERNS = words(
    r"[a-z]+ \d+ [a-z]* .{3} . .. a|b a|bc ^a$ (a)\1 [ [( [(] [\(] ( ) a{2,1} a{2} * + \p{L}+ \p{Lu} \P{L} "
    r"[\p{L}--[a-z]]+ [[a-z]&&[abc]]+ [a-z&&[abc]]+ \q [\q{abc|d}] \- [\-] [-] [a-] [a&&&b] [!!] (?<n>a)\k<n> \k<n> "
    r"(?<=a)b (?!a).* [^a]+ [^] [] \u{1F600} 😀 \ud83d \u{110000} a)|(b \/ / https?://.* [^@]+@[^@]+ \c \cA \x61 \x6"
)
STEPS = words("1 2 0.1 0.01 0.3 3 7 any ANY 0 -1 x 1.5 0.5 0.001 0.0005 60 3600 1e400 1e-400 +2 30 12 1e2")

VALUES: dict[InputType, list[str]] = {
    InputType.DATE: DATES,
    InputType.MONTH: MONTHS,
    InputType.WEEK: WEEKS,
    InputType.TIME: TIMES,
    InputType.DATETIME_LOCAL: [],
    InputType.NUMBER: NUMBERS,
    InputType.RANGE: NUMBERS,
    InputType.COLOR: [color.replace("_", " ") for color in COLORS],
    InputType.EMAIL: [email.replace("_", " ") for email in EMAILS],
    InputType.URL: URLS,
}
#: What surrounds some values: sanitization takes it away, keeps it, or drops the value for it.
FRAMES = (("", ""),) * 12 + (
    (" ", ""),
    ("", " "),
    ("\n", ""),
    ("", "\r\n"),
    ("\t", "\f"),
    ("\u00a0", ""),
    ("", "x"),
    ("-", ""),
)


class Control(NamedTuple):
    """An input element with its content attributes, the value that script gives it, and its checkedness."""

    type: InputType
    attributes: dict[str, str]
    value: str
    checked: bool


def a_value(chance: random.Random, type: InputType, framed: bool = True) -> str:
    """Return a value that a state may take, or nearly."""
    if type is InputType.DATETIME_LOCAL:
        value = chance.choice(DATES) + chance.choice("TTTT  t_") + chance.choice(TIMES)
    elif chance.random() < 0.08:
        value = chance.choice(["", *chance.choice(list(VALUES.values())), *TEXTS])
    else:
        value = chance.choice(VALUES.get(type, TEXTS))
    before, after = chance.choice(FRAMES) if framed else ("", "")
    return f"{before}{value}{after}"


def controls(number: int, seed: int = 18) -> list[Control]:
    """Return so many generated controls; every state has as many as every other."""
    chance = random.Random(seed)
    types = list(InputType)
    made = []
    for index in range(number):
        type = types[index % len(types)]
        attributes = {}
        for name in ("min", "max", "value"):
            if chance.random() < 0.4:
                attributes[name] = a_value(chance, type, framed=chance.random() < 0.2)
        if chance.random() < 0.4:
            attributes["step"] = chance.choice(STEPS)
        if chance.random() < 0.5:
            attributes["pattern"] = chance.choice(PATTERNS)
        for name, likely in (("required", 0.4), ("readonly", 0.15), ("disabled", 0.1), ("multiple", 0.4)):
            if chance.random() < likely:
                attributes[name] = ""
        for name in ("minlength", "maxlength"):
            if chance.random() < 0.2:
                attributes[name] = chance.choice(("0", "1", "2", "-1", "x"))
        if chance.random() < 0.5:
            attributes["name"] = f"name-{index}"
        value = "" if chance.random() < 0.1 else a_value(chance, type)
        made.append(Control(type, attributes, value, chance.random() < 0.5))
    return made
