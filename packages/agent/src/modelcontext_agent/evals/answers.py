"""Scripted answers for evaluations: a TOML file that says what the model answers, for all tests or for each of them.

```toml
[[tests]]                            # one table for each evaluation, in the order of the file
name = "adds a tea"                  # the evaluation's name; it is checked
[[tests.answers]]                    # as in the scripts of modelcontext_agent.models.scripts
calls = [{ tool = "add", arguments = { name = "Sencha", amount = 2 } }]
[[tests.answers]]
text = "Two portions of Sencha are in the basket."
```

A file without ``tests`` is a script, and each evaluation gets its answers from the beginning.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext_agent.evals.reading import DEEPEST, Reader
from modelcontext_agent.models.scripted import scripted_model
from modelcontext_agent.models.scripts import ModelScript, ScriptedAnswer, read_script, script_of
from modelcontext_agent.pages.listing import depth

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from modelcontext_agent.evals.reading import Eval


@dataclass(frozen=True, slots=True)
class LaterScript(ModelScript):
    """A script for a conversation that already has answers: ``skipped`` of them were given before."""

    skipped: int = 0

    def answer(self, position: int) -> ScriptedAnswer:
        """Return the answer at a position of the conversation."""
        return ModelScript.answer(self, position - self.skipped)


def read_answers(path: Path, evals: Sequence[Eval]) -> list[ModelScript]:
    """Return the script for each evaluation.

    Raises:
        EvalError: if the file cannot be read, is not TOML, or has other tests than the evaluations.
        ScriptError: if a script in it is none.
    """
    reader = Reader(path)
    try:
        data = tomllib.loads(reader.content())
    except RecursionError:
        reader.fail("", "has too many tables or arrays within each other")
    except ValueError as error:
        reader.fail("", f"is not TOML: {error}")
    if "tests" not in data:
        return [read_script(path)] * len(evals)
    reader.keys(data, ["tests"], "")
    if depth(data) > DEEPEST:
        reader.fail("", f"has more than {DEEPEST} tables or arrays within each other")
    tests = reader.array(data["tests"], "tests")
    if len(tests) != len(evals):
        reader.fail("tests", f"there are {len(tests)} tests here, and {len(evals)} evaluations")
    scripts = []
    for index, (item, one) in enumerate(zip(tests, evals, strict=True)):
        place = f"tests[{index}]"
        table = dict(reader.table(item, place, "a test"))
        name = table.pop("name", None)
        if name is not None and reader.text(name, f"{place}.name") != one.name:
            reader.fail(f"{place}.name", f"the evaluation here is “{one.name}”, and not “{name}”")
        scripts.append(script_of(table, f"{path}: {place}"))
    return scripts


def model_for(script: ModelScript, skipped: int) -> Model:
    """Return a model that gives the script's answers in a conversation that has ``skipped`` answers already."""
    return scripted_model(LaterScript(script.answers, script.file, script.repeat, script.delay, skipped))
