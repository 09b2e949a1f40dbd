"""Rules about variables: defined before they are used, once, and used at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, at, of
from speclint.flow import phrases
from speclint.flow.graph import nodes_before
from speclint.flow.knowledge import is_patch
from speclint.text.markup import variables

if TYPE_CHECKING:
    from speclint.flow.conditions import KnownFact
    from speclint.flow.graph import FlowNode, Routine

#: Variables of prose that need no definition.
_FREE = frozenset({"this", "global"})


def check_undefined(context: Context) -> Iterator[LintFinding]:
    """Find variables that are used where a way leads past their definition."""
    for builder in context.knowledge.builders.values():
        for name, node in _undefined(context, builder.main).items():
            exists = any(name in phrases.let_variables(other.text) for other in node.routine.nodes)
            yield at(
                node,
                "undefined-variable",
                f"{name} is used here, but is {_where_defined(node, name)}",
                "define it before its first use" if exists else "correct its name, or define it with Let",
            )


def _undefined(context: Context, main: Routine) -> dict[str, FlowNode]:
    """Return the variables of an algorithm that a way leads to without a definition, with the first node that reads each."""
    found: dict[str, FlowNode] = {}
    if is_patch(main.algorithm):
        return found
    for routine in main.walk():
        around = _made_around(routine)
        for node in routine.nodes:
            state = context.states.before(node)
            if state is None or not node.text:
                continue
            own = {*phrases.bound(node.text), *node.binds, *_inner(node), *around}
            for name in _read(node):
                if name not in state.defined and name not in own and not _is_exempt(node, name):
                    found.setdefault(name, node)
    return found


def _made_around(routine: Routine) -> set[str]:
    """Return the variables of the steps around steps that are a value: they may run after all of these."""
    if routine.kind != "steps" or routine.begun_at is None:
        return set()
    outside = routine.begun_at.routine
    return {name for node in outside.nodes for name in phrases.let_variables(node.text)} | _made_around(outside)


def _where_defined(node: FlowNode, name: str) -> str:
    is_somewhere = any(name in (*phrases.bound(one.text), *one.binds) for one in nodes_before(node))
    return "not defined on every path" if is_somewhere else "defined on no path"


def _read(node: FlowNode) -> list[str]:
    return phrases.used(node.text)


def _inner(node: FlowNode) -> set[str]:
    """Return the variables that the routines which a node begins are given."""
    return {name for routine in node.begins for name in routine.parameters} | {
        name for routine in node.begins if routine.kind == "reaction" for name in phrases.bound(node.text)
    }


def _is_exempt(node: FlowNode, name: str) -> bool:
    if any(f"|{name}| is not defined" in one.text for one in node.routine.nodes):
        return True
    # A switch on cases names what it binds in the case.
    return name in _FREE or (node.step is not None and node.step.is_case and node.kind == "action")


def check_shadowed(context: Context) -> Iterator[LintFinding]:
    """Find declarations of a variable that has a value already."""
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            state = context.states.before(node)
            if state is None or not node.text:
                continue
            declared = [*(phrases.let_variables(node.text)), *node.binds]
            for name in declared:
                if name in state.defined and not _is_own_loop(node, name) and not _is_default(node, name):
                    yield at(
                        node,
                        "shadowed-variable",
                        f"{name} is declared, and has a value already",
                        "give one of the two another name, or write Set if the value is to change",
                    )
            for child in node.begins:
                for name in child.parameters:
                    if name in state.defined and child.kind == "steps":
                        yield at(
                            node,
                            "shadowed-variable",
                            f"{name} is an argument of these steps, but the outer steps have a variable with the same name",
                            "give one of the two another name",
                        )


def _is_default(node: FlowNode, name: str) -> bool:
    """Return whether a step gives a parameter the value that it has if none is given."""
    words = r"(?:not (?:given|passed|provided|present|supplied|specified)|missing|omitted|absent)"
    pattern = rf"\|{re.escape(name)}\| (?:is|was|were) {words}"
    return node.step is not None and re.search(pattern, node.step.text) is not None


def _is_own_loop(node: FlowNode, name: str) -> bool:
    """Return whether the value is that of the same step, in the round before."""
    others = [
        one for one in _all_nodes(node.routine) if one is not node and name in (*phrases.bound(one.text), *one.binds)
    ]
    top = node.routine
    while top.begun_at is not None:
        if name in top.parameters:
            return False
        top = top.begun_at.routine
    return not others and name not in top.parameters


def _all_nodes(routine: Routine) -> Iterator[FlowNode]:
    yield from routine.nodes
    if routine.begun_at is not None:
        yield from _all_nodes(routine.begun_at.routine)


def check_unused(context: Context) -> Iterator[LintFinding]:
    """Find variables and parameters that no step reads."""
    for builder in context.knowledge.builders.values():
        main = builder.main
        algorithm = main.algorithm
        text = "\n".join(step.text for step in algorithm.walk())
        counts: dict[str, int] = {}
        for name in variables(_READ.sub("", text)):
            counts[name] = counts.get(name, 0) + 1
        declared: dict[str, FlowNode] = {}
        for routine in main.walk():
            for node in routine.nodes:
                for name in phrases.let_variables(node.text):
                    declared.setdefault(name, node)
                if node.kind == "loop":
                    for name in node.binds:
                        declared.setdefault(name, node)
        undefined = _undefined(context, main)
        for name, node in declared.items():
            own = 1 if node.kind == "loop" else 0
            if counts.get(name, 0) <= own and not _is_pair(node, name, counts):
                remedy = "use the variable where it was meant; remove the step only if nothing needs the value"
                yield at(node, "unused-variable", f"{name} gets a value that no step reads", remedy)
            elif undefined and (other := _read_instead(main, node, name, undefined)) is not None:
                message = (
                    f"{name} gets a value that is only tested, and a later step reads {other}, which no step defines"
                )
                yield at(node, "unused-variable", message, f"write {name} there, if that was meant")
        if algorithm.steps[0].is_introduction or not algorithm.is_defined:
            # Another standard says which parameters the steps of its term have.
            continue
        for name in algorithm.parameters:
            # A sentence of the introduction can hand an argument to steps of another standard.
            is_read = name in counts or algorithm.introduction.count(f"|{name}|") > 1
            if not is_read and name not in declared:
                remedy = (
                    "use the argument where it was meant; remove it, here and in the calls, only if nothing needs it"
                )
                yield of(algorithm, "unused-variable", f"the argument {name} is not read by any step", remedy)


def _read_instead(main: Routine, made_at: FlowNode, name: str, undefined: dict[str, FlowNode]) -> str | None:
    """Return the variable without a definition that is read behind a test of a value with which no step does more."""
    first: int | None = None
    for node in (one for routine in main.walk() for one in routine.nodes):
        if node is made_at or node.step is None or f"|{name}|" not in node.text:
            continue
        if node.condition is None or not all(_is_about(fact, name) for fact in node.condition.facts):
            return None
        first = min(first or node.step.line, node.step.line)
    after = (other for other, node in undefined.items() if first and node.step and node.step.line >= first)
    return next(after, None)


def _is_about(fact: KnownFact, name: str) -> bool:
    """Return whether a fact says only that a variable has no value of use, or is about others."""
    mark = f"|{name}|"
    is_empty = fact.kind in ("null", "failure", "undefined") and fact.subject == mark
    return (
        mark not in fact.subject
        or is_empty
        or re.match(rf"{re.escape(mark)} is (?:an? )?\S*abrupt", fact.subject) is not None
    )


#: What writes a variable without reading it.
_READ = re.compile(r"\b[Ll]et (?:[(),\s]|and|\|[^|]+\|)+? be\b|\b[Ss]et \|[^|]+\| to\b")


def _is_pair(node: FlowNode, name: str, counts: dict[str, int]) -> bool:
    """Return whether a variable stands beside another one that is read, as the key of an entry does."""
    bound = node.binds or phrases.let_variables(node.text)
    own = 1 if node.kind == "loop" else 0
    return len(bound) > 1 and any(counts.get(other, 0) > own for other in bound if other != name)
