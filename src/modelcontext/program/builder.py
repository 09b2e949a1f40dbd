"""Writing programs in Python.

.. code-block:: python

    program = (
        ProgramBuilder("A callback that resolves with undefined makes executeTool reject with UnknownError")
        .script("top")
        .register_tool({"name": "t", "description": "d"}, callback=function(resolves=JS_UNDEFINED))
        .execute_tool(tool("t"), label="call")
        .build()
    )

Values are plain Python data (``None`` is null) and the notations of the language, for which this module has functions.
What is built goes through the same checks as a file: mistakes are :class:`ProgramError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Self

from modelcontext.program.language import Program, Value, from_data

JS_UNDEFINED: Final[Value] = {"$js": "undefined"}


class Steps:
    """A list of steps; each method appends one and returns the list, so that calls chain.

    Every method takes ``label`` (the step's ``as``). For what the operations do see ``docs/program-language.md``.
    """

    def __init__(self) -> None:
        self.data: list[dict[str, Any]] = []

    def step(self, do: str, *, label: str | None = None, **arguments: Any) -> Self:
        """Append any step; arguments that are ``None`` are left out (null is ``{"$js": "null"}`` here)."""
        step: dict[str, Any] = {"do": do}
        if label is not None:
            step["as"] = label
        step.update((key, _steps_data(value)) for key, value in arguments.items() if value is not None)
        self.data.append(step)
        return self

    def register_tool(
        self,
        tool: Value,
        *,
        options: Value = None,
        callback: Value = None,
        on: str | None = None,
        wait: bool | None = None,
        label: str | None = None,
    ) -> Self:
        """``registerTool``; ``callback`` is what :func:`function` gives."""
        return self.step("registerTool", tool=tool, options=options, callback=callback, on=on, wait=wait, label=label)

    def get_tools(
        self, *, options: Value = None, on: str | None = None, wait: bool | None = None, label: str | None = None
    ) -> Self:
        """``getTools``."""
        return self.step("getTools", options=options, on=on, wait=wait, label=label)

    def execute_tool(
        self,
        tool: Value,
        input: Value = None,
        *,
        options: Value = None,
        on: str | None = None,
        wait: bool | None = None,
        label: str | None = None,
    ) -> Self:
        """``executeTool``; without ``input`` that argument is not given."""
        return self.step("executeTool", tool=tool, input=input, options=options, on=on, wait=wait, label=label)

    def call(self, operation: str, arguments: Sequence[Value], **rest: Any) -> Self:
        """One of the three operations with the exact list of arguments."""
        return self.step(operation, arguments=list(arguments), **rest)

    def abort(self, controller: str, *, reason: Value = None, label: str | None = None) -> Self:
        """Abort the controller of that name."""
        return self.step("abort", controller=controller, reason=reason, label=label)

    def resolve(self, pending: str, value: Value = None, *, label: str | None = None) -> Self:
        """Resolve the pending promise of that name."""
        return self.step("resolve", pending=pending, value=value, label=label)

    def reject(self, pending: str, value: Value = None, *, label: str | None = None) -> Self:
        """Reject the pending promise of that name."""
        return self.step("reject", pending=pending, value=value, label=label)

    def listen(self, type: str, steps: Steps | None = None, *, on: str | None = None, label: str | None = None) -> Self:
        """Add an event listener."""
        return self.step("listen", type=type, steps=steps, on=on, label=label)

    def timer(self, steps: Steps | None = None, *, label: str | None = None) -> Self:
        """``setTimeout`` with 0."""
        return self.step("timer", steps=steps, label=label)

    def microtask(self, steps: Steps | None = None, *, label: str | None = None) -> Self:
        """``queueMicrotask``."""
        return self.step("microtask", steps=steps, label=label)

    def log(self, value: Value, *, label: str | None = None) -> Self:
        """Record a value."""
        return self.step("log", value={"$js": "null"} if value is None else value, label=label)

    def tell(self, to: str, message: str) -> Self:
        """Post a message to another document."""
        return self.step("tell", to=to, message=message)

    def wait_for(self, *, message: str | None = None, result: str | None = None) -> Self:
        """Go on when the message has come, or the result has settled."""
        return self.step("waitFor", message=message, result=result)

    def add_frame(self, document: str) -> Self:
        """Insert the iframe of a document that starts later."""
        return self.step("addFrame", document=document)

    def remove_frame(self, document: str) -> Self:
        """Remove the iframe that holds a document."""
        return self.step("removeFrame", document=document)

    def navigate(self, document: str, to: str) -> Self:
        """Navigate the iframe that holds a document to another one."""
        return self.step("navigate", document=document, to=to)

    def leave(self, document: str) -> Self:
        """Go into the back/forward cache; another document is shown meanwhile."""
        return self.step("leave", document=document)

    def go_back(self) -> Self:
        """Go back to the document that has left."""
        return self.step("goBack")

    def page_transition(self, type: str, steps: Steps | None = None, *, label: str | None = None) -> Self:
        """Listen for ``pagehide`` or ``pageshow`` at the window."""
        return self.step("pageTransition", type=type, steps=steps, label=label)


class Script(Steps):
    """The script of one document of a :class:`ProgramBuilder`."""

    def __init__(self, program: ProgramBuilder) -> None:
        super().__init__()
        self._program = program

    def script(self, document: str) -> Script:
        """The script of another document of the same program."""
        return self._program.script(document)

    def build(self) -> Program:
        """The program. Raises :class:`ProgramError`."""
        return self._program.build()


class ProgramBuilder:
    """A program in the making."""

    def __init__(self, title: str, *, algorithms: Sequence[str] = (), note: str = "") -> None:
        self._data: dict[str, Any] = {"title": title, "algorithms": list(algorithms), "note": note, "documents": {}}
        self._scripts: dict[str, Script] = {}

    def document(
        self,
        id: str,
        *,
        parent: str | None = None,
        opener: str | None = None,
        tab: str | None = None,
        origin: str | None = None,
        allow: str | None = None,
        sandbox: str | None = None,
        permissions_policy: str | None = None,
        later: bool = False,
    ) -> Self:
        """Declare a document."""
        keys = {
            "parent": parent,
            "opener": opener,
            "tab": tab,
            "origin": origin,
            "allow": allow,
            "sandbox": sandbox,
            "permissions-policy": permissions_policy,
            "start": "later" if later else None,
        }
        self._data["documents"][id] = {key: value for key, value in keys.items() if value is not None}
        return self

    def script(self, document: str = "top") -> Script:
        """The script of a document, to append steps to."""
        return self._scripts.setdefault(document, Script(self))

    def build(self) -> Program:
        """The program. Raises :class:`ProgramError`."""
        return from_data({**self._data, "script": {name: script.data for name, script in self._scripts.items()}})


def function(**keys: Value) -> Value:
    """What a function or callback does: one of ``resolves``, ``rejects``, ``returns``, ``throws``, ``pending``; ``steps``."""
    return {key: _steps_data(value) for key, value in keys.items()}


def tool(name: str, *, of: str | None = None) -> Value:
    """``{"$tool": name}``: a tool of a document (this one unless given) to execute."""
    return {"$tool": name} if of is None else {"$tool": name, "in": of}


def listed(name: str, *, by: str) -> Value:
    """``{"$listed": name}``: the entry of that name in the list of a ``getTools`` step."""
    return {"$listed": name, "from": by}


def signal(controller: str) -> Value:
    """``{"$signal": controller}``."""
    return {"$signal": controller}


def let(name: str, be: Value) -> Value:
    """``{"$let": name}``: a value that is remembered under a name."""
    return {"$let": name, "be": be}


def the(name: str, *path: str | int) -> Value:
    """``{"$the": name}``: a remembered value or the value of a result, then member by member."""
    return {"$the": name, "path": list(path)} if path else {"$the": name}


def _steps_data(value: Any) -> Any:
    return value.data if isinstance(value, Steps) else value
