"""The cause of a forbidden outcome, by the place where it leaves the allowed ones.

A hundred programs that meet one bug have one cause: the step that was not followed, the kind of entry that it leads to,
and the kind of entry that was observed instead.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.notation import ENTRIES, NOTATIONS
from modelcontext.programs.program.outcome import describe_entry
from modelcontext.programs.program.references import tables_of
from modelcontext.programs.program.sample import BEFORE_A_SEARCH, SCHEDULES, schedules_until_seen
from modelcontext.running.products.base import Ending, Observation
from modelcontext.spec.specification import StepIndex, StepReference

if TYPE_CHECKING:
    from modelcontext.programs.program.departure import Departure


class Limits(NamedTuple):
    """The limits of runs of the model in the searches for an observed outcome: the first one, and the last one."""

    first: int
    last: int


#: The limits for a program: the programs are many, and few need the search that has the last word.
LIMITS = Limits(400, 20_000)

#: The expectation of a cause in the model itself.
CONTRADICTION = "a model without contradictions"


@dataclass(frozen=True, order=True)
class Cause:
    """A cause. ``step`` is ``algorithm number``, or empty; ``expected`` and ``observed`` are kinds of entries."""

    step: str
    expected: str
    observed: str

    def __str__(self) -> str:
        return f"{self.step or 'no step'}: expected {self.expected}, observed {self.observed}"


#: The kinds of diagnoses. A ``forbidden`` outcome has a cause, and is ``explained`` if a profile predicts it. A program is
#: ``unfit`` if it has no meaning under some schedule, or never ends. A run that itself failed is ``failed``. With a
#: ``defect`` the specification or the model failed: a cause without a product.
Kind: TypeAlias = Literal["allowed", "forbidden", "explained", "undecided", "unfit", "failed", "defect"]


@dataclass(frozen=True)
class Diagnosis:
    """The model's diagnosis of an observation of a generated program.

    A verdict (:mod:`modelcontext.judging.conformance.verdict`) tells people the standing of a product. A diagnosis has the
    cause that makes two programs one finding, and tells apart an unfit program, a failed run and a contradiction of the model.
    """

    kind: Kind
    cause: Cause | None = None
    place: str = ""
    observed: str = ""
    allowed: tuple[tuple[str, str], ...] = ()
    detail: str = ""


_STEPS = StepIndex()


def diagnose(program: Program, observation: Observation, bound: int = LIMITS.first) -> Diagnosis:
    """Compare an observation with the allowed outcomes. With a ``bound`` of 0 only a few schedules are sampled."""
    if observation.ending is Ending.ERROR:
        return Diagnosis("failed", detail=observation.detail)
    try:
        if observation.outcome is None:
            # Every program ends in the model, unless it is unfit.
            run_once(program)
            cause = Cause("", "an outcome", f"{observation.ending} with {', '.join(sorted(features(program)))}")
            return Diagnosis("forbidden", cause, "the run", f"{observation.ending}: {observation.detail}")
        most = BEFORE_A_SEARCH if bound else SCHEDULES
        if schedules_until_seen(program, observation.outcome, most=most) is not None:
            return Diagnosis("allowed")
        if bound == 0:
            return Diagnosis("undecided")
        membership = judge(program, observation.outcome, bound=bound, locator=_STEPS.locate)
    except (ProgramError, RunawayError) as error:
        return Diagnosis("unfit", detail=str(error))
    except (SpecAssertionError, Exception) as error:
        place = traceback.extract_tb(error.__traceback__)[-1].name
        cause = Cause("", CONTRADICTION, f"{type(error).__name__} in {place}")
        return Diagnosis("defect", cause, "the model", f"{type(error).__name__}: {error}")
    if membership.departure is not None:
        return _forbidden(membership.departure)
    if membership.kind == "undecided":
        return Diagnosis("undecided", detail=f"neither found nor excluded in {bound:,} runs of the model")
    return Diagnosis("allowed")


def _forbidden(departure: Departure) -> Diagnosis:
    steps = [(entry, step if isinstance(step, StepReference) else None) for entry, step in departure.allowed]
    named = sorted({f"{step.algorithm} {step.number}" for _, step in steps if step is not None})
    expected = sorted({kind(entry) for entry, _ in steps})
    observed = kind(departure.observed)
    if observed in expected:
        entry = next(entry for entry, _ in steps if kind(entry) == observed)
        observed = f"another {observed} ({', '.join(_kinds_of(_differences(entry, departure.observed)))})"
    return Diagnosis(
        "forbidden",
        Cause(" / ".join(named), " or ".join(expected), observed),
        departure.log if departure.log == "pending" else f"{departure.log}[{departure.index + 1}]",
        describe_entry(departure.observed),
        tuple((describe_entry(entry), str(step) if step is not None else "") for entry, step in steps),
    )


def kind(entry: Mapping[str, Any] | None) -> str:
    """Return the kind of an entry, without the details of a single program."""
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
        case str() | {"$string": _}:
            return "a string"
        case list() | {"$array": _}:
            return "an array"
        case {"$error": name}:
            return str(name)
        case {"$js": "undefined"}:
            return "undefined"
        case int() | float() | {"$js": _}:
            return "a number"
        case {"$bigint": _}:
            return "a bigint"
        case {"$symbol": _}:
            return "a symbol"
        case {"$function": _}:
            return "a function"
    return "an object"


def _differences(left: Any, right: Any, path: str = "") -> Iterator[str]:
    """Yield the places where two values differ, without the indices of items."""
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


# A place in the schema of one parameter of a form, with the parameter's name.
_PARAMETER = re.compile(r"(\.inputSchema\.properties)\.[^.:]*")


def _kinds_of(differences: Iterable[str]) -> list[str]:
    """Return the kinds of differences. Of those in the schemas of parameters only the first counts, without the name.

    Each parameter of a form can show another deviation, and any of them can stand in one form.
    """
    found = sorted(set(differences))
    of_parameters = [_PARAMETER.sub(r"\1.*", text) for text in found if _PARAMETER.search(text)]
    return sorted(of_parameters)[:1] or found


def _realm(value: Any) -> Any:
    return value.get("$realm") if isinstance(value, dict) else None


def features(program: Program) -> frozenset[str]:
    """Return the operations, notations and documents of a program: the only things that tell crashes apart."""
    found: set[str] = set()
    for script in program.script.values():
        for step in script:
            found.add(step.do)
            found.update(f"nested {nested.do}" for outer in step.nested() for nested in outer.walk())
            keys = {key for table, _ in tables_of(step) for key in table}
            found.update(key for key in keys if key in NOTATIONS and key not in ("$tool", "$js"))
    found.update("frame" for spec in program.documents.values() if spec.parent)
    found.update("popup" for spec in program.documents.values() if spec.opener)
    return frozenset(found)
