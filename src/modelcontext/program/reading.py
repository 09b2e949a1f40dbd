"""From plain data to a program, strictly: whatever the language does not say is an error that says what it does say.

Two passes: this module checks every key, type and notation where it stands; :mod:`modelcontext.program.references`
then checks what one place says about another (documents, labels, messages).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from modelcontext.program.language import (
    ARRIVAL_OPERATIONS,
    DefaultLabels,
    DocumentSpec,
    Program,
    ProgramError,
    Step,
    Value,
)
from modelcontext.program.notation import (
    BEHAVIOURS,
    DOM_EXCEPTIONS,
    ECMASCRIPT_ERRORS,
    FUNCTION_KEYS,
    JS_CONSTANTS,
    METHODS,
    NOTATIONS,
    ORDINARY_DOLLAR_KEYS,
    PAGE_TRANSITIONS,
    Dialect,
    Operation,
    dialect,
)
from modelcontext.revisions.registry import CURRENT, FILES

#: ``litmus`` is what :mod:`modelcontext.litmus` reads; to a program it means nothing.
TOP_LEVEL_KEYS = ("title", "algorithms", "note", "revision", "documents", "script", "litmus")
DOCUMENT_KEYS = ("origin", "parent", "opener", "tab", "allow", "sandbox", "permissions-policy", "start")
ORIGINS = ("A", "B", "C", "D", "insecure")
# Deeper than anything a person writes; keeps every later walk over values clear of Python's recursion limit.
DEEPEST = 60


def read_program(data: Any, source: str) -> Program:
    """Check the data and make the program. Raises :class:`ProgramError`."""
    from modelcontext.program.references import check_references

    program = _Reader(source).program(data)
    check_references(program)
    return program


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """A hint at the nearest of the allowed names, then all of them."""
    allowed = list(allowed)
    near = difflib.get_close_matches(name, allowed, n=1, cutoff=0.6)
    hint = f' (did you mean "{near[0]}"?)' if near else ""
    return f"{hint}; allowed: {_quoted(allowed)}" if allowed else hint


def _kind(value: Any) -> str:
    for python, name in ((bool, "a boolean"), (str, "a string"), (dict, "a table"), (list, "an array")):
        if isinstance(value, python):
            return name
    if isinstance(value, (int, float)):
        return "a number"
    return "null" if value is None else f"a {type(value).__name__}"


def _is_well_formed(text: str) -> bool:
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in text)


class _Reader:
    def __init__(self, source: str) -> None:
        self._source = source

    def fail(self, place: str, problem: str) -> NoReturn:
        raise ProgramError(self._source, place, problem)

    # The parts of every table

    def table(self, value: Any, place: str, what: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(place, f"{what} is a table, not {_kind(value)}")
        for key in value:
            if not isinstance(key, str):
                self.fail(place, f"{key!r} is no key: keys are strings")
        return value

    def keys(self, table: Mapping[str, Any], allowed: Iterable[str], place: str) -> None:
        allowed = list(allowed)
        for key in table:
            if key not in allowed:
                self.fail(place, f'unknown key "{key}"' + did_you_mean(key, allowed))

    def text(self, value: Any, place: str, *, empty: bool = False) -> str:
        if not isinstance(value, str):
            self.fail(place, f"a string is needed here, not {_kind(value)}")
        if not value.strip() and not empty:
            self.fail(place, "this string is empty")
        if not _is_well_formed(value):
            self.fail(place, 'lone surrogates can stand in values only: {"$string" = [55296]}')
        return value

    def choice(self, value: Any, allowed: Iterable[str], place: str, what: str) -> str:
        allowed = list(allowed)
        text = self.text(value, place, empty=True)
        if text not in allowed:
            self.fail(place, f'unknown {what} "{text}"' + did_you_mean(text, allowed))
        return text

    def array(self, value: Any, place: str) -> list[Any]:
        if not isinstance(value, list):
            self.fail(place, f"an array is needed here, not {_kind(value)}")
        return value

    # Top level and documents

    def program(self, data: Any) -> Program:
        table = self.table(data, "", "a program")
        self.keys(table, TOP_LEVEL_KEYS, "")
        if "title" not in table:
            self.fail("", "a program needs a title: one sentence that says what it shows")
        title = self.text(table["title"], "title")
        algorithms = tuple(
            self.text(item, f"algorithms[{index}]")
            for index, item in enumerate(self.array(table.get("algorithms", []), "algorithms"))
        )
        note = self.text(table.get("note", ""), "note", empty=True)
        revision = self.choice(table.get("revision", CURRENT.name), FILES, "revision", "revision")
        documents = self.documents(self.table(table.get("documents", {}), "documents", "documents"))
        scripts = self.table(table.get("script", {}), "script", "script")
        script = {}
        for name, steps in scripts.items():
            if name not in documents:
                self.fail(f"script.{name}", f'there is no document "{name}"' + did_you_mean(name, documents))
            script[name] = _ScriptReader(self, documents, dialect(revision)).steps(
                steps, f"script.{name}", nested=False
            )
        # In the order of the documents, so that equal programs are written equally.
        script = {name: script[name] for name in documents if script.get(name)}
        if not script:
            self.fail("script", "a program needs a script: [[script.top]] with a step in it")
        return Program(title, documents, script, algorithms, note, revision, self._source)

    def documents(self, tables: Mapping[str, Any]) -> dict[str, DocumentSpec]:
        names = list(tables) if "top" in tables else ["top", *tables]
        read = {name: self.table(tables.get(name, {}), f"documents.{name}", "a document") for name in names}
        for name, table in read.items():
            self.document_table(name, table, read)
        return {name: self.document(name, table, read) for name, table in read.items()}

    def document_table(self, name: str, table: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> None:
        place = f"documents.{name}"
        if not name or not all(c.isascii() and (c.isalnum() or c in "-_") for c in name):
            self.fail(place, "the id of a document is made of letters, digits, - and _")
        self.keys(table, DOCUMENT_KEYS, place)
        for key in ("parent", "opener"):
            if key in table:
                self.choice(table[key], tables, f"{place}.{key}", "document")
        if "tab" in table:
            self.choice(table["tab"], ["top"], f"{place}.tab", "document")
        for key in ("allow", "sandbox", "permissions-policy"):
            if key in table:
                self.text(table[key], f"{place}.{key}", empty=True)
        if "origin" in table:
            self.choice(table["origin"], ORIGINS, f"{place}.origin", "origin")
        if "start" in table:
            self.choice(table["start"], ["later"], f"{place}.start", "start")

        if name == "top":
            for key in ("parent", "opener", "tab", "start"):
                if key in table:
                    self.fail(f"{place}.{key}", "the document top is there from the start, in a tab of its own")
        elif sum(key in table for key in ("parent", "opener", "tab")) != 1:
            self.fail(place, 'a document other than top has one of "parent", "opener" and "tab"')
        if "tab" in table and "start" not in table:
            self.fail(place, 'it is shown when the document top has left, so it needs start = "later"')
        if "parent" not in table:
            for key in ("allow", "sandbox"):
                if key in table:
                    self.fail(f"{place}.{key}", "this is an attribute of an iframe, and the document is in none")
        if "allow-scripts" not in table.get("sandbox", "allow-scripts").lower().split():
            self.fail(f"{place}.sandbox", 'without "allow-scripts" the document could run no script')

    def document(self, name: str, table: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> DocumentSpec:
        chain = [name]
        while True:
            nearest = tables[chain[-1]]
            outer = nearest.get("parent", nearest.get("opener", nearest.get("tab")))
            if outer is None:
                break
            if outer in chain:
                circle = " -> ".join([*chain[chain.index(outer) :], outer])
                self.fail(f"documents.{name}", f"the documents {circle} hold each other in a circle")
            chain.append(outer)
            if "start" in tables[outer] and "start" not in nearest:
                self.fail(
                    f"documents.{chain[-2]}",
                    f'its parent or opener "{outer}" starts later, so it needs start = "later"',
                )
        origin = next((tables[link]["origin"] for link in chain if "origin" in tables[link]), "A")
        return DocumentSpec(
            id=name,
            origin=origin,
            parent=table.get("parent"),
            opener=table.get("opener"),
            tab=table.get("tab"),
            allow=table.get("allow"),
            sandbox=table.get("sandbox"),
            permissions_policy=table.get("permissions-policy"),
            later="start" in table,
        )


class _ScriptReader:
    """Reads the script of one document."""

    def __init__(self, reader: _Reader, documents: Mapping[str, DocumentSpec], dialect: Dialect) -> None:
        self._reader = reader
        self._dialect = dialect
        self._documents = documents
        self._labels = DefaultLabels()
        self._used: dict[str, str] = {}
        self._kinds: dict[str, Callable[[Any, str], Value]] = {
            "value": lambda value, place: self.value(value, place),
            "values": self.values,
            "function": self.function,
            "steps": lambda value, place: self.steps(value, place, nested=True),
            "name": reader.text,
            "path": self.path,
            "document": self.document,
        }

    def fail(self, place: str, problem: str) -> NoReturn:
        self._reader.fail(place, problem)

    # Steps

    def steps(self, value: Any, place: str, *, nested: bool) -> tuple[Step, ...]:
        items = self._reader.array(value, place)
        return tuple(self.step(item, f"{place}[{index}]", nested) for index, item in enumerate(items))

    def step(self, value: Any, place: str, nested: bool) -> Step:
        operations, promises = self._dialect.operations, self._dialect.promises
        table = self._reader.table(value, place, "a step")
        if "do" not in table:
            self.fail(place, 'a step needs the key "do"; allowed: ' + _quoted(operations))
        do = self._reader.choice(table["do"], operations, f"{place}.do", "operation")
        operation = operations[do]
        if nested and do in (*ARRIVAL_OPERATIONS, "waitFor"):
            self.fail(place, f"nested steps never wait, so {do} cannot stand here")
        if nested and do == "goBack":
            self.fail(place, "goBack is the last step of a script, so it cannot stand here")
        allowed = ["do", "as", *operation.required, *operation.optional]
        if operation.on:
            allowed.append("on")
        if do in promises and not nested:
            allowed.append("wait")
        if nested and "wait" in table:
            self.fail(f"{place}.wait", "nested steps never wait")
        self._reader.keys(table, allowed, place)
        for key in operation.required:
            if key not in table:
                self.fail(place, f'{do} needs the key "{key}"')
        label = self.label(table, do, place)
        wait = do in ARRIVAL_OPERATIONS or do == "waitFor"
        if do in promises and not nested:
            wait = table.get("wait", True)
            if not isinstance(wait, bool):
                self.fail(f"{place}.wait", f"a boolean is needed here, not {_kind(wait)}")
        on = self.document(table["on"], f"{place}.on") if "on" in table else None
        arguments = self.arguments(table, operation, place)
        self.check_step(do, arguments, place)
        return Step(do, label, arguments, wait, on, place)

    def label(self, table: Mapping[str, Any], do: str, place: str) -> str:
        label = self._reader.text(table["as"], f"{place}.as") if "as" in table else self._labels.take(do)
        if label in self._used:
            self.fail(
                place, f'the label "{label}" is that of {self._used[label]} already; give one of them another "as"'
            )
        self._used[label] = place
        return label

    def arguments(self, table: Mapping[str, Any], operation: Operation, place: str) -> dict[str, Value]:
        kinds = {**operation.required, **operation.optional}
        return {key: self._kinds[kinds[key]](table[key], f"{place}.{key}") for key in table if key in kinds}

    def check_step(self, do: str, arguments: Mapping[str, Value], place: str) -> None:
        if do in METHODS:
            others = [key for key in arguments if key != "arguments"]
            if "arguments" in arguments and others:
                self.fail(
                    place, f'"arguments" is the whole list of arguments; {_quoted(others)} cannot stand beside it'
                )
            needed = METHODS[do]
            if "arguments" not in arguments and needed is not None and needed not in arguments:
                self.fail(place, f'{do} needs the key "{needed}" (or "arguments")')
        if "callback" in arguments:
            members = literal_members(arguments["tool"])
            if members is None:
                self.fail(f"{place}.callback", "a callback can be given only to a tool that is a table or an $object")
            if "execute" in members:
                self.fail(f"{place}.callback", 'the tool has a member "execute" already')
        if do == "handler" and ("steps" in arguments) == ("value" in arguments):
            self.fail(place, 'handler needs the key "steps" or the key "value", and not both')
        if do == "waitFor" and ("message" in arguments) == ("result" in arguments):
            self.fail(place, 'waitFor needs the key "message" or the key "result", and not both')
        if do == "pageTransition":
            self._reader.choice(arguments["type"], PAGE_TRANSITIONS, f"{place}.type", "page transition event")
        if do == "same" and len(arguments["values"]) != 2:
            self.fail(f"{place}.values", "two values are needed here")
        if do == "set" and not arguments["path"]:
            self.fail(f"{place}.path", "at least one key is needed here")

    def document(self, value: Any, place: str) -> str:
        return self._reader.choice(value, self._documents, place, "document")

    def path(self, value: Any, place: str) -> list[str | int]:
        path = self._reader.array(value, place)
        for index, key in enumerate(path):
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                self.fail(f"{place}[{index}]", f"a key is a string or a number, not {_kind(key)}")
        return path

    def function(self, value: Any, place: str) -> dict[str, Value]:
        table = self._reader.table(value, place, "a function")
        self._reader.keys(table, (*FUNCTION_KEYS, "watch"), place)
        watch = table.get("watch", False)
        if not isinstance(watch, bool):
            self.fail(f"{place}.watch", f"a boolean is needed here, not {_kind(watch)}")
        read = self.function_parts(table, place)
        return {**read, "watch": True} if watch else read

    def function_parts(self, table: Mapping[str, Any], place: str, depth: int = 0) -> dict[str, Value]:
        given = [key for key in BEHAVIOURS if key in table]
        if len(given) > 1:
            self.fail(place, f"a function does one of these, not several: {_quoted(given)}")
        read: dict[str, Value] = {}
        for key, part in table.items():
            if key == "steps":
                read[key] = self.steps(part, f"{place}.steps", nested=True)
            elif key == "pending":
                read[key] = self._reader.text(part, f"{place}.pending")
            elif key in BEHAVIOURS:
                read[key] = self.value(part, f"{place}.{key}", depth + 1)
        return read

    # Values

    def values(self, value: Any, place: str) -> list[Value]:
        items = self._reader.array(value, place)
        return [self.value(item, f"{place}[{index}]") for index, item in enumerate(items)]

    def value(self, value: Any, place: str, depth: int = 0, *, member: bool = False) -> Value:
        if depth > DEEPEST:
            self.fail(place, f"this is nested more than {DEEPEST} deep")
        if value is None:
            return {"$js": "null"}
        if isinstance(value, str):
            return value if _is_well_formed(value) else {"$string": _code_units(value)}
        if isinstance(value, bool):
            return value
        if isinstance(value, (int, float)):
            return self.number(value, place)
        if isinstance(value, list):
            return [self.value(item, f"{place}[{index}]", depth + 1) for index, item in enumerate(value)]
        if not isinstance(value, dict):
            self.fail(place, f"{_kind(value)} is no value of the language")
        table = self._reader.table(value, place, "a value")
        notations = [key for key in table if key in NOTATIONS]
        if len(notations) > 1:
            self.fail(place, f"{_quoted(notations)} exclude each other")
        if notations:
            return self.notation(notations[0], table, place, depth, member)
        for key in table:
            if not _is_well_formed(key):
                self.fail(place, "keys are written without lone surrogates")
            if key.startswith("$") and key not in ORDINARY_DOLLAR_KEYS:
                problem = f'unknown notation "{key}"' + did_you_mean(key, NOTATIONS)
                self.fail(place, f'{problem}. For an ordinary key write {{"$object" = [["{key}", …]]}}')
        return {key: self.value(item, f"{place}.{key}", depth + 1, member=True) for key, item in table.items()}

    def number(self, value: int | float, place: str) -> Value:
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            self.fail(
                place, f'write {{"$js" = "{"NaN" if value != value else "Infinity" if value > 0 else "-Infinity"}"}}'
            )
        if isinstance(value, float) and value == 0 and str(value).startswith("-"):
            return {"$js": "-0"}
        if isinstance(value, int) and abs(value) > 2**53:
            self.fail(place, 'no JavaScript number has this exact value; write a float or {"$bigint" = "…"}')
        return value

    def notation(self, notation: str, table: Mapping[str, Any], place: str, depth: int, member: bool) -> Value:
        self._reader.keys(table, (notation, *NOTATIONS[notation]), place)
        subject, at = table[notation], f"{place}.{notation}"
        match notation:
            case "$js":
                return {notation: self._reader.choice(subject, JS_CONSTANTS, at, "constant")}
            case "$bigint":
                text = self._reader.text(subject, at)
                if not text.removeprefix("-").isdecimal() or not text.isascii():
                    self.fail(at, f'"{text}" is no integer')
                return {notation: text}
            case "$symbol" | "$cycle" | "$signal" | "$promise":
                return {notation: self._reader.text(subject, at)}
            case "$string":
                for index, unit in enumerate(self._reader.array(subject, at)):
                    if isinstance(unit, bool) or not isinstance(unit, int) or not 0 <= unit <= 0xFFFF:
                        self.fail(f"{at}[{index}]", "a UTF-16 code unit is an integer from 0 to 65535")
                return {notation: list(subject)}
            case "$repeat":
                times = table.get("times")
                if isinstance(times, bool) or not isinstance(times, int) or not 0 <= times <= 1_000_000:
                    self.fail(f"{place}.times", "$repeat needs a number of times, from 0 to 1000000")
                return {notation: self._reader.text(subject, at), "times": times}
            case "$object":
                return {notation: self.pairs(subject, at, depth)}
            case "$getter":
                if not member:
                    self.fail(place, "a $getter can stand only as the value of a member")
                if ("returns" in table) == ("throws" in table):
                    self.fail(place, 'a $getter needs the key "returns" or the key "throws", and not both')
                return {notation: self._reader.text(subject, at), **self.function_parts(table, place, depth)}
            case "$function":
                return {notation: self._reader.text(subject, at), **self.function_parts(table, place, depth)}
            case "$toJSON":
                if isinstance(subject, dict) and "$throw" in subject:
                    self._reader.keys(subject, ("$throw",), at)
                    return {notation: {"$throw": self.value(subject["$throw"], f"{at}.$throw", depth + 1)}}
                return {notation: self.value(subject, at, depth + 1)}
            case "$error":
                return {notation: self._reader.choice(subject, (*ECMASCRIPT_ERRORS, *DOM_EXCEPTIONS), at, "error")}
            case "$abortedSignal" | "$thenable":
                return {notation: self.value(subject, at, depth + 1)}
            case "$anySignal":
                names = self._reader.array(subject, at)
                return {notation: [self._reader.text(name, f"{at}[{index}]") for index, name in enumerate(names)]}
            case "$window" | "$origin" | "$modelContext":
                return {notation: self.document(subject, at)}
            case "$tool":
                tool = {notation: self._reader.text(subject, at, empty=True)}
                return {**tool, "in": self.document(table["in"], f"{place}.in")} if "in" in table else tool
            case "$listed":
                if "from" not in table:
                    self.fail(place, '$listed needs the key "from": the label of a getTools step')
                return {
                    notation: self._reader.text(subject, at),
                    "from": self._reader.text(table["from"], f"{place}.from"),
                }
            case "$let":
                if "be" not in table:
                    self.fail(place, '$let needs the key "be": the value to remember')
                return {
                    notation: self._reader.text(subject, at),
                    "be": self.value(table["be"], f"{place}.be", depth + 1),
                }
            case "$the":
                the: dict[str, Value] = {notation: self._reader.text(subject, at)}
                return {**the, "path": self.path(table["path"], f"{place}.path")} if "path" in table else the
        raise AssertionError(f"no reading for the notation {notation}")

    def pairs(self, value: Any, place: str, depth: int) -> list[list[Value]]:
        read = []
        for index, pair in enumerate(self._reader.array(value, place)):
            at = f"{place}[{index}]"
            if not isinstance(pair, list) or len(pair) != 2:
                self.fail(at, "a member of an $object is an array of its key and its value")
            key = pair[0]
            if not isinstance(key, str):
                self.fail(f"{at}[0]", f"a key is a string, not {_kind(key)}")
            if not _is_well_formed(key):
                self.fail(f"{at}[0]", "keys are written without lone surrogates")
            read.append([key, self.value(pair[1], f"{at}[1]", depth + 1, member=True)])
        return read


def _code_units(text: str) -> list[int]:
    encoded = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(encoded[index : index + 2], "little") for index in range(0, len(encoded), 2)]


def literal_members(tool: Value) -> dict[str, Value] | None:
    """The members of a tool that a program writes out as a table or an ``$object``; ``None`` for any other value."""
    while isinstance(tool, Mapping) and "$let" in tool:
        tool = tool["be"]
    if not isinstance(tool, Mapping):
        return None
    if "$object" in tool:
        return dict(tool["$object"])
    return None if any(key in NOTATIONS for key in tool) else dict(tool)
