"""The names in the script of one document, and what stands at the beginning of the script because of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from modelcontext_filing.plain.shown import ORIGINS, literal
from modelcontext_filing.plain.view import PlainError, View

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Entry, Outcome
    from modelcontext_filing.plain.layout import Code

#: The message with which a document lets another one begin.
START: Final = "start"
#: The steps after which a document is gone.
LEAVES: Final = frozenset({"removeFrame", "navigate", "close"})
#: Names that are not free: words of JavaScript, and what scripts use.
_TAKEN: Final = frozenset(
    "await break case catch class const continue debugger default delete do else enum export extends false finally for"  # noqa: SIM905
    " function if import in instanceof let new null return static super switch this throw true try typeof var void while"
    " with yield show report text origin page parent document window input signal event values error tools go".split()
)


class ScriptNames:
    """The names of one document's script. Asking for a name declares it."""

    def __init__(self, program: Program, me: str, view: View, outcomes: Sequence[Outcome]) -> None:
        self.program = program
        self.me = me
        self.view = view
        self.results: set[str] = set()
        self._outcomes = outcomes
        self._names: dict[tuple[str, str], str] = {}
        self._declared: dict[str, Code] = {}
        self._origins: Counter[str] = Counter()
        self._once: frozenset[str] = frozenset()
        self._goes = any(step.do in LEAVES for _, step in program.walk())

    @property
    def declarations(self) -> Sequence[Code]:
        """The declarations of the names, in the order in which the script has asked for them."""
        return list(self._declared.values())

    def controller(self, name: str) -> str:
        """Return the name of an AbortController."""
        return self._declare("controller", name, "new AbortController()")

    def pending(self, name: str) -> str:
        """Return the name of a promise with its functions."""
        return self._declare("promise", name, "Promise.withResolvers()")

    def message(self, name: str) -> str:
        """Return the name of the promise of a message."""
        program = self.program
        told = [step for _, step in program.walk() if step.do == "tell" and step.arguments["to"] == self.me]
        speak = [
            one for one in program.documents if program.is_opaque(one) or program.log_of(one) != program.log_of(self.me)
        ]
        if len(told) > 1 or (told and name == START) or (self.me == "top" and speak):
            heard = f'addEventListener("message", ({{ data }}) => data === "{name}" && go())'
        else:
            heard = "(window.onmessage = go)"
        return self._declare("message", name, f"new Promise((go) => {heard})")

    def let(self, name: str) -> str:
        """Return the name of a variable, for a value that the program gives this name."""
        identifier = self._identifier("value", name)
        self._declared.setdefault(identifier, f"let {identifier}")
        return identifier

    def result(self, label: str) -> str:
        """Return the name of the constant that has the result of a step."""
        self.results.add(label)
        return self._identifier("result", label)

    def named(self, name: str) -> str:
        """Return the name for the value of a ``$let``, or for the result of a step with that label."""
        labels = {step.label for _, step in self.program.walk()}
        return self.result(name) if name in labels else self.let(name)

    def element(self, id_: str, on: str | None) -> str:
        """Return the expression for an element; one that the markup has is found when the script begins."""
        document = on or self.me
        markup = self.program.documents[document].html or ""
        found = f'{self.document(document)}.querySelector("#{id_}")'
        if document != self.me or not re.search(rf"""\bid=["']?{re.escape(id_)}\b""", markup):
            return found
        return self._declare("element", id_, found)

    def document(self, id_: str) -> str:
        """Return the expression for a document."""
        return "document" if id_ == self.me else f"{self._path(id_)}.document"

    def context(self, id_: str) -> str:
        """Return the expression for the ModelContext of a document."""
        accessor = self.program.dialect.accessor
        if id_ == self.me:
            return f"{accessor}.modelContext"
        if id_ in self.program.initial_documents:
            return self._identifier("context", id_)
        found = f"{self._path(id_)}.{accessor}.modelContext"
        return self._declare("context", f"context of {id_}", found) if self._goes else found

    def window(self, id_: str) -> str:
        """Return the expression for the Window of a document."""
        if id_ == self.me:
            return "window"
        path = self._path(id_)
        return self._declare("window", id_, path) if self._goes and path.startswith("frames.") else path

    def origin(self, letter: str) -> str:
        """Return the expression for an origin."""
        if letter == self.program.documents[self.me].origin:
            return "origin"
        if letter == "insecure":
            return '"http://insecure.example"'
        if letter not in ORIGINS:
            raise PlainError(f"it needs a server with the origin {letter}")
        here, there = (
            literal(urlsplit(ORIGINS[one]).hostname or "") for one in (self.program.documents[self.me].origin, letter)
        )
        expression = f"origin.replace({here}, {there})"
        self._origins[letter] += 1
        return expression if letter in self._once else self._declare("origin", f"origin {letter}", expression)

    def begin_again(self) -> None:
        """Write the script again: an origin that was used once needs no name."""
        self._once = frozenset(letter for letter, count in self._origins.items() if count == 1)
        for letter in self._once:
            self._declared.pop(self._identifier("origin", f"origin {letter}"), None)
        self._origins.clear()

    def origin_of(self, id_: str) -> str:
        """Return the expression for the serialized origin of a document."""
        return '"null"' if self.program.is_opaque(id_) else self.origin(self.program.documents[id_].origin)

    def is_invoked(self, name: str) -> bool:
        """Return whether an outcome has the callback of that name."""
        return not self._outcomes or any(entry.get("callback") == name for entry in self._entries())

    def is_aborted(self, name: str) -> bool:
        """Return whether an outcome has a callback of that name whose signal is aborted when it is invoked."""
        return any(entry.get("callback") == name and entry.get("aborted") for entry in self._entries())

    def throws(self, label: str) -> bool:
        """Return whether the step with a label throws in an outcome."""
        return any(entry.get("step") == label and "threw" in entry for entry in self._entries())

    def _entries(self) -> Iterator[Entry]:
        """Yield the entries that this document has recorded in some outcome."""
        for outcome in self._outcomes:
            for log in outcome.logs.values():
                yield from (entry for entry in log if entry["in"] == self.me)

    def _path(self, id_: str) -> str:
        """Return the way from this document's Window to that of another one."""
        if id_ == "top" and self.program.documents[self.me].opener == "top":
            return "opener"
        if self.program.documents[id_].opener is not None:
            return self._identifier("popup", id_)
        here, there = self._ancestors(self.me), self._ancestors(id_)
        common = next(one for one in here if one in there)
        up = ["parent"] * here.index(common) or ["frames"]
        return ".".join([*up, *(self.program.holders[one] for one in reversed(there[: there.index(common)]))])

    def _ancestors(self, id_: str) -> list[str]:
        found = [id_]
        while (parent := self.program.documents[found[-1]].parent) is not None:
            found.append(parent)
        return found

    def _declare(self, kind: str, name: str, value: str) -> str:
        identifier = self._identifier(kind, name)
        self._declared.setdefault(identifier, f"const {identifier} = {value}")
        return identifier

    def _identifier(self, kind: str, name: str) -> str:
        """Return an identifier for a name; a second kind of things with the name gets the kind as well."""
        if (kind, name) not in self._names:
            first, *others = re.findall(r"[A-Za-z0-9]+", name) or ["it"]
            plain = first[:1].lower() + first[1:] + "".join(word.capitalize() for word in others)
            plain = plain if plain[0].isalpha() else f"_{plain}"
            taken = {*self._names.values(), *_TAKEN}
            self._names[kind, name] = plain if plain not in taken else f"{plain}{kind.capitalize()}"
        return self._names[kind, name]
