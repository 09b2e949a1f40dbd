"""The shrinking of programs: documents and steps are removed first, then markup and keys; then values become plainer.

The caller judges smaller programs in groups, so that a browser can run a group at once. After each success everything is
tried again, until nothing can be removed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.notation import METHODS, NOTATIONS
from modelcontext.programs.program.reading import from_data
from modelcontext_fuzz.shrink_markup import smaller_markups

#: The number of smaller programs in a group.
GROUP = 9

Data = dict[str, Any]
Path = tuple[str | int, ...]

# The plain values that replace others, the plainest first.
_PLAIN: Sequence[Any] = (1, "a", {})
# Keys of steps and notations that are not values, and are never simplified.
_FIXED_KEYS = frozenset(
    {
        *("do", "as", "on", "wait", "document", "to", "type", "controller", "pending", "message", "result"),
        *("interface", "object", "$tool", "in", "from", "path", "times"),
        *("element", "child", "submitter", "html", "position", "selector", "event"),
    }
)
# Keys of steps and notations that name a document.
_NAMES_OF_DOCUMENTS = ("on", "in", "document", "to", "$window", "$origin", "$modelContext")
# Keys of steps that name an element.
_NAMES_OF_ELEMENTS = ("element", "child", "submitter")


def shrink(program: Program, find: Callable[[Sequence[Program]], int | None], most: int = 400) -> Program:
    """Return the smallest program found.

    Args:
        program: the program to shrink.
        find: returns the index of the first program of a group that still shows the finding; None if none does.
        most: the limit of programs to try.
    """
    tried: set[str] = set()
    while True:
        candidates = (smaller for smaller in _smaller(program) if smaller.dumps_json() not in tried)
        found = None
        while found is None:
            group = list(islice(candidates, GROUP))
            if not group or len(tried) >= most:
                return program
            tried.update(smaller.dumps_json() for smaller in group)
            found = find(group)
        program = group[found]


def _smaller(program: Program) -> Iterator[Program]:
    """Yield every program that is one simplification away, each once, those that lose most first."""
    data = program.to_data()
    seen = {program.dumps_json()}
    for candidate in _candidates(data):
        try:
            made = from_data(candidate)
        except ProgramError:
            continue
        key = made.dumps_json()
        if key not in seen:
            seen.add(key)
            yield made


def _candidates(data: Data) -> Iterator[Data]:
    yield from _without_documents(data)
    yield from _without_steps(data)
    yield from _merged_scripts(data)
    yield from _smaller_markup(data)
    yield from _without_keys(data)
    yield from _plainer_documents(data)
    yield from _plainer_values(data)
    yield from _plainer_names(data)


def _without_documents(data: Data) -> Iterator[Data]:
    for gone in [id_ for id_ in data["documents"] if id_ != "top"]:
        left = copy.deepcopy(data)
        document = left["documents"].pop(gone)
        heir = document.get("parent", document.get("opener"))
        for spec in left["documents"].values():
            spec.update({key: heir for key in ("parent", "opener") if spec.get(key) == gone})
        scripts = left["script"]
        orphans = scripts.pop(gone, [])
        yield {
            **left,
            "script": {id_: [step for step in steps if not _mentions(step, gone)] for id_, steps in scripts.items()},
        }
        # The same, but the document around it takes over the script.
        yield _renamed_document({**left, "script": {**scripts, heir: [*scripts.get(heir, []), *orphans]}}, gone, heir)


def _mentions(value: Any, document: str) -> bool:
    return any(path[-1] in _NAMES_OF_DOCUMENTS and part == document for path, part in _parts(value))


def _renamed_document(data: Data, old: str, new: str) -> Data:
    def renamed(documents: Data) -> Data:
        keys = {*_NAMES_OF_DOCUMENTS, "parent", "opener"}
        return {(new if id_ == old else id_): _replaced(part, keys, old, new) for id_, part in documents.items()}

    return {**data, "documents": renamed(data["documents"]), "script": renamed(data["script"])}


def _without_steps(data: Data) -> Iterator[Data]:
    places = [(id_, index) for id_, steps in data["script"].items() for index in range(len(steps))]
    for size in (4, 2, 1):
        if size >= len(places) and size > 1:
            continue
        for start in range(len(places) - size, -1, -1):
            changed = copy.deepcopy(data)
            for id_, index in reversed(places[start : start + size]):
                del changed["script"][id_][index]
            yield changed
    for path, steps in _lists_of_nested_steps(data["script"]):
        for index in range(len(steps)):
            yield _changed(data, ("script", *path), [*steps[:index], *steps[index + 1 :]])
    for id_, index in places:
        step = data["script"][id_][index]
        if step["do"] in ("timer", "microtask") and step.get("steps"):
            steps = data["script"][id_]
            yield _changed(data, ("script", id_), [*steps[:index], *step["steps"], *steps[index + 1 :]])


def _lists_of_nested_steps(script: Data) -> list[tuple[Path, list[Any]]]:
    return [(path, part) for path, part in _parts(script) if path[-1] == "steps" and isinstance(part, list)]


def _merged_scripts(data: Data) -> Iterator[Data]:
    for id_ in [id_ for id_ in data["script"] if id_ != "top"]:
        changed = copy.deepcopy(data)
        steps = changed["script"].pop(id_)
        for step in steps:
            if step["do"] in METHODS or step["do"] in ("listen", "handler"):
                step.setdefault("on", id_)
        changed["script"]["top"] = [*changed["script"].get("top", []), *steps]
        yield changed


def _smaller_markup(data: Data) -> Iterator[Data]:
    for id_, spec in data["documents"].items():
        for smaller in smaller_markups(spec.get("html", "")):
            changed = _changed(data, ("documents", id_, "html"), smaller.markup)
            steps = _without_elements(data["script"].get(id_, []), smaller.lost)
            yield {**changed, "script": {**data["script"], id_: steps}}
    for path, markup in list(_parts(data["script"])):
        if path[-1] == "html" and isinstance(markup, str):
            for smaller in smaller_markups(markup):
                yield _changed(data, ("script", *path), smaller.markup)


def _without_elements(steps: list[Data], lost: Collection[str]) -> list[Data]:
    """Return steps without those that name a lost element, nested ones included."""
    return [
        {key: _without_elements(value, lost) if key == "steps" else value for key, value in step.items()}
        for step in steps
        if not any(step.get(key) in lost for key in _NAMES_OF_ELEMENTS)
    ]


def _without_keys(data: Data) -> Iterator[Data]:
    for id_, steps in data["script"].items():
        for index, step in enumerate(steps):
            for key in step:
                # Leaving out an input before options is not the same as a smaller input.
                if key in ("do", "as") or (key == "input" and "options" in step):
                    continue
                yield _changed(data, ("script", id_, index), _without(step, key))


def _plainer_documents(data: Data) -> Iterator[Data]:
    for id_, spec in data["documents"].items():
        for key in ("sandbox", "permissions-policy", "allow", "origin", "html"):
            if key in spec and not (key == "origin" and spec[key] == "A"):
                yield _changed(data, ("documents", id_), _without(spec, key))
        if spec.get("allow", "tools") != "tools":
            yield _changed(data, ("documents", id_, "allow"), "tools")
        if spec.get("parent", "top") != "top":
            yield _changed(data, ("documents", id_, "parent"), "top")
        if spec.get("origin") in ("C", "D"):
            yield _changed(data, ("documents", id_, "origin"), "B")


def _plainer_values(data: Data) -> Iterator[Data]:
    for path, value in list(_values(data["script"])):
        place = ("script", *path)
        if isinstance(value, dict):
            for key in value:
                if key not in NOTATIONS:
                    yield _changed(data, place, _without(value, key))
            for notation in ("$toJSON", "$let", "$object", "$thenable", "$getter", "$function"):
                if notation in value and isinstance(value[notation], dict | list):
                    yield _changed(data, place, value[notation])
            if isinstance(value.get("$object"), list):
                members = value["$object"]
                for index in range(len(members)):
                    yield _changed(data, (*place, "$object"), [*members[:index], *members[index + 1 :]])
                if all(isinstance(key, str) and key != "__proto__" and not key.startswith("$") for key, _ in members):
                    yield _changed(data, place, dict(members))
        if isinstance(value, list):
            for index in range(len(value)):
                yield _changed(data, place, [*value[:index], *value[index + 1 :]])
        for plain in _plainer_than(value):
            yield _changed(data, place, plain)


def _plainer_than(value: Any) -> Sequence[Any]:
    if isinstance(value, str) and len(value) == 1:
        return ()
    return _PLAIN[: _PLAIN.index(value)] if value in _PLAIN else _PLAIN


def _values(script: Data) -> Iterator[tuple[Path, Any]]:
    """Yield every value in steps that a script would write itself, outermost first."""
    for path, part in _parts(script):
        key = path[-1]
        if len(path) <= 2 or not _FIXED_KEYS.isdisjoint(path):
            continue
        if isinstance(key, str):
            is_value = not key.startswith("$") and key not in ("steps", "callback")
        else:
            is_value = not (isinstance(part, dict) and "do" in part)
        if is_value:
            yield path, part


def _parts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every part of plain data with its path, outermost first."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key), part
        yield from _parts(part, (*path, key))


def _plainer_names(data: Data) -> Iterator[Data]:
    """Yield programs with default labels, and with the usual names of documents and tools."""
    for id_, steps in data["script"].items():
        if any("as" in step for step in steps):
            yield _changed(data, ("script", id_), [_without(step, "as") for step in steps])
    for path, steps in _lists_of_nested_steps(data["script"]):
        if any("as" in step for step in steps):
            yield _changed(data, ("script", *path), [_without(step, "as") for step in steps])
    if "other" in data["documents"] and "child" not in data["documents"]:
        yield _renamed_document(data, "other", "child")
    text = _replaced(data["script"], ("name", "$tool", "$listed"), "u", "t")
    if text != data["script"]:
        yield {**data, "script": text}


def _replaced(value: Any, keys: Collection[str], old: str, new: str) -> Any:
    """Return plain data with another name as the value of these keys."""
    if isinstance(value, dict):
        return {
            key: new if key in keys and part == old else _replaced(part, keys, old, new) for key, part in value.items()
        }
    return [_replaced(part, keys, old, new) for part in value] if isinstance(value, list) else value


def _without(table: Data, gone: str) -> Data:
    return {key: value for key, value in table.items() if key != gone}


def _changed(data: Data, path: Path, value: Any) -> Data:
    changed = copy.deepcopy(data)
    inner: Any = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = copy.deepcopy(value)
    return changed
