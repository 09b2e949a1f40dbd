"""Mutators of specifications: each makes one kind of defect, at every place of a text that has the form for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from speclint.text.source import read_text

if TYPE_CHECKING:
    from speclint.text.source_model import SourceAlgorithm, SourceStep

#: At most this many mutations of one mutator, spread over the text.
MOST = 8

_VARIABLE = re.compile(r"\|([^|\[\]{}=\n]+)\|")


@dataclass(frozen=True, slots=True)
class PlantedDefect:
    """A changed text: by which mutator, at which place, and for which rule it is meant."""

    mutator: str
    place: str
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Site:
    """A step of a text, with the lines of the text and the algorithm around it."""

    lines: tuple[str, ...]
    algorithm: SourceAlgorithm
    step: SourceStep
    siblings: tuple[SourceStep, ...]

    @property
    def own(self) -> str:
        """The lines of the step, without those below it."""
        return "\n".join(self.lines[self.step.line - 1 : max(self.step.last_line, self.step.line)])

    @property
    def last(self) -> int:
        """The last line of the step and all below it."""
        return max(max(one.line, one.last_line) for one in self.step.walk())

    @property
    def indent(self) -> str:
        """The white space before the step."""
        line = self.lines[self.step.line - 1]
        return line[: len(line) - len(line.lstrip())]

    def replaced(self, own: str) -> str:
        """Return the text with other lines for the step itself; the steps below it stay."""
        first, end = self.step.line - 1, max(self.step.last_line, self.step.line)
        return "\n".join([*self.lines[:first], *own.split("\n"), *self.lines[end:]]) + "\n"

    def removed(self) -> str:
        """Return the text without the step and those below it."""
        return "\n".join([*self.lines[: self.step.line - 1], *self.lines[self.last :]]) + "\n"

    def followed(self, *new: str) -> str:
        """Return the text with more steps behind this one."""
        added = [f"{self.indent}{line}" for line in new]
        return "\n".join([*self.lines[: self.last], *added, *self.lines[self.last :]]) + "\n"

    def preceded(self, *new: str) -> str:
        """Return the text with more steps before this one."""
        added = [f"{self.indent}{line}" for line in new]
        return "\n".join([*self.lines[: self.step.line - 1], *added, *self.lines[self.step.line - 1 :]]) + "\n"

    @property
    def next(self) -> SourceStep | None:
        """The step behind this one."""
        index = self.siblings.index(self.step)
        return self.siblings[index + 1] if index + 1 < len(self.siblings) else None


Mutator = Callable[[Site], str | None]


def _dropping(pattern: str) -> Mutator:
    """Return the mutator that removes steps whose text has a form."""
    form = re.compile(pattern)

    def mutate(site: Site) -> str | None:
        following = site.next
        is_alone = len(site.siblings) == 1
        if is_alone or not form.search(site.step.text) or (following and following.text.startswith("Otherwise")):
            return None
        return site.removed()

    return mutate


def _replacing(pattern: str, new: str) -> Mutator:
    """Return the mutator that writes something else where a step's source has a form."""
    form = re.compile(pattern)

    def mutate(site: Site) -> str | None:
        changed = form.sub(new, site.own, count=1)
        return site.replaced(changed) if changed != site.own else None

    return mutate


def rename_use(site: Site) -> str | None:
    """Rename a variable where it is used first."""
    if "Let" in site.own or "For each" in site.own or "given |" in site.own:
        return None
    match = _VARIABLE.search(site.own)
    return site.replaced(site.own.replace(match[0], f"|the {match[1]}|", 1)) if match else None


def drop_let(site: Site) -> str | None:
    """Take out the step that defines a variable which a later one reads."""
    match = re.match(r"\s*1\. Let (\|[^|]+\|) be", site.own)
    later = "\n".join(site.lines[site.last : site.algorithm.last_line])
    if match is None or match[1] not in later or site.step.children:
        return None
    return site.removed()


def swap_with_next(site: Site) -> str | None:
    """Change the order of a step that defines a variable and the next one, which reads it."""
    match = re.match(r"\s*1\. Let (\|[^|]+\|) be", site.own)
    following = site.next
    if match is None or following is None or following.children or match[1] not in following.text:
        return None
    if following.text.startswith("If that threw"):
        return None
    before, own = site.lines[: site.step.line - 1], site.lines[site.step.line - 1 : site.last]
    end = max(following.line, following.last_line)
    other = site.lines[following.line - 1 : end]
    return "\n".join([*before, *other, *own, *site.lines[end:]]) + "\n"


