"""The strict reader of programs, from text or plain data.

The first pass, in this module, checks every key, type and notation. The second,
:mod:`modelcontext.programs.program.references`, checks references between places: documents, labels, messages.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from modelcontext.ground.files import ReadError, read_text
from modelcontext.ground.tables import TableReader, did_you_mean, quoted, type_in_words
from modelcontext.platform.infra.strings import has_lone_surrogate, to_code_units
from modelcontext.programs.program.language import (
    ARRIVAL_OPERATIONS,
    FRAME_OPERATIONS,
    DefaultLabels,
    DocumentSpec,
    Program,
    ProgramError,
    ProgramStep,
    Value,
    literal_members,
)
from modelcontext.programs.program.markup import MarkupError, ids_of
from modelcontext.programs.program.notation import (
    BEHAVIORS,
    DOM_EXCEPTIONS,
    ECMASCRIPT_ERRORS,
    ELEMENT_MEMBERS,
    FUNCTION,
    JS_CONSTANTS,
    METHODS,
    NOTATIONS,
    ORDINARY_DOLLAR_KEYS,
    PAGE_TRANSITIONS,
    POSITIONS,
    SELECTORS,
    Dialect,
    dialect,
)
from modelcontext.programs.program.references import check_references
from modelcontext.spec.revisions.registry import CURRENT, FILES, REVISIONS

#: Only :mod:`modelcontext.judging.litmus` reads ``litmus``.
TOP_LEVEL_KEYS = ("title", "algorithms", "note", "revision", "documents", "script", "litmus")
DOCUMENT_KEYS = ("origin", "parent", "opener", "tab", "allow", "sandbox", "permissions-policy", "html", "start")
ORIGINS = ("A", "B", "C", "D", "insecure")
# Deeper than any program a person writes. The limit keeps later walks over values clear of Python's recursion limit.
DEEPEST = 60


def from_data(data: Any, source: str = "") -> Program:
    """Make a program from plain data (dicts, lists, strings, numbers, booleans, ``None`` for null).

    Raises:
        ProgramError: if the program is invalid.
    """
    program = _ProgramReader(source).program(data)
    check_references(program)
    return program


def of_revision(program: Program, revision: str) -> Program:
    """Return the same program for another revision.

    Raises:
        ProgramError: if the program uses what that revision lacks.
    """
    return from_data({**program.to_data(), "revision": revision}, program.source)


def loads_toml(text: str, source: str = "") -> Program:
    """Read a program from TOML text like :func:`from_data`; ``source`` names it in messages."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProgramError(source, "", f"this is not TOML: {error}") from None
    except RecursionError:
        raise ProgramError(source, "", "this is nested too deeply") from None
    return from_data(data, source)


