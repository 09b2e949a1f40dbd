"""The mutations, one script each, ``ALGORITHM/NAME.js``.

A script begins with its description:

.. code-block:: js

    // A sentence that says what differs from the specification.
    // Breaks: step 7
    // Seen through: dom-modelcontext-gettools
    // Noticed by: get-tools.https.html

``Breaks`` names the step of the algorithm, or ``Web IDL`` for conversions before the first step and for properties of
methods and attributes. ``Seen through``, if there, names algorithms by whose effects a page notices the mutation.
``Noticed by`` names a file of the suite that notices it, and that is tried first. Each script runs after ``prelude.js``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from modelcontext.ground.problems import UserError
from modelcontext.spec.specification import load_algorithms

#: The folder of the scripts.
SCRIPTS: Final = Path(__file__).parent / "scripts"

_HEADER = re.compile(
    r"(?P<summary>(?:// (?!Breaks:|Seen through:).+\n)+)"
    r"// Breaks: (?:step (?P<step>[\w.]+)|Web IDL)\n"
    r"(?:// Seen through: (?P<through>.+)\n)?"
    r"(?:// Noticed by: (?P<noticed_by>\S+)\n)?\n"
)


class MutationError(UserError, ValueError):
    """A mutation's script has no valid head, or a mutation that was asked for does not exist."""


@dataclass(frozen=True)
class Mutation:
    """One broken rule. ``step`` is ``None`` for a rule of Web IDL; ``script`` is the whole text to run."""

    name: str
    algorithm: str
    step: str | None
    summary: str
    through: Sequence[str]
    noticed_by: str | None
    script: str

    @property
    def rule(self) -> str:
        """The broken rule in words."""
        return f"step {self.step}" if self.step is not None else "Web IDL"


def load_mutations(names: Sequence[str] = ()) -> list[Mutation]:
    """Return all mutations, in the order of the algorithms they break, or those with these names.

    A name that ends in ``/`` stands for all mutations of an algorithm. Raises :class:`MutationError`.
    """
    known = _read_all()
    if not names:
        return list(known.values())
    chosen: dict[str, Mutation] = {}
    for name in names:
        found = [name] if name in known else [one for one in known if name.endswith("/") and one.startswith(name)]
        if not found:
            raise MutationError(f'there is no mutation "{name}"; a name is ALGORITHM/NAME, or ALGORITHM/ for all of it')
        chosen |= {one: known[one] for one in found}
    return list(chosen.values())


@cache
def _read_all() -> Mapping[str, Mutation]:
    steps = {algorithm.id: {step.number for step in algorithm.steps} for algorithm in load_algorithms()}
    mutations = {}
    for algorithm in steps:
        for path in sorted((SCRIPTS / algorithm).glob("*.js")):
            mutation = _read(path)
            if mutation.step is not None and mutation.step not in steps[algorithm]:
                raise MutationError(f"{path}: {algorithm} has no step {mutation.step}")
            for other in mutation.through:
                if other not in steps:
                    raise MutationError(f"{path}: there is no algorithm {other}")
            mutations[mutation.name] = mutation
    return mutations


def _read(path: Path) -> Mutation:
    text = path.read_text(encoding="utf-8")
    match = _HEADER.match(text)
    if match is None:
        raise MutationError(f"{path}: the head of this file needs a summary, and a line that begins with // Breaks:")
    name = f"{path.parent.name}/{path.stem}"
    return Mutation(
        name=name,
        algorithm=path.parent.name,
        step=match["step"],
        summary=" ".join(line.removeprefix("// ") for line in match["summary"].splitlines()),
        through=tuple(re.split(r",\s*", match["through"])) if match["through"] else (),
        noticed_by=match["noticed_by"],
        script=whole_script(text, name),
    )


def unchanged() -> str:
    """Return a script that changes the API in the ways of mutations, and breaks no rule."""
    return whole_script((SCRIPTS / "unchanged.js").read_text(encoding="utf-8"), "unchanged")


def whole_script(text: str, name: str) -> str:
    """Return the script for a document: the prelude and the text of a mutation, which run only if there is the API."""
    prelude = (SCRIPTS / "prelude.js").read_text(encoding="utf-8")
    return (
        '(() => {\n"use strict";\nif (typeof ModelContext === "undefined") {\n  return;\n}\n'
        f"{prelude}{{\n{text}}}\n}})();\n//# sourceURL=mutation/{name}.js\n"
    )