def declare_again(site: Site) -> str | None:
    """Declare one of the algorithm's parameters once more, and use it."""
    if site.step.number != "1" or not site.algorithm.parameters or site.step.text.startswith("[=Assert=]"):
        return None
    return site.preceded(f"1. Let |{site.algorithm.parameters[0]}| be a new [=unique internal value=].")


def define_in_vain(site: Site) -> str | None:
    """Look something up that no step needs."""
    match = re.match(r"\s*1\. Let (\|[^|]+\|) be", site.own)
    if match is None or site.step.children:
        return None
    return site.followed(f"1. Let |spare| be {match[1]}.")


def swap_arguments(site: Site) -> str | None:
    """Exchange the first two arguments of a call."""
    changed = re.sub(r"(=\]\s+given )(\|[^|]+\|)(,? and |, )(\|[^|]+\|)(?=[,.]| and)", r"\1\4\3\2", site.own, count=1)
    return site.replaced(changed) if changed != site.own else None


def drop_argument(site: Site) -> str | None:
    """Forget the last argument of a call."""
    changed = re.sub(
        r"(=\]\s+given \|[^|]+\|[^.]*?),? and (?:\|[^|]+\||null|true|false)(?=\.)", r"\1", site.own, count=1
    )
    return site.replaced(changed) if changed != site.own else None


def throw_result_away(site: Site) -> str | None:
    """Call an algorithm once more, without a use for its result."""
    match = re.search(r"be the result of (\[=[a-z][^=]*=\] (?:given|of) \|[^|]+\|(?:,? and \|[^|]+\|)?)\.$", site.own)
    return site.followed(f"1. {match[1]}.") if match else None


def drop_last_return(site: Site) -> str | None:
    """Forget the last step, which returns a value."""
    if (
        site.next is not None
        or "." in site.step.number
        or not site.step.text.startswith("Return ")
        or len(site.siblings) < 2
    ):
        return None
    return site.removed()


def drop_item(site: Site) -> str | None:
    """Forget an item of a new struct."""
    if "new [=" not in site.step.text or "whose [=" not in site.step.text:
        return None
    changed = re.sub(
        r",(?:\s+and)?\s+(?:whose )?\[=[\w /]+=\] is (?:\|[^|]+\||null)(?=[,.]| and)", "", site.own, count=1
    )
    return site.replaced(changed) if changed != site.own else None


def misname_item(site: Site) -> str | None:
    """Call an item of a struct by a name that it does not have."""
    owners = r"(pending execution|tool definition|form tool|form execution|assignment|observed document|input schema)"
    changed = re.sub(rf"\[={owners}/([\w ]+)=\]", r"[=\1/former \2=]", site.own, count=1)
    return site.replaced(changed) if changed != site.own else None


def settle_again(site: Site) -> str | None:
    """Settle a promise twice."""
    if not re.search(r"\[=(?:[Rr]esolve|[Rr]eject)=\] \|promise\|", site.step.text) or site.step.children:
        return None
    return site.followed(site.own.strip())


def assert_the_opposite(site: Site) -> str | None:
    """Assert behind a test for null what the test excludes."""
    match = re.match(r"If (\|[^|]+\|) (?:is (null|failure)), then (?:return|\[=iteration)", site.step.text)
    return site.followed(f"1. [=Assert=]: {match[1]} is {match[2]}.") if match else None


def test_again(site: Site) -> str | None:
    """Make a test a second time, when its answer is known."""
    match = re.match(
        r"If (\|[^|]+\| is (?:not )?(?:null|failure|true|false)), then (?:return|\[=iteration)", site.step.text
    )
    if match is None:
        return None
    following = site.next
    return None if following and following.text.startswith("Otherwise") else site.followed(site.own.strip())


def return_early(site: Site) -> str | None:
    """Return before the steps that do the work."""
    match = re.match(r"\s*1\. Let (\|[^|]+\|) be", site.own)
    if match is None or site.next is None or site.step.children or "." in site.step.number:
        return None
    has_value = any(re.match(r"Return \S", step.text) for step in site.algorithm.steps)
    return site.followed(f"1. Return {match[1]}." if has_value else "1. Return.")


def lose_if(site: Site) -> str | None:
    """Forget the first branch of several."""
    following = site.next
    if following is None or not following.text.startswith("Otherwise") or site.step.text.startswith("Otherwise"):
        return None
    return site.removed()


