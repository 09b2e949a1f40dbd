"""The verdict on a subtest, from the evidence about it.

The simulated browser has the algorithms of the text and a part of the platform. Product ``page`` has the same algorithms and
the platform of a real browser, in the one order that it happens to take. So what passes in the one under some schedules
and fails under others assumes an order, and what never passes in both contradicts the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import npm_packages, project_root
from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.wpt.audit.evidence import PAGE, Evidence, Seen
from modelcontext.judging.wpt.results import SubtestStatus

if TYPE_CHECKING:
    from modelcontext.judging.wpt.tree import Tree
    from modelcontext.spec.revisions.revision import Revision

_NOT_THERE: Final = (
    re.compile(r"(?P<name>[\w$.]+) is not a (?:function|constructor)"),
    re.compile(r"(?P<name>[\w$]+) is not defined"),
    re.compile(r"(?P<name>[\w$.]+) is not implemented in the simulated browser"),
)
_READ: Final = re.compile(r"Cannot read properties of undefined \(reading '(?P<name>[^']+)'\)")
_PLACE: Final = re.compile(r"(?:https?://[^/\s]+)(?P<path>/[^\s:?#)]+)[^\s:)]*:(?P<line>\d+):\d+")
#: Parts of messages that differ from run to run: the server's ports.
_PORTS: Final = re.compile(r"(?<=:)\d{4,5}\b")
_ROOTS: Final = ("document", "navigator", "window", "self", "globalThis")
_HARNESS: Final = "/resources/testharness"
_NEVER: Final = "It waits for something that never happens: no work was left."


class Ruling(StrEnum):
    """The verdict on a subtest, the gravest first."""

    CONTRADICTS = "contradicts the text"
    ORDER = "relies on an order that the text does not promise"
    NEEDS = "needs what the text does not have"
    LEAVES = "leaves something behind, and another subtest fails"
    UNDECIDED = "undecided"
    DIFFERS = "agrees with the text, and a product differs"
    AGREES = "agrees with the text"


#: The verdicts that say that a test is wrong.
WRONG: Final = (Ruling.CONTRADICTS, Ruling.ORDER, Ruling.NEEDS, Ruling.LEAVES)


@dataclass(frozen=True)
class Judgment:
    """A verdict, its ``reason`` in a sentence, and ``names``: what is needed, or the products that differ.

    ``place`` is the file and line of the assertion that failed.
    """

    evidence: Evidence
    verdict: Ruling
    reason: str
    names: tuple[str, ...] = ()
    place: str | None = None

    @property
    def is_wrong(self) -> bool:
        """True if the test is wrong."""
        return self.verdict in WRONG


class Auditor:
    """Judges evidence about the tests of a tree by a revision of the text."""

    def __init__(self, tree: Tree, revision: Revision) -> None:
        self._tree = tree
        interfaces = revision.definitions.interfaces
        words = {word for name, one in interfaces.items() for word in (name, *one.attributes, *one.operations)}
        self._words = words.difference(_ROOTS, ("Document", "Navigator", "Window"))
        self._members = {
            name: {*one.attributes, *one.operations, "addEventListener", "removeEventListener", "dispatchEvent", "when"}
            for name, one in interfaces.items()
        }

    def judgment_on(self, evidence: Evidence) -> Judgment:
        """Return the verdict."""
        judgment = self._by_itself(evidence)
        if evidence.after is not None:
            judgment = replace(judgment, reason=f'{judgment.reason} After "{evidence.after}" it does not pass.')
        if evidence.breaks and not judgment.is_wrong:
            names = ", ".join(f'"{name}"' for name in evidence.breaks)
            reason = f"{names} does not pass after this subtest, but passes without it. {judgment.reason}"
            judgment = replace(judgment, verdict=Ruling.LEAVES, reason=reason, names=tuple(evidence.breaks))
        return judgment

    def _by_itself(self, evidence: Evidence) -> Judgment:
        if not evidence.simulated:
            return self._without_simulation(evidence)
        if evidence.passing and evidence.failing:
            return self._order(evidence)
        if evidence.failing:
            return self._failure(evidence)
        return _passes(evidence, "It passes under every schedule.")

    def _order(self, evidence: Evidence) -> Judgment:
        good, bad = next(iter(evidence.passing)), next(iter(evidence.failing))
        seen = evidence.failing[bad]
        shares = f"{len(evidence.passing)} of {len(evidence.simulated)} schedules"
        reason = f"It passes {_under(good)}, and fails {_under(bad)}: {_said(seen)} It passes under {shares}."
        return Judgment(evidence, Ruling.ORDER, reason, place=self._place(evidence, seen))

    def _failure(self, evidence: Evidence) -> Judgment:
        page = evidence.products.get(PAGE)
        seen = self._like(evidence, page) if page is not None else next(iter(evidence.failing.values()))
        place = self._place(evidence, seen)
        if page is not None and page.passes:
            lacks = f" (which lacks {', '.join(evidence.missing)})" if evidence.missing else ""
            return _passes(evidence, f"It passes on product page; the simulated browser{lacks} fails it: {_said(seen)}")
        needed = self._needed(evidence, seen, place)
        if page is not None and _is_same(seen, page, place, self._place(evidence, page)):
            if needed is not None:
                reason = f"Neither the simulated browser nor product page has {needed}: {_said(seen)}"
                return Judgment(evidence, Ruling.NEEDS, reason, (needed,), place)
            reason = f"It fails in the same way under every schedule and on product page: {_said(seen)}"
            return self._contradiction(evidence, reason, place)
        if page is not None:
            if (needed := self._needed(evidence, page, self._place(evidence, page))) is not None:
                reason = f"Product page lacks {needed}: {_said(page)}"
                return Judgment(evidence, Ruling.NEEDS, reason, (needed,), self._place(evidence, page))
            if evidence.missing or any(one.passes for one in evidence.products.values()):
                return self._lacking(evidence, seen, f" Product page: {_said(page)}", place)
            said = f"In the simulated browser: {_said(seen)} On product page: {_said(page)}"
            if place is not None and self._place(evidence, page) not in (None, place):
                reason = (
                    "The simulated browser and product page run the same text, but the subtest fails at different places,"
                    f" so one of the failures is about something else. {said}"
                )
                return Judgment(evidence, Ruling.UNDECIDED, reason, place=place)
            return self._contradiction(evidence, f"It never passes. {said}", place)
        if needed is not None and not self._is_of_platform(needed):
            reason = f"{needed} is in no interface of the text or of the platform: {_said(seen)}"
            return Judgment(evidence, Ruling.NEEDS, reason, (needed,), place)
        if needed is not None or evidence.missing:
            return self._lacking(evidence, seen, " There is no result of product page.", place, needed)
        reason = f"It fails under every schedule, and there is no result of product page: {_said(seen)}"
        return self._contradiction(evidence, reason, place)

    def _like(self, evidence: Evidence, page: Seen) -> Seen:
        """Return the failure in the simulated browser that is like the one on product page, or the first one."""
        every = list(evidence.failing.values())
        of_page = self._place(evidence, page)
        return next((one for one in every if _is_same(one, page, self._place(evidence, one), of_page)), every[0])

    def _contradiction(self, evidence: Evidence, reason: str, place: str | None) -> Judgment:
        """Return the verdict on a failure everywhere: about the text only if the subtest has to do with it."""
        if evidence.steps is not None and not evidence.steps and place is not None:
            words = re.findall(r"[\w$]+", self._statement(place))
            if self._words.isdisjoint(words):
                reason = (
                    f"The assertion is about something else, because the subtest reaches no step of the text. {reason}"
                )
                return Judgment(evidence, Ruling.UNDECIDED, reason, place=place)
        return Judgment(evidence, Ruling.CONTRADICTS, reason, place=place)

    def _statement(self, place: str) -> str:
        """Return the lines of the assertion at a place: up to the one that closes its parentheses."""
        path, _, number = place.rpartition(":")
        file = self._tree.find(path)
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file is not None else []
        text = ""
        for line in lines[int(number) - 1 :]:
            text += f"{line}\n"
            if text.count("(") <= text.count(")"):
                break
        return text

    def _lacking(
        self, evidence: Evidence, seen: Seen, more: str, place: str | None, needed: str | None = None
    ) -> Judgment:
        names = tuple(dict.fromkeys([*evidence.missing, *([needed] if needed is not None else [])]))
        lacks = f"The simulated browser lacks {', '.join(names)}: " if names else "In the simulated browser: "
        return Judgment(evidence, Ruling.UNDECIDED, f"{lacks}{_said(seen)}{more}", names, place)

    def _without_simulation(self, evidence: Evidence) -> Judgment:
        page = evidence.products.get(PAGE)
        if page is not None and page.passes:
            return _passes(evidence, "It passes on product page, and was never reached in the simulated browser.")
        said = f" Product page: {_said(page)}" if page is not None else ""
        return Judgment(evidence, Ruling.UNDECIDED, f"It was never reached in the simulated browser.{said}")

    def _needed(self, evidence: Evidence, seen: Seen, place: str | None) -> str | None:
        """Return the name of what a test reached for and that the text has not, as its message says."""
        message = seen.message or ""
        if seen.status == SubtestStatus.PRECONDITION_FAILED:
            return (
                message.removeprefix("assert_implements: ").removeprefix("assert_implements_optional: ") or "a feature"
            )
        for pattern in _NOT_THERE:
            found = pattern.search(message)
            if found is not None:
                return found["name"] if not self._has(found["name"]) else None
        found = _READ.search(message)
        if found is None:
            return None
        chain = rf"\b((?:{'|'.join(_ROOTS)})(?:\.[\w$]+)+)\??\.{re.escape(found['name'])}\b"
        chains = re.findall(chain, self._source(evidence, place))
        return next((one for one in chains if not self._has(one)), None)

    def _has(self, name: str) -> bool:
        """Return whether the text has a member by this name, of the interface that the expression names, if it does."""
        holder, _, member = name.rpartition(".")
        if holder.endswith("modelContext"):
            return member in self._members["ModelContext"]
        if member == "modelContext":
            return not holder or holder.rpartition(".")[2] in ("document", "contentDocument", "ownerDocument")
        return False

    def _is_of_platform(self, name: str) -> bool:
        holder, _, member = name.rpartition(".")
        if holder.endswith("modelContext") or member == "modelContext":
            return False
        return member in _words_of_platform()

    def _source(self, evidence: Evidence, place: str | None) -> str:
        """Return the line that failed, or the whole test: the rejection of a promise_test() has no place."""
        path, _, number = (place or f"{evidence.test.partition('?')[0]}:").rpartition(":")
        file = self._tree.find(path)
        text = file.read_text(encoding="utf-8", errors="replace") if file is not None else ""
        return "".join(text.splitlines()[int(number) - 1 : int(number)]) if number else text

    def _place(self, evidence: Evidence, seen: Seen) -> str | None:
        """Return the path and line of the failure: in the test itself, or else in what it uses."""
        found = [(one["path"], one["line"]) for one in _PLACE.finditer(seen.stack or "")]
        found = [one for one in found if not one[0].startswith(_HARNESS)]
        own = [one for one in found if one[0] == evidence.test.partition("?")[0]]
        path, line = next(iter([*own, *found]), (None, None))
        return f"{path}:{line}" if path is not None else None


def _passes(evidence: Evidence, reason: str) -> Judgment:
    differing = tuple(name for name, seen in evidence.products.items() if not seen.passes)
    if not differing:
        return Judgment(evidence, Ruling.AGREES, reason)
    said = " ".join(f"{name}: {_said(evidence.products[name])}" for name in differing)
    return Judgment(evidence, Ruling.DIFFERS, f"{reason} {said}", differing)


def _under(schedule: object) -> str:
    text = str(schedule)
    return f"with {text}" if text.startswith("seed") else text


def _said(seen: Seen) -> str:
    message = (seen.message or "").strip()
    if seen.status in (SubtestStatus.TIMEOUT, "TIMEOUT") and (not message or message == "Test timed out"):
        return _NEVER
    text = f"{seen.status}: {message}" if message else f"{seen.status}."
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _is_same(one: Seen, other: Seen, place: str | None, other_place: str | None) -> bool:
    if one.status != other.status:
        return False
    if _plain(one.message) == _plain(other.message):
        return True
    return place is not None and place == other_place


def _plain(message: str | None) -> str:
    return _PORTS.sub("", message or "")


@cache
def _words_of_platform() -> frozenset[str]:
    """Return the words of the platform's published IDL, without that of the text."""
    try:
        [folder] = npm_packages(project_root(), "@webref/idl")
    except UnavailableError:
        return frozenset()
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.idl")) if path.name != "webmcp.idl"]
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))
