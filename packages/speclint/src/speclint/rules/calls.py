"""Rules about calls and results: the arguments that are declared, and results that are used."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speclint.finding import Context, LintFinding, at
from speclint.flow import phrases
from speclint.flow.graph import FlowNode, reachable
from speclint.flow.knowledge import arguments_in, is_patch
from speclint.flow.platform import PURE
from speclint.text.markup import link_of, readable, stems

_PURE = {stems(name) for name in PURE}
_BARE_CALL = re.compile(
    r"^(?:(?:[Rr]un|[Pp]erform|[Ii]nvoke|[Dd]etermine|[Dd]etermine whether an?) (?:the )?)?\[=([^=|\]]+)(?:\|[^=\]]*)?=\]"
)
_RUN = re.compile(r"\b[Rr]un (?:\|([^|]+)\||.*?'s? \[=([^=|\]]+)(?:\|[^=\]]*)?=\]) given (.+)$")


def check_arguments(context: Context) -> Iterator[LintFinding]:
    """Find calls with more, fewer or other arguments than the algorithm declares."""
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            for call in context.knowledge.calls.get(id(node), []):
                # Another standard says what the steps of its term are given.
                if call.arguments is not None and call.callee.is_defined:
                    parameters = call.callee.parameters
                    least = len(parameters) - len(call.callee.optional)
                    yield from _compare(node, call.callee.name, call.arguments, parameters, least)
            for match in _RUN.finditer(node.text):
                name = match[1] or link_of(match[2]).term
                declared = _steps_named(context, name)
                arguments = arguments_in(match[3])
                if arguments is not None and declared:
                    parameters = min(declared, key=lambda one: abs(len(one) - len(arguments)))
                    yield from _compare(node, f"the {name}", arguments, parameters, len(parameters))


def _steps_named(context: Context, name: str) -> list[tuple[str, ...]]:
    """Return the parameters of all steps that variables of a name stand for."""
    return [one.parameters for one in context.knowledge.routines if one.kind == "steps" and one.name == name]


def _compare(
    node: FlowNode, callee: str, arguments: tuple[str, ...], parameters: tuple[str, ...], least: int
) -> Iterator[LintFinding]:
    if not least <= len(arguments) <= len(parameters):
        wanted = ", ".join(parameters) or "nothing"
        yield at(
            node,
            "wrong-arguments",
            f"{callee} takes {len(parameters)} arguments ({wanted}), but gets {len(arguments)}",
            "give the arguments that it declares, in the declared order",
        )
        return
    names = [argument.strip("|") if re.fullmatch(r"\|[^|]+\|", argument) else "" for argument in arguments]
    for index, name in enumerate(names):
        other = parameters.index(name) if name in parameters else index
        if other == index or other >= len(names) or names[other] == name:
            continue
        # The name of another parameter, which itself gets something else.
        yield at(
            node,
            "wrong-arguments",
            f"{callee} is given {name} as its {parameters[index]}",
            "give the arguments that it declares, in the declared order",
        )
        return


def check_unused_results(context: Context) -> Iterator[LintFinding]:
    """Find calls that throw away the result for which they were made."""
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            if node.kind != "action" or node.begins or not (match := _BARE_CALL.match(node.text)):
                continue
            link = link_of(match[1])
            callees = context.knowledge.callees(link)
            own = len(callees) == 1 and context.knowledge.returns_value.get(callees[0].id, False)
            if (own and callees[0].id not in context.knowledge.changing) or (not callees and link.key in _PURE):
                yield at(
                    node,
                    "unused-result",
                    f"the result of {readable(match[0])} is thrown away",
                    "write: Let … be the result of …, or Set … to it",
                )


def _used_without_value(context: Context) -> Iterator[LintFinding]:
    seen = set[str]()
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            for call in context.knowledge.calls.get(id(node), []):
                is_used = re.search(
                    r"\bresult of (?:running |determining (?:whether an? )?)?(?:the )?$", node.text[: call.start]
                )
                words = "\n".join([call.callee.introduction, *(step.text for step in call.callee.walk())])
                if re.search(r"\breturns\b|\bimplementation-defined\b", words):
                    continue
                if call.callee.id in seen:
                    continue
                if is_used and not context.knowledge.returns_value.get(call.callee.id, True):
                    seen.add(call.callee.id)
                    yield at(
                        node,
                        "missing-result",
                        f"the result of {call.callee.name} is used, but {call.callee.name} returns nothing",
                        f"add a step to {call.callee.name} that returns a value",
                    )


def check_missing_results(context: Context) -> Iterator[LintFinding]:
    """Find ways through an algorithm that return nothing where others return a value, or where callers use a result."""
    yield from _used_without_value(context)
    for builder in context.knowledge.builders.values():
        main = builder.main
        algorithm = main.algorithm
        declared = context.knowledge.operations.get((algorithm.owner, algorithm.name), "")
        needs = context.knowledge.returns_value[algorithm.id] and algorithm.kind != "setter"
        needs = needs or (algorithm.kind == "method" and declared not in ("", "undefined"))
        if not needs or declared == "undefined" or is_patch(algorithm) or algorithm.steps[0].is_introduction:
            continue
        seen = reachable(main.entry)
        for node in main.nodes:
            if id(node) not in seen:
                continue
            if node.ends == "return" and phrases.returned(node.text) == "":
                yield at(
                    node,
                    "missing-result",
                    "this path returns nothing, but other paths return a value",
                    "say which value these steps return",
                )
            elif any(edge.target is main.exit and not edge.answer for edge in node.edges) and main.nodes[2:]:
                last = algorithm.steps[-1]
                yield LintFinding(
                    "missing-result",
                    last.line,
                    "the steps end here without a value, but they return a value elsewhere",
                    "add a step that returns a value",
                    algorithm.id,
                    last.number,
                )
                break
