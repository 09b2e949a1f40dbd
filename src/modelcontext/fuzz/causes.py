"""What is behind a forbidden outcome, as far as it can be told from where it leaves the allowed ones.

A hundred programs that meet one bug have one cause: the step that was not followed, the kind of thing that it would have
led to, and the kind of thing that was there instead.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from modelcontext.html.user_agent import RunawayError
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.products.base import Ending, Observation
from modelcontext.program import explore
from modelcontext.program.language import Program, ProgramError, ProgramStep
from modelcontext.program.notation import ENTRIES, NOTATIONS
from modelcontext.program.outcome import describe_entry
from modelcontext.program.sample import is_seen
from modelcontext.specification import StepIndex, StepReference

#: How many runs of the model the search for an observed outcome may take: the programs are many, and each is small.
BOUND = 400


#: What is expected where the model fails.
CONTRADICTION = "a model without contradictions"


@dataclass(frozen=True, order=True)
class Cause:
    """``step`` is ``algorithm number`` (empty where none is known), ``expected`` and ``observed`` are kinds of entries."""

    step: str
    expected: str
    observed: str

    def __str__(self) -> str:
        return f"{self.step or 'no step'}: expected {self.expected}, observed {self.observed}"


@dataclass(frozen=True)
class Judgement:
    """What the model says about an observation of a generated program.

    A verdict (:mod:`modelcontext.conformance.judge`) says how a product stands, to people. This says what would make two
    programs one finding, and tells a program that means nothing from a run that failed and a model that contradicts itself.

    ``kind`` is ``"allowed"``, ``"forbidden"`` (there is a ``cause``), ``"undecided"``, ``"unfit"`` (the program means
    nothing under some schedule, or never ends), ``"failed"`` (the run itself) or ``"defect"`` (the specification or
    the model failed: a cause without a product).
    """

    kind: str
    cause: Cause | None = None
    place: str = ""
    observed: str = ""
    allowed: tuple[tuple[str, str], ...] = field(default=())
    detail: str = ""


_STEPS = StepIndex()


def judge(program: Program, observation: Observation, bound: int = BOUND) -> Judgement:
    """Hold an observation against what is allowed. Without a ``bound`` it is only looked for under some schedules."""
    if observation.ending is Ending.ERROR:
        return Judgement("failed", detail=observation.detail)
    try:
        if observation.outcome is None:
            # Whatever the program means, it comes to an end.
            explore.run_once(program)
            cause = Cause("", "an outcome", f"{observation.ending} with {', '.join(sorted(features(program)))}")
            return Judgement("forbidden", cause, "the run", f"{observation.ending}: {observation.detail}")
        if is_seen(program, observation.outcome):
            return Judgement("allowed")
        if bound == 0:
            return Judgement("undecided")
        membership = explore.judge(program, observation.outcome, bound=bound, locator=_STEPS.locate)
    except (ProgramError, RunawayError) as error:
        return Judgement("unfit", detail=str(error))
    except (SpecAssertionError, Exception) as error:
        place = traceback.extract_tb(error.__traceback__)[-1].name
        cause = Cause("", CONTRADICTION, f"{type(error).__name__} in {place}")
        return Judgement("defect", cause, "the model", f"{type(error).__name__}: {error}")
    if membership.departure is not None:
        return _forbidden(membership.departure)
    if membership.kind == "undecided":
        return Judgement("undecided", detail=f"neither found nor excluded in {bound} runs of the model")
    return Judgement("allowed")


def _forbidden(departure: explore.Departure) -> Judgement:
    steps = [(entry, step if isinstance(step, StepReference) else None) for entry, step in departure.allowed]
    named = sorted({f"{step.algorithm} {step.number}" for _, step in steps if step is not None})
    expected = sorted({kind(entry) for entry, _ in steps})
    observed = kind(departure.observed)
    if observed in expected:
        entry = next(entry for entry, _ in steps if kind(entry) == observed)
        observed = f"another {observed} ({', '.join(sorted(set(_differences(entry, departure.observed))))})"
    return Judgement(
        "forbidden",
        Cause(" / ".join(named), " or ".join(expected), observed),
        departure.log if departure.log == "pending" else f"{departure.log}[{departure.index + 1}]",
        describe_entry(departure.observed),
        tuple((describe_entry(entry), str(step) if step is not None else "") for entry, step in steps),
    )


def kind(entry: Mapping[str, Any] | None) -> str:
    """An entry without what belongs to the single program."""
    match entry:
        case None:
            return "nothing more"
        case {"pending": _}:
            return "promises that never settle"
        case {"promise": _, "fulfilled": value}:
            return f"fulfilled with {_type(value)}"
        case {"promise": _, "rejected": value}:
            return f"rejected with {_type(value)}"
        case {"step": _, "threw": value}:
            return f"threw {_type(value)}"
        case {"step": _, "value": value}:
            return f"returned {_type(value)}"
        case {"event": name}:
            return f"event {name}"
        case {"get": _}:
            return "getter"
    return next(key for key in ENTRIES if key in entry)


def _type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list() | {"$array": _}:
            return "an array"
        case {"$error": name}:
            return str(name)
        case {"$js": "undefined"}:
            return "undefined"
        case {"$js": _}:
            return "a number"
        case {"$string": _}:
            return "a string"
        case {"$bigint": _}:
            return "a bigint"
        case {"$symbol": _}:
            return "a symbol"
        case {"$function": _}:
            return "a function"
    return "an object"


def _differences(left: Any, right: Any, path: str = "") -> Iterator[str]:
    """Where two values differ, without the numbers of items."""
    if _realm(left) != _realm(right):
        yield f"{path}: realm"
    elif isinstance(left, dict) and isinstance(right, dict):
        if list(left) != list(right) and set(left) == set(right):
            yield f"{path or 'entry'}: order of members"
        for key in {**left, **right}:
            if key not in left or key not in right:
                yield f"{path}.{key}: {'missing' if key in left else 'too much'}"
            else:
                yield from _differences(left[key], right[key], f"{path}.{key}")
    elif isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if len(left) != len(right):
            yield f"{path}: {'fewer' if len(right) < len(left) else 'more'} items"
        for one, other in zip(left, right, strict=False):
            yield from _differences(one, other, f"{path}[]")
    elif left != right or type(left) is not type(right):
        yield f"{path}: {_type(right)} for {_type(left)}" if _type(left) != _type(right) else f"{path}: {_type(left)}"


def _realm(value: Any) -> Any:
    return value.get("$realm") if isinstance(value, dict) else None


def features(program: Program) -> frozenset[str]:
    """The operations and notations of a program: what a crash, of which nothing else is left, can be told by."""
    found: set[str] = set()
    for script in program.script.values():
        for step in script:
            found.add(step.do)
            found.update(f"nested {nested.do}" for outer in step.nested() for nested in outer.walk())
            found.update(_notations(step.arguments))
    found.update("frame" for spec in program.documents.values() if spec.parent)
    found.update("popup" for spec in program.documents.values() if spec.opener)
    return frozenset(found)


def _notations(value: Any) -> Iterator[str]:
    if isinstance(value, ProgramStep):
        return
    if isinstance(value, Mapping):
        yield from (key for key in value if key in NOTATIONS and key not in ("$tool", "$js"))
        parts: Iterable[Any] = value.values()
    elif isinstance(value, list | tuple):
        parts = value
    else:
        return
    for part in parts:
        yield from _notations(part)