def append_to_map(site: Site) -> str | None:
    """Append to a map what is to be an entry of it."""
    match = re.search(r"\[=map/Set=\] (\|[^|]+\|)\[.+?\]\s+to (\|[^|]+\|)\.", site.own)
    return site.replaced(f"{site.indent}1. [=list/Append=] {match[2]} to {match[1]}.") if match else None


def change_in_loop(site: Site) -> str | None:
    """Change what a loop goes over at the end of its body."""
    match = re.match(r"\[=(list|map)/For each=\] (\|[^|]+\|)(?: → \|[^|]+\|)? of (\|[^|]+\|):$", site.step.text)
    if match is None or not site.step.children:
        return None
    is_map = match[1] == "map"
    return site.followed(
        f"    1. [=map/Remove=] {match[3]}[{match[2]}]."
        if is_map
        else f"    1. [=list/Append=] {match[2]} to {match[3]}."
    )


def set_undefined(site: Site) -> str | None:
    """Set a member of a dictionary to undefined, null, or a value of another type."""
    changed = re.sub(
        r"(Set \|[^|]+\|\[\"\{\{[^}]+\}\}\"\] to) .*", r"\1 undefined.", site.own, count=1, flags=re.DOTALL
    )
    if changed == site.own:
        changed = re.sub(r"(\{\{RegisteredTool/\w+\}\} is) (?:\|[^|]+\||the)[^,]*(?=,)", r"\1 null", site.own, count=1)
    return site.replaced(changed) if changed != site.own else None


def write_in_parallel(site: Site) -> str | None:
    """Write the state of an event loop in parallel."""
    if not re.match(r"\s*1\. Set \|form\|'s \[=form/", site.own) or site.step.children:
        return None
    own = [f"    {line}" for line in site.own.split("\n")]
    return site.replaced("\n".join([f"{site.indent}1. [=In parallel=]:", *own]))


def run_script_before_set(site: Site) -> str | None:
    """Run script between a test of state and the step that sets it."""
    match = re.match(r"Set ((\|[^|]+\|)'s \[=[^=]+=\]) to", site.step.text)
    if match is None:
        return None
    tests = (
        one
        for one in site.algorithm.walk()
        if one.line < site.step.line and one.text.startswith(("If ", "Otherwise, if "))
    )
    return (
        site.preceded(f"1. [=Fire an event=] named `look` at {match[2]}.")
        if any(match[1] in one.text for one in tests)
        else None
    )


def change_source(site: Site) -> str | None:
    """Queue a task on another task source than the task before it."""
    before = site.siblings[: site.siblings.index(site.step)]
    if not any(re.match(r"\[=(?:Queue a global task|Notify documents)", one.text) for one in before):
        return None
    changed = re.sub(r"\[=webmcp\s+task\s+source=\]", "[=networking task source=]", site.own, count=1)
    return site.replaced(changed) if changed != site.own else None


def change_global(site: Site) -> str | None:
    """Queue a task for another document, window or global object of the same steps."""
    words = r"\|((?:\w+ ?)*(?:[Dd]ocument|[Ww]indow|[Gg]lobal))\|"
    own = re.search(
        rf"(Queue a global task=\](?s:.)*?\sgiven\s+){words}('s\s+\[=relevant\s+global\s+object=\])?", site.own
    )
    lines = "\n".join(site.lines[site.algorithm.line - 1 : site.step.line - 1])
    found = re.findall(rf"Let {words} be (.*)", lines)
    # What is looked up of the same object has the same global object.
    others = [name for name, value in found if own and name != own[2] and f"|{own[2]}|" not in value]
    if own is None or not others:
        return None
    looked_up = "'s [=relevant global object=]" if others[-1].lower().endswith("document") else ""
    return site.replaced(f"{site.own[: own.start()]}{own[1]}|{others[-1]}|{looked_up}{site.own[own.end() :]}")


def free_task(site: Site) -> str | None:
    """Queue a task that fires an event for no document."""
    if not any("ire an event=]" in one.text for one in site.step.walk()):
        return None
    form = r"Queue a global task=\]((?s:.)*?)\s+given\s+\|[^|]+\|(?:'s\s+\[=[^=]+=\])?(?=\s+to\s)"
    changed = re.sub(form, r"Queue a task=]\1", site.own, count=1)
    return site.replaced(changed) if changed != site.own else None


def keep_silent(site: Site) -> str | None:
    """Take out the steps that notify others of a change."""
    told = any(re.match(r"\[=Notify documents", one.text) for one in site.step.children)
    return site.removed() if told and len(site.siblings) > 1 else None


