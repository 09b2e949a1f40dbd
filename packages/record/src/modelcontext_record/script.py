"""The script of one recorded document: what it did, step by step, each step at its place between the entries of the document.

A script that has nothing to wait for goes on. So a step that the page made later waits for as many entries as came in
between. The script then goes on where the last of them is recorded: in the reaction of a promise, in a listener, or in a
callback before it returns. A step of another turn of the event loop begins with a timer, whose entry has its place among the
others; a timer of the model fires as late as it has to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from modelcontext.programs.program.language import DefaultLabels
from modelcontext_record.saying import Saying, signal_name

if TYPE_CHECKING:
    from modelcontext_record.notes import Note

#: The keys of a step for the arguments of each method.
KEYS = {"registerTool": ("tool", "options"), "getTools": ("options",), "executeTool": ("tool", "input", "options")}


class RecordedScript:
    """The script of a document, which grows with its notes.

    With ``strict`` each turn of the event loop is one of the program. Otherwise calls are made as soon as what came before
    them has, which a browser repeats more easily.
    """

    def __init__(self, id_: str, saying: Saying, *, strict: bool) -> None:
        self.steps: list[dict[str, Any]] = []
        #: The number of entries.
        self.count = 0
        #: Is called before another turn of the event loop begins.
        self.before_turn: Callable[[], None] = lambda: None
        self._id = id_
        self._saying = saying
        self._strict = strict
        self._labels = DefaultLabels()
        self._timers = 0
        self._entries = 0
        #: The turn of the last entry or step, the last entry's invocation if it is a callback, and whether this has returned.
        self._turn: int | None = None
        self._inside: int | None = None
        self._has_returned = False

    def begin(self, step: dict[str, Any]) -> None:
        """Add a step with which the script begins."""
        self._labels.take(step["do"])
        self.steps.append(step)

    def call(self, note: Note, callback: str) -> tuple[str, list[dict[str, Any]]]:
        """Add a call; return its label and the entries that come before it. Raises :class:`UnsaidError`."""
        method = note["m"]
        arguments = [self._argument(passed) for passed in note["a"]]
        # An argument that is left out is undefined.
        while arguments and arguments[-1] == {"$js": "undefined"}:
            arguments.pop()
        step: dict[str, Any] = {"do": method, "wait": False}
        if len(arguments) > len(KEYS[method]) or (method == "registerTool" and not _has_callback(note)):
            step["arguments"] = arguments
        else:
            step |= dict(zip(KEYS[method], arguments, strict=False))
            if method != "getTools" and not arguments:
                step["arguments"] = []
        if method == "registerTool" and _has_callback(note):
            step["callback"] = {"pending": callback, "each": True, "watch": True}
        entries = self._reach(note)
        label = self._labels.take(method)
        self.steps.append(step)
        return label, entries

    def _argument(self, passed: Mapping[str, Any]) -> Any:
        if "o" not in passed:
            return self._saying.given(passed.get("v", {"$js": "undefined"}), is_json=True)
        members: dict[str, Any] = {}
        for name, value in passed["o"]:
            if isinstance(value, Mapping) and "$members" in value:
                members[name] = self._argument(value["$members"])
            elif not (isinstance(value, Mapping) and "$callback" in value):
                members[name] = self._saying.given(value, is_json=name == "inputSchema")
        return members

    def answer(self, note: Note, promise: str) -> list[dict[str, Any]]:
        """Add the answer of a callback; return the entries that come before it. Raises :class:`UnsaidError`."""
        do = "resolve" if note["h"] == "fulfilled" else "reject"
        value = self._saying.given(note["v"], is_json=True)
        is_at_once = not self._strict and note["i"] == self._inside and note["t"] == self._turn
        entries = [] if is_at_once and self._entries == 0 else self._reach(note, is_at_once=is_at_once)
        self.steps.append({"do": do, "pending": promise, "value": value})
        self._labels.take(do)
        return entries

    def abort(self, note: Note) -> list[dict[str, Any]]:
        """Add an abort of a signal; return the entries that come before it. Raises :class:`UnsaidError`."""
        step: dict[str, Any] = {"do": "abort", "controller": signal_name(note["s"])}
        if "v" in note:
            step["reason"] = self._saying.given(note["v"])
        entries = self._reach(note, is_call=False)
        self.steps.append(step)
        self._labels.take("abort")
        return entries

    def frame(self, note: Note) -> list[dict[str, Any]]:
        """Add what happens to a frame; return the entries that come before it."""
        entries = self._reach(note, is_call=note["k"] == "came")
        self.steps.append(note["step"])
        self._labels.take(note["step"]["do"])
        return entries

    def entry(self, note: Note, *, invocation: int | None = None) -> None:
        """Count an entry."""
        self.count += 1
        self._entries += 1
        self._turn = note["t"]
        self._inside, self._has_returned = invocation, False

    def returned(self, note: Note) -> None:
        """Note that a callback has returned."""
        self._has_returned = self._has_returned or note["i"] == self._inside

    def _reach(self, note: Note, *, is_call: bool = True, is_at_once: bool = False) -> list[dict[str, Any]]:
        """Let the script reach the place of a step; return the entries that this makes."""
        is_another_turn = self._turn is not None and note["t"] != self._turn
        needs_timer = not is_at_once and (self._has_returned or (is_another_turn and (self._strict or not is_call)))
        self._wait()
        self._turn = note["t"]
        if not needs_timer:
            return []
        self.before_turn()
        self._timers += 1
        label = f"turn {self._timers}"
        self.steps.append({"do": "timer", "as": label})
        self._entries = 1
        self._wait()
        self._inside, self._has_returned = None, False
        return [{"in": self._id, "timer": label}]

    def tell(self, document: str, message: str) -> None:
        """Let another document know that the entries so far have come."""
        self._wait()
        self.steps.append({"do": "tell", "to": document, "message": message})
        self._labels.take("tell")

    def hear(self, message: str) -> None:
        """Wait for what another document tells."""
        self.steps.append({"do": "waitFor", "message": message})
        self._labels.take("waitFor")

    def _wait(self) -> None:
        """Let the script wait until the entries since the last step have come."""
        if self._entries:
            self.steps.append({"do": "waitFor", "entries": self._entries})
            self._labels.take("waitFor")
            self._entries = 0


def _has_callback(note: Note) -> bool:
    members = note["a"][0].get("o", ()) if note["a"] else ()
    return any(name == "execute" and isinstance(value, Mapping) and "$callback" in value for name, value in members)
