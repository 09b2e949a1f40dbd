"""The rule about objects that are made where their interface is not exposed.

Script in such a global object gets an object whose interface it cannot name, and whose prototype no realm of this kind has.
The steps of a member run where the IDL exposes the member. Other steps run where the members run that call them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, cast

from pywebidl2 import expr

from speclint.finding import Context, LintFinding, at
from speclint.flow.conditions import canonical
from speclint.flow.graph import nodes_before
from speclint.flow.queued_tasks import task_of
from speclint.flow.values_of_variables import THIS, owners_of, values_of
from speclint.text.idl import parse_idl
from speclint.text.markup import readable

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode, Routine
    from speclint.text.source_model import SourceAlgorithm

_MADE = re.compile(
    r"(?:\[=(?:new|create|creating)=\]|\b(?:new|[Cc]reat(?:e|ing) an?))(?: \[=[^=]+=\])? \{\{(\w+)\}\}(?: in (\|[^|]+\|))?"
    r"|\[=fir(?:e|ing) [^=]*=\].*? using \{\{(\w+)\}\}()",
    re.IGNORECASE,
)
#: Words of a test or an Assert that say in which kind of global object the steps run.
_TESTS = re.compile(r"\b(?:global(?: object)?|settings object|realm|environment)\b|\{\{\w*(?:Window|GlobalScope)\}\}")
#: The kinds of global objects that a name of Exposed stands for, if they are several.
_KINDS: Final[dict[str, frozenset[str]]] = {
    "Worker": frozenset({"DedicatedWorker", "SharedWorker", "ServiceWorker"}),
    "Worklet": frozenset({"AudioWorklet", "PaintWorklet", "LayoutWorklet", "AnimationWorklet", "SharedStorageWorklet"}),
}
_EVERYWHERE: Final = "*"


def check_exposure(context: Context) -> Iterator[LintFinding]:
    """Find steps that make an object of an interface of the text where the IDL does not expose the interface."""
    exposed = _exposures(context)
    calling: dict[str, list[SourceAlgorithm]] = {}
    for calls in context.knowledge.calls.values():
        for call in calls:
            is_tested = _TESTS.search(" ".join(one.text for one in _tests_before(call.node)))
            if not is_tested and _runs_here(context, call.node.routine):
                calling.setdefault(call.callee.id, []).append(call.node.routine.algorithm)
    for routine in context.knowledge.routines:
        for node in routine.nodes if _runs_here(context, routine) else ():
            for match in _MADE.finditer(canonical(node.text)):
                made = match[1] or match[3]
                there = exposed.get((made, ""))
                if (
                    there is None
                    or not _is_given(match[2], routine.algorithm)
                    or _TESTS.search(" ".join(one.text for one in _tests_before(node)))
                ):
                    continue
                for member, where in _members_that_run(routine.algorithm, calling, exposed):
                    if missing := _missing(where, there):
                        yield at(
                            node,
                            "unexposed-interface",
                            f"{made} is not exposed in {', '.join(sorted(missing))}, where {member} runs",
                            "expose the interface there, or the member only where the interface is",
                        )
                        break


def _runs_here(context: Context, routine: Routine) -> bool:
    """Return whether steps run for the global object of the steps that begin them, as far as the words say it."""
    task = task_of(context.knowledge, routine)
    if task is not None and THIS not in owners_of(task.receiver, values_of(routine.algorithm)):
        return False
    return routine.begun_at is None or _runs_here(context, routine.begun_at.routine)


def _is_given(realm: str | None, algorithm: SourceAlgorithm) -> bool:
    """Return whether an object is made in the realm of this, or in one that the callers give."""
    owners = owners_of(realm, values_of(algorithm)) if realm else [THIS]
    return THIS in owners or (bool(owners) and owners[-1].strip("|") in algorithm.parameters)


def _tests_before(node: FlowNode) -> list[FlowNode]:
    return [one for one in nodes_before(node) if one.kind == "test" or readable(one.text).startswith("Assert")]


def _members_that_run(
    algorithm: SourceAlgorithm,
    calling: dict[str, list[SourceAlgorithm]],
    exposed: dict[tuple[str, str], frozenset[str]],
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the members whose steps are or call an algorithm, each with the kinds of global objects that have it."""
    found = {algorithm.id: algorithm}
    waiting = [algorithm]
    while waiting:
        current = waiting.pop()
        if current.kind == "algorithm":
            callers = {one.id: one for one in calling.get(current.id, ()) if one.id not in found}
            found |= callers
            waiting += callers.values()
            continue
        owner = current.owner or current.name
        name = "" if current.kind == "constructor" else current.name
        where = exposed.get((owner, name)) or exposed.get((owner, ""))
        if where is not None:
            yield f"{owner}'s {name or 'constructor'}", where


def _missing(where: frozenset[str], there: frozenset[str]) -> frozenset[str]:
    return frozenset() if _EVERYWHERE in there else where - there


def _exposures(context: Context) -> dict[tuple[str, str], frozenset[str]]:
    """Return the kinds of global objects in which each interface ("" as its member) and each member is exposed."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    definitions = [one for _, block in context.text.idl_blocks for one in parse_idl(block, context.text.path)]
    for definition in definitions:
        if not isinstance(definition, expr.Interface):
            continue
        of_block = _exposed(definition.ext_attrs)
        if of_block and not definition.partial:
            found[definition.name, ""] = of_block
        for member in cast("list[Any]", definition.members):
            name = getattr(member, "name", "")
            own = _exposed(member.ext_attrs) or (of_block if definition.partial else None)
            if own and name:
                # Of two members with one name, either can be called.
                found[definition.name, name] = found.get((definition.name, name), frozenset()) | own
    return found


def _exposed(attributes: list[expr.ExtendedAttribute] | None) -> frozenset[str] | None:
    for one in attributes or ():
        if one.name == "Exposed" and one.rhs is not None:
            values = one.rhs.value if isinstance(one.rhs.value, list) else [one.rhs]
            names = [str(value.value) for value in values]
            return frozenset().union(*(_KINDS.get(name, frozenset({name})) for name in names))
    return None
