"""The addresses of pages.

A link to a page of the site is written ``site:PATH``, and becomes relative when the page is written: so the folder works
from a file system, below any path of a server, and after it was moved.

A step has an address made of its own words, because its number changes whenever a step before it comes or goes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from modelcontext.spec.specification import Algorithm

_LINK: Final = re.compile(r'\b(href|src|action)="site:([^"#?]*)([^"]*)"')
#: The words of a step in its address; more are used for steps that begin alike.
FEW: Final = 8
MANY: Final = 16


def slug(text: str, most: int = FEW) -> str:
    """Return the first words of a text as part of an address."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower())[:most]) or "step"


def relative(html: str, path: str) -> str:
    """Return the text of a page with its links to other pages relative to its own ``path``."""
    up = "../" * (len(PurePosixPath(path).parts) - 1)

    def link(match: re.Match[str]) -> str:
        attribute, target, rest = match.groups()
        return f'{attribute}="{rest if target == path and rest.startswith("#") else up + target + rest}"'

    return _LINK.sub(link, html)


def names_of_steps(algorithm: Algorithm) -> Mapping[str, str]:
    """Return the name of each step in addresses, by its number: its first words, with those of the step above if need be."""
    words = {step.number: step.text for step in algorithm.steps}

    def with_parent(number: str) -> str:
        parent = number.rpartition(".")[0]
        own = slug(words[number], MANY)
        return f"{slug(words[parent], MANY)}.{own}" if parent in words else own

    named: dict[str, str] = {}
    levels: Sequence[Mapping[str, str]] = (
        {number: slug(text) for number, text in words.items()},
        {number: slug(text, MANY) for number, text in words.items()},
        {number: with_parent(number) for number in words},
    )
    for names in levels:
        counts = Counter(names.values())
        taken = set(named.values())
        named |= {
            number: name
            for number, name in names.items()
            if number not in named and counts[name] == 1 and name not in taken
        }
    seen = Counter[str](named.values())
    for number, name in levels[-1].items():
        if number not in named:
            seen[name] += 1
            named[number] = f"{name}-{seen[name]}"
    return named


def page_of_step(algorithm: str, name: str) -> str:
    """Return the path of the page of a step, given by its name in addresses."""
    return f"steps/{algorithm}/{name}.html"
