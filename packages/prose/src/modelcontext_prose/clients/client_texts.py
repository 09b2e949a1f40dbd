"""The texts of the clients, and the check that the algorithms quote them step by step, as the specification's do.

Their lists are Markdown, which the reader of sources in speclint reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from modelcontext.ground.checkout import path_in
from modelcontext.spec.specification.code.comments import PythonSource, read_source
from modelcontext.spec.specification.text.algorithms import Step
from modelcontext.spec.specification.text.problems import Place, Problem
from modelcontext_prose.clients.decisions import check_decisions
from modelcontext_prose.clients.quotation import compare_steps
from speclint.text.numbered_steps import read_steps

#: The folder with the algorithms and their texts.
FOLDER: Final = Path("src/modelcontext/judging/clients/algorithms")

_HEADING = re.compile(r"^### (.+)\n", re.MULTILINE)


def steps_of(text: str) -> dict[str, tuple[Step, ...]]:
    """Return the steps of each list of a text, by the name of the list; "" is the first.

    A list stands below "## Steps", and each further one below a heading "### name". Nested items are indented.
    """
    _, _, body = text.partition("\n## Steps\n")
    body, _, _ = body.partition("\n## ")
    first, *others = _HEADING.split(body)
    lists = {"": first, **dict(zip(others[::2], others[1::2], strict=True))}
    return {name: tuple(_steps_in(markdown)) for name, markdown in lists.items()}


def _steps_in(markdown: str) -> Iterator[Step]:
    for top in read_steps(list(enumerate(markdown.splitlines(), start=1))):
        for step in top.walk():
            yield Step(step.number, " ".join(step.raw.split()))


def check_clients(root: Path) -> list[Problem]:
    """Return the differences between the algorithms of clients and their texts, and the decisions that are in no step."""
    problems: list[Problem] = []
    for path in sorted(path_in(root, FOLDER).glob("*.py")):
        source = read_source(path)
        if source.functions:
            problems += _problems(source, FOLDER / path.name)
    return problems


def _problems(source: PythonSource, place: Path) -> Iterator[Problem]:
    text = source.path.with_suffix(".md")
    lists = steps_of(text.read_text(encoding="utf-8")) if text.is_file() else {}
    algorithms = {function.line for function in source.functions}
    for function in source.functions:
        name = "" if function.name == source.path.stem else function.name.replace("_", " ")
        if name not in lists:
            yield Problem("clients", Place(place, function.line), f"{text.name} has no list of its steps", function.id)
            continue
        for difference in compare_steps(lists[name], function.steps):
            number = (difference.step or difference.quoted or Step("", "")).number
            line = difference.quoted.line if difference.quoted is not None else function.line
            message = f"the code and {text.name} differ: {difference.kind}"
            yield Problem("clients", Place(place, line), message, function.id, number)
    for decision in check_decisions(source):
        if decision.function in algorithms:
            yield Problem("clients", Place(place, decision.line), decision.message)