def loads_json(text: str, source: str = "") -> Program:
    """Read a program from JSON text like :func:`from_data`; ``source`` names it in messages."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key in result:
                raise ProgramError(source, "", f'the key "{key}" occurs twice in one object')
            result[key] = value
        return result

    def constant(name: str) -> Any:
        raise ProgramError(source, "", f'{name} is not JSON; write {{"$js": "{name}"}}')

    try:
        data = json.loads(text, object_pairs_hook=members, parse_constant=constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ProgramError(source, place, f"this is not JSON: {error.msg}") from None
    except RecursionError:
        raise ProgramError(source, "", "this is nested too deeply") from None
    return from_data(data, source)


def load(path: str | Path) -> Program:
    """Read a program from a ``.toml`` or ``.json`` file.

    Raises:
        ProgramError: if the file cannot be read, or the program is invalid.
    """
    path = Path(path)
    if path.suffix not in (".toml", ".json"):
        raise ProgramError(str(path), "", "the name of a program's file must end with .toml or .json")
    try:
        text = read_text(path)
    except ReadError as error:
        raise ProgramError(str(path), "", error.reason) from None
    return loads_toml(text, str(path)) if path.suffix == ".toml" else loads_json(text, str(path))


class _Reader(TableReader):  # Of programs; the agent has one of canned answers.
    """A reader of what stands in a program everywhere."""

    error = ProgramError

    def text(self, value: Any, place: str, *, empty: bool = False) -> str:
        """Read a string without lone surrogates, which may be ``empty``."""
        text = super().text(value, place, empty=empty)
        if has_lone_surrogate(text):
            self.fail(place, 'lone surrogates are allowed only in values: {"$string" = [55296]}')
        return text

    def markup(self, value: Any, place: str) -> str:
        """Read markup."""
        text = self.text(value, place, empty=True)
        try:
            ids_of(text)
        except MarkupError as error:
            self.fail(place, str(error))
        return text


class _ProgramReader(_Reader):
    """A reader of the top level and the documents."""

    def program(self, data: Any) -> Program:
        table = self.table(data, "", "a program")
        self.keys(table, TOP_LEVEL_KEYS, "")
        if "title" not in table:
            self.fail("", "a program needs a title: one sentence that says what it shows")
        title = self.text(table["title"], "title")
        note = self.text(table.get("note", ""), "note", empty=True)
        revision = self.choice(table.get("revision", CURRENT.name), FILES, "revision", "revision")
        algorithms = tuple(
            self.choice(id_, REVISIONS.own(revision).algorithms, f"algorithms[{index}]", "algorithm")
            for index, id_ in enumerate(self.array(table.get("algorithms", []), "algorithms"))
        )
        documents = self.documents(self.table(table.get("documents", {}), "documents", "documents"))
        language = dialect(revision)
        for document in documents.values() if not language.has_forms else ():
            if document.html is not None:
                self.fail(
                    f"documents.{document.id}.html", f"the revision {revision} has no forms, so markup has no effect"
                )
        script = {}
        for name, steps in self.table(table.get("script", {}), "script", "script").items():
            if name not in documents:
                self.fail(f"script.{name}", f'there is no document "{name}"' + did_you_mean(name, documents))
            script[name] = _ScriptReader(self.source, documents, language).steps(steps, f"script.{name}")
        # In the order of the documents, so that equal programs are written equally.
        script = {name: script[name] for name in documents if script.get(name)}
        if not script:
            self.fail("script", "a program needs a script: [[script.top]] with a step in it")
        return Program(title, documents, script, algorithms, note, revision, self.source)

    def documents(self, tables: Mapping[str, Any]) -> dict[str, DocumentSpec]:
        names = list(tables) if "top" in tables else ["top", *tables]
        read = {name: self.table(tables.get(name, {}), f"documents.{name}", "a document") for name in names}
        for name, table in read.items():
            self.document_table(name, table, read)
        return {name: self.document(name, table, read) for name, table in read.items()}

    def document_table(self, name: str, table: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> None:
        place = f"documents.{name}"
        if not name or not all(c.isascii() and (c.isalnum() or c in "-_") for c in name):
            self.fail(place, "the id of a document may contain only letters, digits, - and _")
        self.keys(table, DOCUMENT_KEYS, place)
        for key in ("parent", "opener"):
            if key in table:
                self.choice(table[key], tables, f"{place}.{key}", "document")
        if "tab" in table:
            self.choice(table["tab"], ["top"], f"{place}.tab", "document")
        for key in ("allow", "sandbox", "permissions-policy"):
            if key in table:
                self.text(table[key], f"{place}.{key}", empty=True)
        if "html" in table:
            self.markup(table["html"], f"{place}.html")
        if "origin" in table:
            self.choice(table["origin"], ORIGINS, f"{place}.origin", "origin")
        if "start" in table:
            self.choice(table["start"], ["later"], f"{place}.start", "start")

        if name == "top":
            for key in ("parent", "opener", "tab", "start"):
                if key in table:
                    self.fail(f"{place}.{key}", "the document top always exists from the start, in its own tab")
        elif sum(key in table for key in ("parent", "opener", "tab")) != 1:
            self.fail(place, 'a document other than top needs one of "parent", "opener" and "tab"')
        if "tab" in table and "start" not in table:
            self.fail(place, 'a document with a tab loads after top has left the tab, so it needs start = "later"')
        if "parent" not in table:
            for key in ("allow", "sandbox"):
                if key in table:
                    self.fail(f"{place}.{key}", "only an iframe has this, but the document is not in an iframe")
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
                self.fail(f"documents.{name}", f"the documents {circle} contain each other in a circle")
            chain.append(outer)
            if "start" in tables[outer] and "start" not in nearest:
                problem = f'its parent or opener "{outer}" starts later, so it needs start = "later"'
                self.fail(f"documents.{chain[-2]}", problem)
        origin = next((tables[link]["origin"] for link in chain if "origin" in tables[link]), "A")
        given = {key.replace("-", "_"): value for key, value in table.items() if key not in ("origin", "start")}
        return DocumentSpec(name, origin, later="start" in table, **given)


class _ScriptReader(_Reader):
    """A reader of the script of one document. ``depth`` counts the levels of nesting."""

    def __init__(self, source: str, documents: Mapping[str, DocumentSpec], dialect: Dialect) -> None:
        super().__init__(source)
        self._dialect = dialect
        self._documents = documents
        self._labels = DefaultLabels()
        self._used: dict[str, str] = {}
        errors = (*ECMASCRIPT_ERRORS, *DOM_EXCEPTIONS)
        #: By the names that :mod:`modelcontext.programs.program.notation` has for them.
        self._kinds: Mapping[str, Callable[[Any, str, int], Value]] = {
            "value": self.value,
            "values": self.values,
            "function": self.function,
            "steps": lambda value, place, depth: self.steps(value, place, depth + 1),
            "name": lambda value, place, depth: self.text(value, place),
            "label": lambda value, place, depth: self.text(value, place),
            "names": lambda value, place, depth: self.texts(value, place),
            "text": lambda value, place, depth: self.text(value, place, empty=True),
            "path": lambda value, place, depth: self.path(value, place),
            "document": lambda value, place, depth: self.document(value, place),
            "constant": lambda value, place, depth: self.choice(value, JS_CONSTANTS, place, "constant"),
            "error": lambda value, place, depth: self.choice(value, errors, place, "error"),
            "integer": lambda value, place, depth: self.integer(value, place),
            "code units": lambda value, place, depth: self.code_units(value, place),
            "count": lambda value, place, depth: self.count(value, place),
            "element": lambda value, place, depth: self.text(value, place),
            "texts": lambda value, place, depth: self.texts(value, place, empty=True),
            "flag": lambda value, place, depth: self.flag(value, place),
            "markup": lambda value, place, depth: self.markup(value, place),
            "position": lambda value, place, depth: self.choice(value, POSITIONS, place, "position"),
            "selector": lambda value, place, depth: self.choice(value, SELECTORS, place, "selector"),
            "members": self.members,
            "value or throw": self.value_or_throw,
        }

    # Steps

    def steps(self, value: Any, place: str, depth: int = 0) -> tuple[ProgramStep, ...]:
        self.check_depth(depth, place)
        return tuple(self.step(item, f"{place}[{index}]", depth) for index, item in enumerate(self.array(value, place)))

    def step(self, value: Any, place: str, depth: int) -> ProgramStep:
        is_nested = depth > 0
        operations, promises = self._dialect.operations, self._dialect.promises
        table = self.table(value, place, "a step")
        if "do" not in table:
            self.fail(place, 'a step needs the key "do"; allowed: ' + quoted(operations))
        do = self.choice(table["do"], operations, f"{place}.do", "operation")
        signature = operations[do]
        kinds = {**signature.required, **signature.optional}
        always_waits = do in (*ARRIVAL_OPERATIONS, "waitFor")
        if is_nested and always_waits:
            self.fail(place, f"nested steps never wait, so {do} is not allowed here")
        if is_nested and do == "goBack":
            self.fail(place, "goBack must be the last step of a script")
        if is_nested and "wait" in table:
            self.fail(f"{place}.wait", "nested steps never wait")
        can_wait = do in (*promises, *FRAME_OPERATIONS) and not is_nested
        others = ["do", "as", *kinds, *(["on"] if signature.on else []), *(["wait"] if can_wait else [])]
        self.keys(table, others, place)
        for key in signature.required:
            if key not in table:
                self.fail(place, f'{do} needs the key "{key}"')
        label = self.label(table, do, place)
        wait = self.flag(table.get("wait", True), f"{place}.wait") if can_wait else always_waits
        if do == "listen" and "on" in table and "element" in table:
            self.fail(f"{place}.on", "a document can listen only to its own elements")
        on = self.text(table["on"], f"{place}.on") if "on" in table else None
        arguments = {key: self._kinds[kinds[key]](table[key], f"{place}.{key}", depth) for key in table if key in kinds}
        self.check_step(do, arguments, place)
        return ProgramStep(do, label, arguments, wait, on, place)

    def label(self, table: Mapping[str, Any], do: str, place: str) -> str:
        label = self.text(table["as"], f"{place}.as") if "as" in table else self._labels.take(do)
        if label in self._used:
            self.fail(place, f'{self._used[label]} already has the label "{label}"; give one of them another "as"')
        self._used[label] = place
        return label

    def check_step(self, do: str, arguments: Mapping[str, Value], place: str) -> None:
        if do in METHODS:
            others = [key for key in arguments if key != "arguments"]
            if "arguments" in arguments and others:
                self.fail(place, f'"arguments" is the whole list of arguments; leave out {quoted(others)}')
            needed = METHODS[do][0]
            if needed != "options" and "arguments" not in arguments and needed not in arguments:
                self.fail(place, f'{do} needs the key "{needed}" (or "arguments")')
        if "callback" in arguments:
            members = literal_members(arguments["tool"])
            if members is None:
                self.fail(f"{place}.callback", "a callback can be given only to a tool that is a table or an $object")
            if "execute" in members:
                self.fail(f"{place}.callback", 'the tool already has a member "execute"')
        if do == "handler" and ("steps" in arguments) == ("value" in arguments):
            self.fail(place, 'handler needs the key "steps" or the key "value", and not both')
        if do == "waitFor" and len(arguments) != 1:
            self.fail(place, 'waitFor needs one of the keys "message", "result" and "entries"')
        if do == "waitFor" and arguments.get("entries") == 0:
            self.fail(f"{place}.entries", "at least one entry is needed here")
        if do == "pageTransition":
            self.choice(arguments["type"], PAGE_TRANSITIONS, f"{place}.type", "page transition event")
        if do == "fill" and len(arguments) == 1:
            self.fail(place, 'fill needs one of the keys "value", "checked" and "selected"')
        if do == "get" and "element" in arguments:
            if "object" in arguments:
                self.fail(place, '"element" and "object" cannot be used together')
            if len(arguments["path"]) != 1 or arguments["path"][0] not in ELEMENT_MEMBERS:
                self.fail(f"{place}.path", f"get can read these members of an element: {quoted(ELEMENT_MEMBERS)}")
        if do == "same" and len(arguments["values"]) != 2:
            self.fail(f"{place}.values", "two values are needed here")
        if do in ("set", "call") and not arguments["path"]:
            self.fail(f"{place}.path", "at least one key is needed here")

    def function(self, value: Any, place: str, depth: int) -> dict[str, Value]:
        table = self.table(value, place, "a function")
        self.keys(table, (*FUNCTION, "watch"), place)
        watch = self.flag(table.get("watch", False), f"{place}.watch")
        self.check_behaviors(table, place)
        parts = self.parts({key: part for key, part in table.items() if key != "watch"}, FUNCTION, place, depth + 1)
        return {**parts, "watch": True} if watch else parts

    def check_behaviors(self, table: Mapping[str, Any], place: str) -> None:
        given = [key for key in BEHAVIORS if key in table]
        if len(given) > 1:
            self.fail(place, f"a function can have only one of these keys: {quoted(given)}")
        if "each" in table and "pending" not in table:
            self.fail(f"{place}.each", 'only a function with the key "pending" has a promise for each call')

    def parts(self, table: Mapping[str, Any], kinds: Mapping[str, str], place: str, depth: int) -> dict[str, Value]:
        return {key: self._kinds[kinds[key]](part, f"{place}.{key}", depth) for key, part in table.items()}

    # Values

    def document(self, value: Any, place: str) -> str:
        return self.choice(value, self._documents, place, "document")

    def path(self, value: Any, place: str) -> list[str | int]:
        path = self.array(value, place)
        for index, key in enumerate(path):
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                self.fail(f"{place}[{index}]", f"a key must be a string or a number, not {type_in_words(key)}")
        return path

    def values(self, value: Any, place: str, depth: int) -> list[Value]:
        return [self.value(item, f"{place}[{index}]", depth) for index, item in enumerate(self.array(value, place))]

    def check_depth(self, depth: int, place: str) -> None:
        if depth > DEEPEST:
            self.fail(place, f"this is nested more than {DEEPEST} deep")

    def value(self, value: Any, place: str, depth: int, *, is_member: bool = False) -> Value:
        self.check_depth(depth, place)
        if value is None:
            return {"$js": "null"}
        if isinstance(value, str):
            return {"$string": to_code_units(value)} if has_lone_surrogate(value) else value
        if isinstance(value, bool):
            return value
        if isinstance(value, (int, float)):
            return self.number(value, place)
        if isinstance(value, list):
            return self.values(value, place, depth + 1)
        if not isinstance(value, dict):
            self.fail(place, f"{type_in_words(value)} is not a value of the language")
        table = self.table(value, place, "a value")
        notations = [key for key in table if key in NOTATIONS]
        if len(notations) > 1:
            self.fail(place, f"{quoted(notations)} cannot be used together")
        if notations:
            return self.notation(notations[0], table, place, depth, is_member)
        for key in table:
            self.check_key(key, place)
            if key.startswith("$") and key not in ORDINARY_DOLLAR_KEYS:
                problem = f'unknown notation "{key}"' + did_you_mean(key, NOTATIONS)
                self.fail(place, f'{problem}. For an ordinary key write {{"$object" = [["{key}", …]]}}')
        return {key: self.value(item, f"{place}.{key}", depth + 1, is_member=True) for key, item in table.items()}

    def check_key(self, key: str, place: str) -> None:
        if has_lone_surrogate(key):
            self.fail(place, "a key must not have a lone surrogate")

    def number(self, value: int | float, place: str) -> Value:
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            name = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
            self.fail(place, f'write {{"$js" = "{name}"}}')
        if isinstance(value, float) and value == 0 and str(value).startswith("-"):
            return {"$js": "-0"}
        if isinstance(value, int) and abs(value) > 2**53:
            self.fail(place, 'no JavaScript number has this exact value; write a float or {"$bigint" = "…"}')
        return value

    # Notations

    def notation(self, key: str, table: Mapping[str, Any], place: str, depth: int, is_member: bool) -> Value:
        notation = NOTATIONS[key]
        kinds = {key: notation.subject, **notation.required, **notation.optional}
        self.keys(table, kinds, place)
        for needed in notation.required:
            if needed not in table:
                self.fail(place, f'{key} needs the key "{needed}": a {kinds[needed]}')
        if key == "$getter" and not is_member:
            self.fail(place, "a $getter is allowed only as the value of a member")
        if key == "$getter" and ("returns" in table) == ("throws" in table):
            self.fail(place, 'a $getter needs the key "returns" or the key "throws", and not both')
        self.check_behaviors(table, place)
        return self.parts({key: table[key], **table}, kinds, place, depth + 1)

    def integer(self, value: Any, place: str) -> str:
        text = self.text(value, place)
        if not text.removeprefix("-").isdecimal() or not text.isascii():
            self.fail(place, f'"{text}" is not an integer')
        return text

    def code_units(self, value: Any, place: str) -> list[int]:
        for index, unit in enumerate(self.array(value, place)):
            if isinstance(unit, bool) or not isinstance(unit, int) or not 0 <= unit <= 0xFFFF:
                self.fail(f"{place}[{index}]", "a UTF-16 code unit must be an integer from 0 to 65535")
        return list(value)

    def count(self, value: Any, place: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1_000_000:
            self.fail(place, "a repeat count is needed here, from 0 to 1000000")
        return value

    def value_or_throw(self, value: Any, place: str, depth: int) -> Value:
        if isinstance(value, dict) and "$throw" in value:
            self.keys(value, ("$throw",), place)
            return {"$throw": self.value(value["$throw"], f"{place}.$throw", depth)}
        return self.value(value, place, depth)

    def members(self, value: Any, place: str, depth: int) -> list[list[Value]]:
        read = []
        for index, pair in enumerate(self.array(value, place)):
            at = f"{place}[{index}]"
            if not isinstance(pair, list) or len(pair) != 2:
                self.fail(at, "a member of an $object must be an array of a key and a value")
            key, item = pair
            if not isinstance(key, str):
                self.fail(f"{at}[0]", f"a key must be a string, not {type_in_words(key)}")
            self.check_key(key, f"{at}[0]")
            read.append([key, self.value(item, f"{at}[1]", depth, is_member=True)])
        return read
