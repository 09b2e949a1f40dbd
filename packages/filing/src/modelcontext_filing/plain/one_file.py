"""The documents of a program in one file: the markup of the page, and its script.

A frame of the page's own origin, and one of an opaque origin, is in an attribute ``srcdoc``. A frame of another origin loads
the same file from there: the fragment of its URL says which document it is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from modelcontext.programs.program.language import substituted
from modelcontext_filing.plain.layout import Code, call, flat, joined, object_literal, script
from modelcontext_filing.plain.scope import LEAVES, START
from modelcontext_filing.plain.scripts import ScriptWriter
from modelcontext_filing.plain.shown import ORIGINS, literal, template
from modelcontext_filing.plain.view import PlainError, View

if TYPE_CHECKING:
    from modelcontext.programs.program.language import DocumentSpec, Program
    from modelcontext.programs.program.outcome import Outcome

#: The policy under which a form that is submitted stays where it is, and the reason for readers of the page.
POLICY: Final = (
    "<!-- With this policy a form that is submitted does not navigate. -->\n"
    '<meta http-equiv="Content-Security-Policy" content="form-action \'none\'">'
)
#: The steps with which a form is submitted, and those of a listener after which nothing is sent.
_SUBMITS: Final = frozenset({"executeTool", "requestSubmit", "submit", "click"})
_ENDS: Final = frozenset({"preventDefault", "remove"})
#: The origin that a script uses, other than to leave it out of what it shows.
_ORIGIN: Final = re.compile(r"\borigin\b(?!, \.\.\.tool\b)")
_LOADED: Final = "await new Promise((go) => (window.onload = go))"
_FORMS: Final = "await new Promise((go) => setTimeout(go, 200)); // The form becomes a tool."


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of a program: the markup of the page, and the lines of its script."""

    markup: str
    lines: Sequence[str]
    needs_server: bool

    @property
    def length(self) -> int:
        """The number of lines of JavaScript."""
        return len(self.lines) + sum(1 for line in self.markup.splitlines() if line.startswith("  ") and line.strip())


def policy_of(program: Program) -> str:
    """Return the policy that a page with forms needs; empty if no form can navigate it, as without a call."""
    steps = [step for _, step in program.walk()]
    navigates = any(step.do in _SUBMITS for step in steps)
    listeners = [step for step in steps if step.do == "listen"]
    handled = any(one.do in _ENDS for step in listeners for one in step.arguments.get("steps", ()))
    return POLICY if navigates and not handled else ""


def documents(
    program: Program, view: View, outcomes: Sequence[Outcome], shows: Sequence[Code], head: str = ""
) -> Documents:
    """Return the documents.

    Args:
        program: the program.
        view: how much the scripts show.
        outcomes: the outcomes that are compared.
        shows: the statements that define ``show(line)``.
        head: markup at the beginning of each frame's document.

    Raises:
        PlainError: if one file cannot have them.
    """
    return _Writer(program, view, outcomes, head).documents(shows)


