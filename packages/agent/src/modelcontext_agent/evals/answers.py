"""Canned answers for evaluations: a TOML file that says what the model answers, for all tests or for each of them.

```toml
[[tests]]                            # one table for each evaluation, in the order of the file
name = "adds a tea"                  # the evaluation's name; it is checked
[[tests.answers]]                    # as in modelcontext_agent.models.canned_answers
calls = [{ tool = "add", arguments = { name = "Sencha", amount = 2 } }]
[[tests.answers]]
text = "Two portions of Sencha are in the basket."
```

A file without ``tests`` has one list of answers, and each evaluation gets its answers from the beginning.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext_agent.evals.eval_files import DEEPEST, Reader
from modelcontext_agent.models.canned_answers import CannedAnswer, CannedAnswers, canned_answers_of, read_canned_answers
from modelcontext_agent.models.canned_model import canned_model
from modelcontext_agent.strict_json import depth

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from modelcontext_agent.evals.eval_files import Eval


@dataclass(frozen=True, slots=True)
class LaterAnswers(CannedAnswers):
    """Canned answers for a conversation that already has answers: ``skipped`` of them were given before."""

    skipped: int = 0

    def answer(self, position: int) -> CannedAnswer:
        """Return the answer at a position of the conversation."""
        return CannedAnswers.answer(self, position - self.skipped)


def read_answers(path: Path, evals: Sequence[Eval]) -> list[CannedAnswers]:
    """Return the canned answers for each evaluation.

    Raises:
        EvalError: if the file cannot be read, is not TOML, or has other tests than the evaluations.
        CannedAnswersError: if the answers of a test are wrong.
    """
    reader = Reader(path)
    content = reader.content()
    try:
        data = tomllib.loads(content)
    except RecursionError:
        reader.fail("", "is nested too deeply")
    except ValueError as error:
        reader.fail("", f"is not TOML: {error}")
    if "tests" not in data:
        return [read_canned_answers(path)] * len(evals)
    reader.keys(data, ["tests"], "")
    if depth(data) > DEEPEST:
        reader.fail("", f"has more than {DEEPEST} levels of tables or arrays")
    tests = reader.array(data["tests"], "tests")
    if len(tests) != len(evals):
        reader.fail("tests", f"the answers have {len(tests)} tests, but there are {len(evals)} evaluations")
    found = []
    for index, (item, one) in enumerate(zip(tests, evals, strict=True)):
        place = f"tests[{index}]"
        table = dict(reader.table(item, place, "a test"))
        name = table.pop("name", None)
        if name is not None and reader.text(name, f"{place}.name") != one.name:
            reader.fail(f"{place}.name", f"the evaluation at this place is “{one.name}”, not “{name}”")
        found.append(canned_answers_of(table, f"{path}: {place}"))
    return found


def model_for(canned: CannedAnswers, skipped: int) -> Model:
    """Return a model that gives the canned answers in a conversation that has ``skipped`` answers already."""
    return canned_model(LaterAnswers(canned.answers, canned.file, canned.repeat, canned.delay, skipped))