_LOOP = r"\[=map/For each=\]( \|[^|]+\|) → \|[^|]+\|"
_SCRIPT = r"^(\s*)1\. (\[=(?:Fire an event|Resolve|AbortController/Signal abort)=\])"
_VALUE = r"then return (?:null|failure|true|false|\|[^|]+\|)\."
_STRAND = "are running [=in parallel=]"

#: The mutators of steps, each with the rule that it is meant for.
STEPS: dict[str, tuple[Mutator, str]] = {
    "a test for null is removed": (_dropping(r"^If \|[^|]+\| is null(?:, or [^,]*)?, then"), "untested-null"),
    "a test for null is removed from a condition": (
        _replacing(r"If (\|[^|]+\|) is null, or ", r"If "),
        "untested-null",
    ),
    "a test for null is turned": (_replacing(r"If (\|[^|]+\|) is null, then", r"If \1 is not null, then"), "untested-null"),
    "a test for failure is removed": (_dropping(r"^If \|[^|]+\| is failure"), "untested-failure"),
    "a test for an entry is removed": (_dropping(r"^If \|[^|]+\|\[\|[^|]+\|\] does not \[=map/exist=\]"), "untested-entry"),
    "a test for a member is replaced": (
        _replacing(r"If \|\w+\|\[\"\{\{\w+/\w+\}\}\"\] \[=map/exists=\]:", "If script runs:"),
        "untested-entry",
    ),
    "in parallel is taken away": (_replacing(r"\[=In parallel=\]:", "Then:"), "wrong-strand"),
    "a task is taken away": (
        _replacing(r"\[=Queue a global task=\][^\n]*\n?[^\n]*?(?:to run these steps:)", "Then:"),
        "script-in-parallel",
    ),
    "a task of one line is taken away": (
        _replacing(r"\[=Queue a global task=\](?s:.)*? to (\[=(?:resolve|reject|fire an event)=\])", r"\1"),
        "script-in-parallel",
    ),
    "in parallel is put around script": (
        _replacing(_SCRIPT, r"\g<1>1. [=In parallel=], \2"),
        "script-in-parallel",
    ),
    "a variable is renamed at a use": (rename_use, "undefined-variable"),
    "a definition is forgotten": (drop_let, "undefined-variable"),
    "two steps change places": (swap_with_next, "undefined-variable"),
    "a parameter is declared again": (declare_again, "shadowed-variable"),
    "a variable is defined in vain": (define_in_vain, "unused-variable"),
    "arguments change places": (swap_arguments, "wrong-arguments"),
    "an argument is forgotten": (drop_argument, "wrong-arguments"),
    "a result is thrown away": (throw_result_away, "unused-result"),
    "a value is not returned": (_replacing(_VALUE, "then return."), "missing-result"),
    "a rejected promise is not returned": (
        _replacing(r"then return \[=a promise rejected with=\](?s:.)*\.$", "then return."),
        "missing-result",
    ),
    "the last return is forgotten": (drop_last_return, "missing-result"),
    "an item of a new struct is forgotten": (drop_item, "unset-item"),
    "an item is misnamed": (misname_item, "unknown-item"),
    "a promise is forgotten": (
        _dropping(r"\[=Queue a global task=\].*\[=re(?:solve|ject)=\] \|promise\||^\[=Resolve=\] \|promise\|"),
        "unsettled-promise",
    ),
    "a promise is settled again": (settle_again, "twice-settled-promise"),
    "an assert of the strand is turned": (_replacing(re.escape(_STRAND), _STRAND.replace("are", "are not")), "wrong-strand"),
    "an assert contradicts a test": (assert_the_opposite, "contradicting-assert"),
    "a test is made again": (test_again, "dead-branch"),
    "steps return early": (return_early, "unreachable-step"),
    "the first branch is forgotten": (lose_if, "stray-otherwise"),
    "an entry is appended to a map": (append_to_map, "wrong-collection"),
    "a loop over a map is one over a list": (_replacing(_LOOP, r"[=list/For each=]\1"), "wrong-collection"),
    "a list is made a map": (_replacing(r"be an empty \[=list=\]", "be an empty [=ordered map=]"), "wrong-collection"),
    "a loop changes what it goes over": (change_in_loop, "changed-in-loop"),
    "a member gets a wrong value": (set_undefined, "wrong-value"),
    "a state is misspelled": (_replacing(r"\"(awaiting|filling|submitting|responding)\"", r'"\1 it"'), "wrong-value"),
    "a rejection becomes a resolution": (
        _replacing(r"\[=a promise rejected with=\](?=\s+an?\s+(?:\{\{|\"\{\{))", "[=a promise resolved with=]"),
        "resolved-with-exception",
    ),
    "a word is written twice": (_replacing(r"\bbe the result\b", "be the the result"), "doubled-word"),
    "an article has another form": (_replacing(r"\ba new\b", "an new"), "wrong-article"),
    "script runs before tested state is set": (run_script_before_set, "stale-state"),
    "state is written in parallel": (write_in_parallel, "state-on-wrong-strand"),
    "a task has another task source": (change_source, "racing-tasks"),
    "a task has another global object": (change_global, "task-of-another-global"),
    "a task has no document": (free_task, "event-at-gone-document"),
    "a change is not told": (keep_silent, "silent-change"),
}  # fmt: skip