def scripts_of_documents(program: Program, view: View, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of the scripts of all documents, each after a comment that says which document it is.

    Raises:
        PlainError: if a step has no plain form.
    """
    for spec in program.documents.values():
        script_ = ScriptWriter(program, spec.id, view, outcomes)
        yield f"// {_described(spec, program.documents['top'])}"
        if statements := script_.statements(frames=_not_here, navigated=_not_here):
            yield from script(statements)


def _described(spec: DocumentSpec, top: DocumentSpec) -> str:
    if spec.id == "top":
        return "The page"
    if spec.tab is not None:
        return f"{spec.id}.html, to which the page goes"
    allow = f', with allow="{spec.allow}"' if spec.allow is not None else ""
    where = "a frame with this name"
    if spec.opener is not None:
        where = "a window that the page has opened. This is its name in the page's script"
    origin = f", of the origin {ORIGINS[spec.origin]}" if spec.origin != top.origin and spec.origin in ORIGINS else ""
    return f"{spec.id}: {where}{origin}{allow}"


def _not_here(*_: str) -> list[Code]:
    raise PlainError("it adds a frame, or navigates a frame to another document")


class _Writer:
    def __init__(self, program: Program, view: View, outcomes: Sequence[Outcome], head: str = "") -> None:
        self._program = program
        self._head = head
        self._view = view
        self._outcomes = outcomes
        specs = program.documents.values()
        for spec in specs:
            if spec.origin not in ORIGINS:
                raise PlainError(f"it needs a server with four origins, for the document {spec.id}")
            if spec.origin == "insecure" and spec.id == "top":
                raise PlainError("it needs a server whose origin is not trustworthy")
            if spec.permissions_policy is not None:
                raise PlainError(
                    f"it needs a server that sends the header Permissions-Policy: {spec.permissions_policy}"
                    f" for the document {spec.id}"
                )
            if spec.tab is not None:
                raise PlainError("it needs a second page in the same tab, and the back/forward cache")
            if spec.opener is not None:
                raise PlainError("it needs a second window")
            if self._is_elsewhere(spec) and (spec.parent != "top" or spec.html is not None or spec.sandbox is not None):
                raise PlainError(f"it needs a file of its own for the document {spec.id}")
        self._elsewhere = [spec for spec in specs if self._is_elsewhere(spec)]
        self._first = [spec for spec in specs if spec.parent is not None and not spec.later]
        here = [spec for spec in specs if spec.parent is not None and not self._is_elsewhere(spec)]
        if self._elsewhere and (here or program.documents["top"].html is not None):
            raise PlainError("it needs a file for each document")

    def _is_elsewhere(self, spec: DocumentSpec) -> bool:
        return spec.origin != self._program.documents["top"].origin

    def documents(self, shows: Sequence[Code]) -> Documents:
        program = self._program
        top = program.documents["top"]
        statements: list[Code] = [*shows]
        if any(self._speaks_by_message(spec) and self._has_script(spec) for spec in program.documents.values()):
            statements.append('addEventListener("message", ({ data }) => data.line && show(data.line))')
        begin: list[Code] = []
        in_markup = [spec for spec in self._first if spec.parent == "top" and not self._is_elsewhere(spec)]
        for spec in self._first:
            if self._is_elsewhere(spec):
                begin += self._frame(spec.id)[:-1]
        acts = bool(program.steps("top")) or any(self._waits_for_start(spec) for spec in self._first)
        # Frames that a module inserts at once are loaded before the window is, too.
        if acts and (in_markup or begin):
            begin.append(_LOADED)
        if acts and any("toolname" in (spec.html or "") for spec in program.documents.values()):
            begin.append(_FORMS)
        for spec in self._first:
            if self._waits_for_start(spec):
                begin.append(f'frames.{spec.id}.postMessage("{START}", "*")')
        own = ScriptWriter(program, "top", self._view, self._outcomes).statements(
            hears_early=bool(in_markup), frames=self._frame, navigated=self._navigated
        )
        declared = _declarations(own)
        # Before its frames have loaded, their documents are others.
        early = [one for one in own[:declared] if "frames." not in flat(one)]
        late = [one for one in own[:declared] if "frames." in flat(one)]
        body = [*statements, *early, *begin, *late, *own[declared:]]
        if not self._elsewhere:
            lines = script(body)
        else:
            lines = []
            for spec in self._elsewhere:
                begins = "} else if" if lines else "if"
                lines += [f'{begins} (location.hash === "#{spec.id}") {{', *script(self._script_of(spec), "  ")]
            lines += ["} else {", *script(body, "  "), "}"]
        markup = [(top.html or "").strip(), *(self._iframe(spec) for spec in in_markup)]
        return Documents(
            "\n".join(filter(None, markup)),
            lines,
            needs_server=bool(self._elsewhere)
            # The polyfill refuses the frames of a local file.
            or (bool(self._head) and len(program.documents) > 1)
            or any(_ORIGIN.search(line) for line in (*lines, *markup)),
        )

    def _speaks_by_message(self, spec: DocumentSpec) -> bool:
        return self._program.is_opaque(spec.id) or self._is_elsewhere(spec)

    def _has_script(self, spec: DocumentSpec) -> bool:
        return spec.id != "top" and bool(self._program.steps(spec.id))

    def _waits_for_start(self, spec: DocumentSpec) -> bool:
        steps, of_top = self._program.steps(spec.id), self._program.steps("top")
        is_first = bool(of_top) and of_top[0].do != "waitFor"
        return bool(steps) and not spec.later and is_first and steps[0].do != "waitFor"

    def _script_of(self, spec: DocumentSpec) -> list[Code]:
        """Return the statements of a frame's script."""
        prefix = template(f"{spec.id}: ", "${line}")
        page = "parent"
        above = spec
        while above.parent not in (None, "top"):
            assert above.parent is not None
            above = self._program.documents[above.parent]
            page += ".parent"
        keeps: list[Code] = []
        if any(step.do in LEAVES for _, step in self._program.walk()):
            # The document of a frame that is removed has no parent any more, and may still show a line.
            keeps, page = [f"const page = {page}"], "page"
        shown = (
            f'{page}.postMessage({{ line: {prefix} }}, "*")'
            if self._speaks_by_message(spec)
            else f"{page}.show({prefix})"
        )
        script_ = ScriptWriter(self._program, spec.id, self._view, self._outcomes)
        waits = self._waits_for_start(spec)
        statements = script_.statements(waits_for_start=waits, frames=self._frame, navigated=self._navigated)
        shows = any("show(" in line or "report(" in line for line in script(statements))
        calls_at_once = bool(statements) and not waits and self._program.steps(spec.id)[0].do != "waitFor"
        forms = [_FORMS] if calls_at_once and "toolname" in (spec.html or "") else []
        lines = [*keeps, f"const show = (line) => {shown}"] if shows else []
        return [*lines, *forms, *statements]

    def _content(self, spec: DocumentSpec) -> str:
        """Return the markup of a frame's document, its script included."""
        inner = [one for one in self._first if one.parent == spec.id]
        is_closed = spec.sandbox is not None and "allow-forms" not in spec.sandbox
        policy = policy_of(self._program) if spec.html is not None and not is_closed else ""
        parts = [policy, self._head, (spec.html or "").strip(), *map(self._iframe, inner)]
        if self._has_script(spec):
            lines = script(self._script_of(spec), "  ")
            parts.append("\n".join(['<script type="module">', *lines, "</script>"]))
        text = "\n".join(filter(None, parts))
        return f"\n{text}\n" if "\n" in text else text

    def _iframe(self, spec: DocumentSpec) -> str:
        content = (
            html.escape(self._content(spec), quote=False)
            .replace("'", "&#39;")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
        )
        return f"<iframe {self._attributes(spec)}srcdoc='{content}'></iframe>"

    def _attributes(self, spec: DocumentSpec) -> str:
        given = {"name": spec.id, "allow": self._allow(spec), "sandbox": spec.sandbox}
        return "".join(f'{key}="{_attribute(value)}" ' for key, value in given.items() if value is not None)

    @staticmethod
    def _allow(spec: DocumentSpec) -> str | None:
        return substituted(spec.allow, ORIGINS) if spec.allow is not None else None

    def _frame(self, id_: str) -> list[Code]:
        """Return the statements that insert the frame of a document; the last one waits until it has loaded."""
        spec = self._program.documents[id_]
        if self._is_elsewhere(spec):
            host = urlsplit(ORIGINS[spec.origin]).hostname
            src = f'location.href.replace("localhost", "{host}")'
            allow = f' allow="{_attribute(self._allow(spec) or "")}"' if spec.allow is not None else ""
            frame = template(f'<iframe name="{id_}"{allow} src="', f"${{{src}}}", f'#{id_}"></iframe>')
            return [
                f'document.body.insertAdjacentHTML("beforeend", {frame})',
                f'await new Promise((go) => (document.querySelector("[name={id_}]").onload = go))',
            ]
        members: list[Code] = [f'name: "{id_}"']
        if spec.allow is not None:
            members.append(f"allow: {literal(self._allow(spec) or '')}")
        members.append(f"srcdoc: {self._as_template(self._content(spec))}")
        return [
            joined(
                f"const {id_}Frame = ",
                call("Object.assign", 'document.createElement("iframe")', object_literal(members)),
            ),
            f"document.body.append({id_}Frame)",
            f"await new Promise((go) => ({id_}Frame.onload = go))",
        ]

    def _navigated(self, id_: str, frame: str) -> list[Code]:
        """Return the statements that lead a frame to a document, and wait until it has loaded."""
        spec = self._program.documents[id_]
        if self._is_elsewhere(spec):
            raise PlainError("it navigates a frame to another origin")
        name = f"{id_}Frame"
        return [
            f"const {name} = {frame}",
            joined(f"{name}.srcdoc = ", self._as_template(self._content(spec))),
            f"await new Promise((go) => ({name}.onload = go))",
        ]

    @staticmethod
    def _as_template(content: str) -> str:
        return "`" + content.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${").replace("</", "<\\/") + "`"


def _attribute(value: str) -> str:
    return html.escape(value, quote=False).replace('"', "&quot;")


def _declarations(statements: Sequence[Code]) -> int:
    """Return the number of statements at the beginning that only declare what later ones use."""
    texts = map(flat, statements)
    return sum(1 for _ in takewhile(lambda text: text.startswith(("const ", "let ")) and "await" not in text, texts))
