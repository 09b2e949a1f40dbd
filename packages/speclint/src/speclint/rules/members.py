"""The members of a list: the steps that say that they are not lists themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.flow import phrases
from speclint.flow.conditions import canonical

if TYPE_CHECKING:
    from speclint.finding import Context
    from speclint.flow.graph import Builder

#: A noun that is no collection.
_SINGLE = (
    r"(?:an? )(?:new )?(?:\{\{\w+\}\}|<\{[^}]+\}> element"
    r"|\[=(?!(?:\w+ )*(?:lists?|sets?|maps?|queues?|stacks?|tuples?)=\])[^=]+=\])"
)
_OF = re.compile(r"\[=list=\] of (?!\[=(?:lists|sets)=\]|lists\b)(?:\[=|\{\{|<\{)")


def has_no_lists(context: Context, builder: Builder, name: str) -> bool:
    """Return whether a step says of a list that its members are not lists: where it is filled, or used by whoever gets it."""
    if _is_filled_singly(builder, name) or _is_used_singly(context, builder, name):
        return True
    algorithm = builder.main.algorithm
    if not any(phrases.returned(node.text) == f"|{name}|" for node in builder.main.nodes if node.ends == "return"):
        return False
    # The callers that give the result a name.
    for other in context.knowledge.builders.values():
        for routine in other.main.walk():
            for node in routine.nodes:
                if any(call.callee is algorithm for call in context.knowledge.calls.get(id(node), ())):
                    for own, value in phrases.assignments(node.text):
                        if value.startswith("the result of") and _is_used_singly(context, other, own):
                            return True
    return False


def _is_filled_singly(builder: Builder, name: str) -> bool:
    mark = re.escape(f"|{name}|")
    text = canonical(builder.main.algorithm.introduction)
    if re.search(rf"{_OF.pattern}[^|]*{mark}", text):
        return True
    form = re.compile(rf"\[=(?:append|prepend)=\] {_SINGLE}(?:(?!\[=(?:append|prepend)=\]).)* to {mark}", re.IGNORECASE)
    return any(form.search(canonical(step.text)) for step in builder.main.algorithm.walk())


def _is_used_singly(context: Context, builder: Builder, name: str) -> bool:
    return any(
        _is_single(context, builder, member)
        for routine in builder.main.walk()
        for node in routine.nodes
        if node.kind == "loop" and phrases.loop_subject(node.text) == f"|{name}|" and len(node.binds) == 1
        for member in node.binds
    )


def _is_single(context: Context, builder: Builder, member: str) -> bool:
    """Return whether a variable is used as a struct, or given to an algorithm that declares it as something single."""
    structs = "|".join(map(re.escape, context.text.structs))
    of_struct = re.compile(rf"\|{re.escape(member)}\|'s? \[=(?:{structs})/") if structs else None
    if of_struct and any(of_struct.search(step.text) for step in builder.main.algorithm.walk()):
        return True
    return any(re.search(rf"{_SINGLE} \|{re.escape(one)}\|", words) for one, words in _given(context, builder, member))


def _given(context: Context, builder: Builder, member: str) -> Iterator[tuple[str, str]]:
    """Yield the parameters for which a variable is given, each with the introduction that declares it."""
    for routine in builder.main.walk():
        for node in routine.nodes:
            for call in context.knowledge.calls.get(id(node), ()):
                for parameter, argument in zip(call.callee.parameters, call.arguments or (), strict=False):
                    if argument == f"|{member}|":
                        yield parameter, canonical(call.callee.introduction)
