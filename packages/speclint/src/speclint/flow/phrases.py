"""Phrases of steps: what a step begins, what it ends, and which variables it binds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from speclint.text.markup import VARIABLE, readable, variables

_IF = re.compile(r"^(?:(?:Otherwise|Else)[,;]?\s+)?(?:and\s+)?[Ii]f\s+(.*)$")
_ACTION = re.compile(
    r", (?=\[=|(?:return|throw|set|let|abort|continue|break|run|append|remove|reject|resolve|queue)\b)", re.IGNORECASE
)
# An action whose condition stands behind it; one with an "otherwise" chooses between two values, and ends in any case.
_ENDS_IF = re.compile(
    r"^((?:Return|Throw|Continue|Break|Abort these steps|Terminate these steps)\b(?:(?! if |,).)*?),? if (.+)$"
)
_BARE_ACTION = re.compile(r" (?=(?:return|throw|abort these steps|terminate these steps)\b)")
_BARE_THEN = re.compile(r" then,? (?=\[=|[a-z])")
_THEN_TESTED = re.compile(
    r"^((?!(?:\[=)?(?:If|Otherwise|Else|For each|While|When|Note|list/for|map/for)\b)[A-Z\[].+?\.) (If .+)$"
)
#: The steps behind this one run in parallel: "Return |promise|, and run the remaining steps in parallel".
_REST = re.compile(
    r"^(?!.*\bwait\b).*?\b(?:run|perform|execute|continue)\w*\b[^.;:]*\b(?:in parallel|asynchronously|in the background)\b"
    r"|\b(?:in parallel|asynchronously)\b[^.;:]*\b(?:remaining|rest of)\b",
    re.IGNORECASE,
)
_REMAINING = re.compile(
    r"\b(?:remaining|rest of|continu(?:e|ing)|(?:following|next|subsequent) steps)\b", re.IGNORECASE
)
_BACKGROUND = re.compile(r"\b(?:in parallel|asynchronously|in the background)\b", re.IGNORECASE)
#: What one line puts on a parallel queue, of the acts that are done there.
_ENQUEUED = re.compile(
    r" to ((?:\[=(?:\w*/)?)?(?:resolve|reject|fire|invoke|call|run|set|append|remove)\b(?! (?:these|the following)).+)$"
)
_IF_ABORTED = re.compile(r"^(?:\[=)?[Ii]f aborted(?:=\])?,?(?: then)?[,:]?\s*(.*)$")
_THAT_FAILS = re.compile(r"^(?:that|this|it|the result) (?:returned|returns|was|is) (failure|null)\b")
_ENDS_OUTSIDE = re.compile(r",? and (?:then )?(?:\[=)?(abort these steps|return)(?:=\])?\.?$")
_SETTLED_AS = re.compile(r"^\|([^|]+)\| (rejects|rejected|resolves|resolved|fulfills|fulfilled)\b")
_CUSTOMIZED = re.compile(r"\bthe following customizations\b")
_OTHERWISE = re.compile(r"^(?:Otherwise|Else)\b[,:]?\s*(.*)$")
_LOOP = re.compile(r"^(?:\[=[^\]=]*=\]|For each|While|Repeat|Until)", re.IGNORECASE)
_LOOP_WORDS = re.compile(r"^(for each|while|until|repeat)\b")
#: "For each |x| of |y|, queue a task to run these steps:".
_BEGUN_BY_LOOP = re.compile(
    r", (?:and )?((?:\[=)?(?:queue an? |in parallel\b|run the(?:se| following))[^\n]*:)$", re.IGNORECASE
)
_INLINE_OTHERWISE = re.compile(r"(?:\.|;) [Oo]therwise, (?=[a-z\[])")
_END = re.compile(
    r"(?:^|\band (?:then )?|, then |[.;:] |, )"
    r"(return|throw|continue|break|(?:abort|terminate|exit|stop)(?: running| executing)?(?: all(?: of)?)?"
    r" (?:th(?:ese|is|e)(?: \w+)? (?:sub)?(?:steps|algorithm)(?! to| for| of)|the rest of)"
    r"|skip the (?:remaining|rest)|stop(?=[.;,]|$))\b",
    re.IGNORECASE,
)
_PARALLEL = re.compile(
    r"^(?:in parallel\b|do (?:this|the following) in parallel|enqueue )"
    r"|\brun(?:ning)? (?:these|the following|the remaining) (?:\w+ )?in parallel|\bthe following (?:sub)?steps in parallel",
    re.IGNORECASE,
)
_ON_EVENT_LOOP = re.compile(r"^enqueue .*\bevent loop\b", re.IGNORECASE)
_TASK = re.compile(
    r"^(?:optionally, )?(?:then,? )?queue (?:a|an) .*?(?:task|microtask)|^add an? task that runs\b", re.IGNORECASE
)
_STEPS = re.compile(r"^(?:let|set) \|[^|]+\| (?:be|to) (?:the following|these|an algorithm)", re.IGNORECASE)
_ABORT = re.compile(r"abort (?:steps|algorithm)", re.IGNORECASE)
_REACT = re.compile(
    r"^(?:optionally, )?(?:react(?:ing)? to\b|upon (?:fulfillment|rejection)|wait for all)"
    r"|\b(?:fulfillment|rejection) (?:handlers?|of)\b.*:$",
    re.IGNORECASE,
)
#: "To [=perform the fetch hook=] given |request|, run these steps:" below a step gives these steps to another algorithm.
_HOOK = re.compile(
    r"^to [\w -]+ (?:given|with) .*\b(?:run|perform) (?:these|the following) (?:sub)?steps:$", re.IGNORECASE
)
_DEFINES = re.compile(r"\balgorithms? (?:are|is) defined as\b|\bwhose algorithms\b|\balgorithms are:", re.IGNORECASE)
_STEPS_OF = re.compile(r"^(?:the )?[\w ]+ steps(?:, given\b.*)?:?$", re.IGNORECASE)
_RETURNS_AND_RUNS = re.compile(r"^Return\b.*\band\b.*\b(?:run|perform|execute)\b.*\bsteps\b.*:$")
#: Fetch queues a task for what its callers do with a response.
_LATER = re.compile(r"^(?:when|whenever|once|upon|to process\w+ (?:given|for|of))\b.*:$", re.IGNORECASE)
#: Words behind the variable of a loop.
_OF = r"\s(?:of|in|among|from|that|which|who|whose|with|where|associated|created|for which|such that|within)\s"
_TYPE = r"(?:\[=[^\]=]+=\]|\{\{[^}]+\}\}|<\{[^}]+\}>|[A-Za-z-]+)"
_LET = re.compile(r"\b[Ll]et ((?:[(),\s«»]|and|\|[^|]+\|)+?) be\b")
_SOME = re.compile(
    rf"\b(?:an?|any|some|each|every|exception|next|reason|first|last|nearest) (?:new )?(?:{_TYPE} ){{0,2}}\|([^|]+)\|"
)
_THREW = re.compile(
    r"(?:threw|throws|thrown|catch(?:ing)?|exceptions?|errors?)(?: an| any| the)?(?: exceptions?)?,? (?:as |be )?\|([^|]+)\|"
)
_SETTLED = re.compile(r"\bwith (?:a |the )?(?:value|reason|result) \|([^|]+)\|")
_ASSIGNMENT = re.compile(r"\b(?:[Ll]et|[Ss]et) \|([^|]+)\| (?:be|to) (.+?)(?=, and set |\.(?: |$)|$)")
#: "|x|'s [=relevant global object=] |global| is …" names what it looks up, and so does "queue a task |task|".
_NAMED = re.compile(
    r"'s (?:associated )?\[=[^=]+=\] \|([^|]+)\|(?= (?:is|has|does|was)\b|,)"
    r"|\b[Qq]ueue a task(?:=\])? \|([^|]+)\|"
    r"|\bprocess\w+(?:=\])? (?:for|given|of|with) (?:the |an? )?(?:\[=[^=]+=\] )?\|([^|]+)\|"
    r"|\[=a new promise=\] \|([^|]+)\|"
    r"|\bgiven (?:an? |the )?(?:\[=[^=]+=\] )?\|([^|]+)\|,? (?:run|perform) the(?:se| following)\b"
    r"|\bwith \|([^|]+)\| being the\b"
    r"|\bpass(?:ing)? \|[^|]+\| as \|([^|]+)\|"
    r"|\b(?:fulfillment|rejection)(?:=\])? of \|[^|]+\|,? with \|([^|]+)\|"
    r"|\bwith (?:the )?arguments? \|([^|]+)\|,? (?:performs?|runs?)\b"
    r"|\b(?:resolves|rejects|fulfills) with (?:an? )?(?:[\w ]+, )?\|([^|]+)\|"
)
_LESS = re.compile(r"\|([^|]+)\| being less than \|([^|]+)\|")
_GIVEN = re.compile(
    r"\b(?:given|taking|that takes?|with)\b(?: the arguments?| an? [^|]*?)?"
    r" ((?:[(),\s]|and|optional|an?|[=\w\[\]{}/ ]|\|[^|]+\|)+)"
)


@dataclass(frozen=True, slots=True)
class Branch:
    """A step that is a branch: its condition, "" for a bare "Otherwise", and its action, "" if the steps below are it."""

    condition: str
    action: str
    is_otherwise: bool


def branch_of(text: str) -> Branch | None:
    """Return the branch that a step is, or None."""
    if _IF_ABORTED.match(text):
        return None
    is_otherwise = _OTHERWISE.match(text) is not None
    if match := _IF.match(text):
        # A colon behind the end of a sentence begins no steps.
        rest = re.sub(r"\.:$", ".", match[1])
        condition, comma, action = rest.partition(", then")
        if comma:
            return Branch(condition, action.lstrip(" ,:"), is_otherwise)
        if rest.endswith(":"):
            return Branch(re.sub(r",? then$", "", rest[:-1]), "", is_otherwise)
        # Without "then" the action begins behind the first comma that a verb follows.
        if found := _ACTION.search(rest):
            return Branch(rest[: found.start()], rest[found.end() :], is_otherwise)
        if found := _BARE_THEN.search(rest):
            return Branch(rest[: found.start()], rest[found.end() :], is_otherwise)
        if found := _BARE_ACTION.search(rest):
            return Branch(rest[: found.start()], rest[found.end() :], is_otherwise)
        return Branch(rest, "", is_otherwise)
    if is_otherwise and (match := _OTHERWISE.match(text)):
        return Branch("", match[1].strip(" :"), True)
    if (match := _ENDS_IF.match(text)) and "otherwise" not in text:
        return Branch(match[2].rstrip(" ."), match[1], False)
    return None


def is_the_other_end(condition: str, asked: str) -> bool:
    """Return whether a promise that has settled ended as a condition says if it did not end as one before it asked."""
    one, other = _SETTLED_AS.match(condition), _SETTLED_AS.match(asked)
    return bool(
        one and other and one[1] == other[1] and one[2].startswith("reject") is not other[2].startswith("reject")
    )


def has_parts(text: str) -> bool:
    """Return whether the cases below a step are all parts of what it makes or returns, and no alternatives."""
    return ending_of(text) == "return" or _CUSTOMIZED.search(text) is not None


def with_subject(condition: str, before: str) -> str:
    """Return a condition in which "that" and "this" are the variable that the step before it has set, if they fail."""
    found = assignments(before)
    return _THAT_FAILS.sub(f"|{found[-1][0]}| is \\1", condition) if found else condition


def split_otherwise(action: str) -> tuple[str, str]:
    """Return an action, and the one that an "otherwise" behind it names, if there is one."""
    parts = _INLINE_OTHERWISE.split(action, maxsplit=1)
    return parts[0], parts[1] if len(parts) > 1 else ""


def sentences(text: str) -> list[str]:
    """Return the parts of a step that makes something and then, in a sentence of its own, tests it."""
    match = _THEN_TESTED.match(text)
    return [match[1], match[2]] if match else [text]


def is_loop(text: str) -> bool:
    """Return whether a step is a loop."""
    return _LOOP_WORDS.match(readable(text).lower()) is not None


def loop_variables(text: str) -> list[str]:
    """Return the variables that a loop binds."""
    head = re.split(_OF, text, maxsplit=1)[0]
    return variables(head) if readable(text).lower().startswith("for each") else []


def loop_subject(text: str) -> str:
    """Return the words of what a loop goes over."""
    parts = re.split(r"\s(?:of|in|among|from)\s", text, maxsplit=1)
    return parts[1].rstrip(" :") if len(parts) > 1 else ""


def ending_of(text: str) -> str:
    """Return the word by which an action ends its steps: "return", "throw", "continue", "break", "abort", or ""."""
    words = readable(text)
    if re.match(r"^(?:let|set|assert)\b", words, re.IGNORECASE) and not re.search(r"\. (?:Return|Throw)\b", words):
        return ""
    match = _END.search(words)
    if match is None:
        return ""
    word = match[1].lower().split()[0]
    return "abort" if word in ("abort", "terminate", "stop", "exit", "skip") else word


def returned(text: str) -> str | None:
    """Return the words of the value that an action returns, "" for none; or None if it does not return."""
    if ending_of(text) != "return":
        return None
    match = re.search(r"\b[Rr]eturn\b\s*(.*)$", text)
    return match[1].rstrip(" .") if match else ""


def routine_kind(text: str) -> str:
    """Return the kind of the routine that a step begins: "parallel", "task", "steps", "abort", "reaction", or ""."""
    words = readable(text)
    if _STEPS.match(words if "|" in words else text) and text.rstrip().endswith(":"):
        return "steps"
    if _HOOK.match(words) and not _LATER.match(words):
        return "steps"
    if _TASK.match(words):
        return "task"
    if _PARALLEL.search(words):
        return "task" if _ON_EVENT_LOOP.search(words) else "parallel"
    if _IF_ABORTED.match(text):
        return "abort"
    if _ABORT.search(words) and text.rstrip().endswith(":"):
        return "abort"
    if _RETURNS_AND_RUNS.match(words):
        return "parallel" if _BACKGROUND.search(words) else "task"
    if _REACT.search(words) or (_LATER.match(words)):
        return "reaction"
    return ""


def queued_action(text: str) -> str:
    """Return what a task that one line queues does."""
    match = re.search(r"task=?\]?.*? to ((?!run (?:these|the following)\b).+)$", text)
    return match[1] if match else ""


def split_end(action: str) -> tuple[str, str]:
    """Return what a queued action does, and the word by which the steps that queue it end, or ""."""
    match = _ENDS_OUTSIDE.search(action)
    return (action[: match.start()], match[1].split()[0]) if match else (action, "")


def defines_algorithms(text: str, case: str) -> bool:
    """Return whether a case below a step is an algorithm of something that the step makes."""
    words = readable(case)
    return any(
        one is not None for one in (_DEFINES.search(readable(text)), _STEPS_OF.search(words), _HOOK.match(words))
    )


def split_begun(text: str) -> tuple[str, str, str] | None:
    """Return the words of a loop, what else it does, and the words that begin the steps below it; None if none do so."""
    match = _BEGUN_BY_LOOP.search(text)
    if match is None or not routine_kind(match[1]):
        return None
    words, _, first = text[: match.start()].partition(", ")
    return words, first, match[1]


def loop_condition(text: str) -> str:
    """Return the condition of a loop that goes on while it holds, or ""."""
    match = re.match(r"^[Ww]hile (.+?)(?:, |:)?$", text)
    return match[1] if match else ""


def parallel_action(text: str) -> str:
    """Return what one line does in parallel."""
    match = re.match(r"^(?:\[=)?[Ii]n parallel(?:=\])?,\s+(.+)$", text)
    if match is None and readable(text).lower().startswith("enqueue"):
        match = _ENQUEUED.search(text)
    return match[1] if match and not text.rstrip().endswith(":") else ""


def aborted_action(text: str) -> str:
    """Return what one line does if the steps before it were aborted."""
    match = _IF_ABORTED.match(text)
    return match[1] if match else ""


def leaves_the_rest_in_parallel(text: str) -> bool:
    """Return whether the steps behind a step run in parallel."""
    words = readable(text)
    return _REMAINING.search(words) is not None and _REST.search(words) is not None


def parameters_of(text: str) -> list[str]:
    """Return the variables that the routine of a step is given."""
    match = _GIVEN.search(text)
    return variables(match[1]) if match else []


def bound(text: str) -> list[str]:
    """Return the variables that the words of an action or a condition bind."""
    names: list[str] = []
    for match in _LET.finditer(text):
        names += variables(match[1])
    for pattern in (_THREW, _SETTLED, _SOME, _LESS, _NAMED):
        for match in pattern.finditer(text):
            names += [name for name in match.groups() if name]
    return list(dict.fromkeys(names))


@lru_cache(maxsize=1 << 16)
def let_variables(text: str) -> tuple[str, ...]:
    """Return the variables that a "Let" declares."""
    return tuple(name for match in _LET.finditer(text) for name in variables(match[1]))


def assignments(text: str) -> list[tuple[str, str]]:
    """Return the variables that an action gives a value, each with the words of the value."""
    return [(match[1], match[2].strip()) for match in _ASSIGNMENT.finditer(text)]


def used(text: str) -> list[str]:
    """Return the variables of a text that it does not bind by "Let"."""
    cleared = _LET.sub(lambda match: VARIABLE.sub("", match[0]), text)
    return list(dict.fromkeys(variables(cleared)))
