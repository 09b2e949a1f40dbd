"""A recording as a program, and as an outcome of it.

What scripts did is the script of each document (:mod:`modelcontext_record.script`). What the browser did is the outcome:
settlements, events and callbacks. A callback returns a pending promise, which the script settles where the page did. A frame
begins to load after what its parent had recorded before it came, and has loaded as late as it has to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import from_data
from modelcontext_record.saying import UnsaidError
from modelcontext_record.script import RecordedScript
from modelcontext_record.tree import TAB, PageTree

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext_record.notes import Note, RecordedDocument

#: The types of events that each script records.
TYPES = ("toolchange", "toolactivated", "toolcancel")
#: The milliseconds by which the clocks of two event loops may differ.
MARGIN = 20


@dataclass(frozen=True)
class Translation:
    """A program for what a page did, and the outcome that the page showed."""

    program: Program
    observed: Outcome


def translated(tree: PageTree, title: str, note: str = "", *, strict: bool = False) -> Translation:
    """Return a recording as a program with its outcome.

    Args:
        tree: the documents of the page, with their notes.
        title: the title of the program.
        note: its note.
        strict: each turn of the event loop is one of the program.

    Raises:
        UnsaidError: if no program can say what the page did.
    """
    return _Translator(tree, strict=strict).translated(title, note)


class _Translator:
    def __init__(self, tree: PageTree, *, strict: bool) -> None:
        self._tree = tree
        self._saying = tree.saying
        self._scripts = {id_: RecordedScript(id_, self._saying, strict=strict) for id_ in tree.documents}
        for id_, script in self._scripts.items():
            script.before_turn = partial(self._let_others_go_first, id_)
        self._heard: dict[tuple[str, str], int] = {}
        self._logs: dict[str, list[dict[str, Any]]] = {}
        #: The labels of calls, the names of their callbacks and of the promises of these, by number in their event loop.
        self._labels: dict[tuple[str, int], tuple[str, str, str]] = {}
        self._pending: dict[tuple[str, int], str] = {}
        #: The promises of invocations, and how many each callback has had.
        self._promises: dict[tuple[str, int], tuple[str, str]] = {}
        self._invocations: dict[tuple[str, str], int] = {}

    def translated(self, title: str, note: str) -> Translation:
        tree = self._tree
        if tree.judged == 0:
            raise UnsaidError("no call ended before the page went away or reached the limit of notes")
        for id_, script in self._scripts.items():
            if tree.documents[id_].has_api:
                for type_ in TYPES:
                    script.begin({"do": "listen", "type": type_})
        for id_, one in self._in_order():
            self._take(id_, one)
        data = {
            "title": title,
            **({"note": note} if note else {}),
            "documents": tree.tables(),
            "script": {id_: script.steps for id_, script in self._scripts.items()},
        }
        program = from_data(data)
        logs: dict[str, list[dict[str, Any]]] = {}
        loops: dict[str, str] = {}
        for id_, document in tree.documents.items():
            if document.has_api and loops.setdefault(program.log_of(id_), document.loop) != document.loop:
                raise UnsaidError(f"documents of the origin {document.origin} did not find each other")
        for loop, entries in self._logs.items():
            name = next(name for name, other in loops.items() if other == loop)
            logs[name] = entries
        return Translation(program, Outcome(logs, tuple(self._pending.values())))

    def _in_order(self) -> Iterator[tuple[str, Note]]:
        """Yield the notes of all documents with the ids of these, in the order of each event loop."""
        found: list[tuple[str, float, str, Note]] = []
        for id_, document in self._tree.documents.items():
            found += [(document.loop, note["n"], id_, note) for note in document.notes]
            if document.frame != TAB:
                found += self._coming_and_going(id_)
        in_order = [(id_, note) for _, _, id_, note in sorted(found, key=lambda one: one[:2])]
        yield from _with_aborts_first(in_order)

    def _coming_and_going(self, id_: str) -> Iterator[tuple[str, float, str, Note]]:
        """Yield what the parent does when a document comes into a frame and goes, at its place among the parent's notes."""
        tree, document = self._tree, self._tree.documents[id_]
        parent = tree.parent(id_)
        assert parent is not None
        around = tree.documents[parent]
        if tree.first_in_frame(id_):
            number, turn = self._place(around, document, document.began, MARGIN)
            note = {"k": "came", "t": turn, "step": {"do": "addFrame", "document": id_, "wait": False}}
            yield around.loop, number, parent, note
        gone, following = document.gone, tree.next_in_frame(id_)
        if gone is None or (around.gone is not None and around.gone["w"] <= gone["w"] + 1):
            return
        step: dict[str, Any] = {"do": "removeFrame", "document": id_}
        if following is not None:
            step = {"do": "navigate", "document": id_, "to": following, "wait": False}
        number, turn = self._place(around, document, gone, 0)
        yield around.loop, number, parent, {"k": "gone", "t": turn, "step": step}

    def _place(
        self, around: RecordedDocument, document: RecordedDocument, note: Note, margin: float
    ) -> tuple[float, int]:
        """Return the place of a note of another document among the notes of one, and its turn there.

        Clocks tell the order of event loops, with a margin in milliseconds.
        """
        # A document that went unnoticed has the beginning of the next one as the note of that.
        if around.loop == note.get("loop", document.loop):
            return note["n"], note["t"]
        earlier = [one["n"] for one in around.notes if one["w"] <= note["w"] - margin]
        return (earlier[-1] if earlier else around.began["n"]) + 0.5, -1

    def _take(self, id_: str, note: Note) -> None:
        loop = self._tree.documents[id_].loop
        script, saying = self._scripts[id_], self._saying
        match note["k"]:
            case "call":
                name = self._callback_name(note)
                promise = name or f"callback {note['c']}"
                label, entries = script.call(note, promise)
                self._log(loop, *entries)
                self._labels[loop, note["c"]] = label, name or label, promise
                self._pending[loop, note["c"]] = f"{id_}: {label}"
            case "threw":
                label = self._labels[loop, note["c"]][0]
                self._log(loop, {"in": id_, "step": label, "threw": saying.seen(note["v"])})
                del self._pending[loop, note["c"]]
            case "settled":
                label = self._labels[loop, note["c"]][0]
                self._log(loop, {"in": id_, "promise": label, note["h"]: saying.seen(note["v"])})
                self._pending.pop((loop, note["c"]), None)
                script.entry(note)
            case "event":
                attributes = {key: saying.seen(value) for key, value in note["e"].items()}
                type_ = attributes.pop("type")
                self._log(loop, {"in": id_, "event": type_, "via": "listener", **attributes})
                script.entry(note)
            case "callback":
                _, name, promise = self._labels[loop, note["c"]]
                entry = {"callback": name, "input": saying.seen(note["input"]), "aborted": note["aborted"]}
                self._log(loop, {"in": id_, **entry})
                count = self._invocations[id_, promise] = self._invocations.get((id_, promise), 0) + 1
                self._promises[loop, note["i"]] = name, promise if count == 1 else f"{promise} {count}"
                script.entry(note, invocation=note["i"])
            case "returned":
                script.returned(note)
            case "answered":
                _, promise = self._promises[loop, note["i"]]
                self._log(loop, *script.answer(note, promise))
            case "canceled":
                name, _ = self._promises[loop, note["i"]]
                self._log(loop, {"in": id_, "abort": name, "reason": saying.seen(note["v"])})
                script.entry(note)
            case "abort":
                self._log(loop, *script.abort(note))
            case "came" | "gone":
                self._log(loop, *script.frame(note))
            case "unsaid":
                raise UnsaidError(note["why"])
            case other:
                raise UnsaidError(f"a method {other}")

    def _let_others_go_first(self, id_: str) -> None:
        """Let a document wait until the others of its event loop have recorded what they had before its next turn."""
        loop = self._tree.documents[id_].loop
        for other, script in self._scripts.items():
            is_news = script.count > self._heard.get((other, id_), 0)
            if other != id_ and is_news and self._tree.documents[other].loop == loop:
                self._heard[other, id_] = script.count
                message = f"{other} has {script.count}"
                script.tell(id_, message)
                self._scripts[id_].hear(message)

    def _callback_name(self, note: Note) -> str:
        """Return the name that the entries of a tool's callback have; the label has it if the name is no string."""
        for passed in note["a"][:1] if note["m"] == "registerTool" else ():
            for name, value in passed.get("o", ()):
                if name == "name" and isinstance(given := self._saying.given(value), str):
                    return given
        return ""

    def _log(self, loop: str, *entries: dict[str, Any]) -> None:
        self._logs.setdefault(loop, []).extend(entries)


def _with_aborts_first(notes: Sequence[tuple[str, Note]]) -> Iterator[tuple[str, Note]]:
    """Yield notes with each abort before the rejections that it brings about.

    If a timeout aborts a signal, a reaction can run before the recorder's listener: after another listener.
    """
    signals: dict[tuple[str, int], set[int]] = {}
    ordered: list[tuple[str, Note]] = []
    for id_, note in notes:
        if note["k"] == "call":
            signals[note["d"], note["c"]] = {
                value["$signal"]
                for passed in note["a"]
                for name, value in passed.get("o", ())
                if name == "signal" and isinstance(value, dict) and type(value.get("$signal")) is int
            }
        place = len(ordered)
        if note["k"] == "abort":
            while place and _comes_of(ordered[place - 1][1], note, signals):
                place -= 1
        ordered.insert(place, (id_, note))
    yield from ordered


def _comes_of(settled: Note, abort: Note, signals: dict[tuple[str, int], set[int]]) -> bool:
    return (
        settled["k"] == "settled"
        and settled["h"] == "rejected"
        and settled["v"] == abort.get("v")
        and abort["s"] in signals.get((settled["d"], settled["c"]), ())
    )