def _prose(text: str, items: set[int]) -> Iterator[tuple[str, str, str, str]]:
    """Yield mutations of prose: the mutator, the place, the rule and the text."""
    for match in re.finditer(r"^Note: (\S+ ){3,12}?(is|are) ", text, re.MULTILINE):
        line = text[: match.start()].count("\n") + 1
        changed = f"{text[: match.start(2)]}must be {text[match.end(2) :].lstrip()}"
        yield "a note demands something", f"line {line}", "must-in-note", changed
    changed = re.sub(r"(?<!-)\b(?:one act|atomic(?:ally)?|no\s+other\s+steps)\b", "in order", text)
    if changed != text:
        yield "what is one act is no more", "the whole text", "not-atomic", changed
    for match in re.finditer(r"^: <dfn>([\w ]+)</dfn>\n(:: [^\n]*\n)", text, re.MULTILINE):
        line = text[: match.start()].count("\n") + 1
        if line not in items:
            continue
        added = f": <dfn>former {match[1]}</dfn>\n:: a [=string=], initially empty\n"
        changed = text[: match.end()] + added + text[match.end() :]
        yield "a struct has one item more", f"line {line}", "unread-item", changed
    for match in re.finditer(r"^(An?|The) <dfn(?:\s[^>]*)?>([\w ]+)</dfn>", text, re.MULTILINE):
        line = text[: match.start()].count("\n") + 1
        added = f"A <dfn>{match[2]}</dfn> is not what it was.\n\n"
        yield (
            "a term is defined again",
            f"line {line}",
            "duplicate-term",
            text[: match.start()] + added + text[match.start() :],
        )
        added = f"A <dfn>spare {match[2]}</dfn> is one that is left.\n\n"
        yield (
            "a term is defined in vain",
            f"line {line}",
            "unused-term",
            text[: match.start()] + added + text[match.start() :],
        )
    for match in re.finditer(r"^1\. Return \|[^|]+\|\.$", text, re.MULTILINE):
        line = text[: match.start()].count("\n") + 1
        changed = f"{text[: match.end()]} <!-- lint: dead-branch: it was one once -->{text[match.end() :]}"
        yield "a suppression has no finding", f"line {line}", "idle-suppression", changed


def mutations(text: str, path: Path) -> list[PlantedDefect]:
    """Return the mutations of a text, at most :data:`MOST` of each mutator."""
    lines = tuple(text.splitlines())
    source = read_text(text, path)
    sites = [
        Site(lines, algorithm, step, siblings)
        for algorithm in source.algorithms
        for step, siblings in _with_siblings(algorithm.steps)
        if not step.is_case
    ]
    made: dict[str, list[PlantedDefect]] = {}
    for name, (mutate, rule) in STEPS.items():
        for site in sites:
            changed = mutate(site)
            if changed is not None:
                place = f"{site.algorithm.id} {site.step.number}"
                made.setdefault(name, []).append(PlantedDefect(name, place, rule, changed))
    items = {item.line for struct in source.structs.values() for item in struct.items.values()}
    for name, place, rule, changed in _prose(text, items):
        made.setdefault(name, []).append(PlantedDefect(name, place, rule, changed))
    return [one for some in made.values() for one in spread(some, MOST)]


def spread(some: list[PlantedDefect], most: int) -> list[PlantedDefect]:
    """Return at most some of a list, evenly spread over it."""
    if len(some) <= most:
        return some
    return [some[index * len(some) // most] for index in range(most)]


def _with_siblings(steps: list[SourceStep]) -> Iterator[tuple[SourceStep, tuple[SourceStep, ...]]]:
    for step in steps:
        yield step, tuple(steps)
        yield from _with_siblings(step.children)
