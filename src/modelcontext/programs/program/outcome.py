"""The outcome of a run: ordered logs, one per event loop, and the promises that never settled.

Outcomes are compared by their canonical text. In it the order of members *inside* values counts, since a page can observe
it; the order of an entry's own keys does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any, Final

from modelcontext.ground.problems import UserError
from modelcontext.programs.program.notation import ENTRY_KEYS

Entry = Mapping[str, Any]

_KEYS: Final = frozenset(ENTRY_KEYS)


class OutcomeError(UserError, ValueError):
    """A text or data that is not an outcome; the message says why."""


#: Types whose values are plain; most values are of these.
_PLAIN: Final = frozenset({str, bool, type(None)})
_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    """Return the value with one form for each number: JavaScript has no integers beside its floats."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return float(value)
    return value


class _Normalized(dict[str, Any]):
    """An entry in its canonical form, which nobody changes; it keeps its text once that is known."""

    __slots__ = ("text",)
    text: str


def normalized(entry: Entry) -> Entry:
    """Return an entry in its canonical form.

    Raises:
        OutcomeError: if it has a key that no entry has.
    """
    if type(entry) is _Normalized:
        return entry
    if not entry.keys() <= _KEYS:
        unknown = next(key for key in entry if key not in _KEYS)
        raise OutcomeError(f"an entry of a log must not have the key {unknown!r}")
    return _Normalized([(key, _plain(entry[key])) for key in ENTRY_KEYS if key in entry])


def _text(value: Any) -> str:
    return _ENCODER.encode(value)


def read_entry(text: str) -> Entry:
    """Return the entry of a canonical text, for outcomes that share it."""
    return _Normalized(json.loads(text))


def canonical_entry(entry: Entry) -> str:
    """Return the canonical JSON text of an entry. Two entries are the same if and only if their texts are."""
    form = normalized(entry)
    assert isinstance(form, _Normalized)
    try:
        return form.text
    except AttributeError:
        form.text = _text(form)
        return form.text


def canonical_text(logs: Mapping[str, Sequence[str]], pending: Sequence[str]) -> str:
    """Return the canonical text of the outcome whose entries have these canonical texts; ``pending`` is sorted."""
    named = (f"{_text(name)}:[{','.join(logs[name])}]" for name in sorted(logs) if logs[name])
    return f'{{"logs":{{{",".join(named)}}},"pending":{_text(list(pending))}}}'


@dataclass(frozen=True)
class Outcome:
    """The logs by name, without empty ones, and the sorted ``document: label`` of the promises that never settled."""

    logs: Mapping[str, Sequence[Entry]] = field(default_factory=dict)
    pending: Sequence[str] = ()

    def __post_init__(self) -> None:
        logs = {name: tuple(map(normalized, self.logs[name])) for name in sorted(self.logs) if self.logs[name]}
        object.__setattr__(self, "logs", logs)
        object.__setattr__(self, "pending", tuple(sorted(self.pending)))

    @cached_property
    def canonical(self) -> str:
        """The canonical JSON text; :func:`loads` reads it."""
        return _text({"logs": self.logs, "pending": list(self.pending)})

    def __eq__(self, other: object) -> bool:
        return self.canonical == other.canonical if isinstance(other, Outcome) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.canonical)

    def to_data(self) -> dict[str, Any]:
        """Return the outcome as plain data for a JSON document."""
        return {"logs": {name: list(log) for name, log in self.logs.items()}, "pending": list(self.pending)}


def from_data(data: Any) -> Outcome:
    """Return the outcome of plain data.

    Raises:
        OutcomeError: if the data is not an outcome.
    """
    if not isinstance(data, dict) or set(data) != {"logs", "pending"}:
        raise OutcomeError("an outcome must have exactly the keys logs and pending")
    logs, pending = data["logs"], data["pending"]
    if not isinstance(logs, dict) or not all(
        isinstance(log, list) and all(isinstance(entry, dict) for entry in log) for log in logs.values()
    ):
        raise OutcomeError("the logs of an outcome must be a table of lists of entries")
    if not isinstance(pending, list) or not all(isinstance(item, str) for item in pending):
        raise OutcomeError("pending is a list of strings")
    return Outcome(logs, pending)


def loads(text: str) -> Outcome:
    """Read an outcome from JSON text.

    Raises:
        OutcomeError: if the text is not an outcome.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise OutcomeError(f"this is not JSON: {error}") from None
    except RecursionError:
        raise OutcomeError("this is nested too deeply") from None
    return from_data(data)


# Descriptions for people


def describe_value(value: Any) -> str:
    """Describe a value in the notation of outcomes, in one line that reads like JavaScript."""
    if isinstance(value, Mapping):
        if len(value) == 1 or (len(value) == 2 and "$realm" in value):
            realm = f" of {value['$realm']}" if "$realm" in value else ""
            key, subject = next(iter(value.items()))
            match key:
                case "$js":
                    return str(subject)
                case "$error":
                    return f"{subject}{realm}"
                case "$window":
                    return f"Window({subject})"
                case "$function":
                    return "function"
                case "$signal":
                    return "AbortSignal(aborted)" if subject else "AbortSignal"
                case "$bigint":
                    return f"{subject}n"
                case "$symbol":
                    return f"Symbol({subject})"
                case "$platform":
                    return str(subject)
                case "$object":
                    return "{" + ", ".join(f"{k}: {describe_value(v)}" for k, v in subject) + "}" + realm
                case "$array":
                    return "[" + ", ".join(map(describe_value, subject)) + "]" + realm
        return "{" + ", ".join(f"{key}: {describe_value(member)}" for key, member in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(describe_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def describe_entry(entry: Entry | None) -> str:
    """Describe an entry in one line, without the document that recorded it.

    ``entry`` can also be what a departure has in place of one: the labels of pending promises, or None at the end of a log.
    """
    match entry:
        case None:
            return "nothing more"
        case {"pending": labels}:
            return "never settled: " + ", ".join(labels) if labels else "everything settled"
        case {"promise": label, "fulfilled": value}:
            return f"{label}: fulfilled with {describe_value(value)}"
        case {"promise": label, "rejected": value}:
            return f"{label}: rejected with {describe_value(value)}"
        case {"step": label, "threw": value}:
            return f"{label}: threw {describe_value(value)}"
        case {"step": label, "value": value}:
            return f"{label}: {describe_value(value)}"
        case {"event": name, "at": at, "interface": interface}:
            facts = [str(interface)]
            if "target" in entry:
                facts.append(f"target {describe_value(entry['target'])}")
            if "agentInvoked" in entry:
                facts.append("agent invoked" if entry["agentInvoked"] else "not agent invoked")
            if "submitter" in entry:
                facts.append(f"submitter {describe_value(entry['submitter'])}")
            return f"event {name} at {describe_value(at)} ({', '.join(facts)})"
        case {"event": name, "via": via, "interface": interface}:
            tool = f" for {describe_value(entry['toolName'])}" if "toolName" in entry else ""
            flags = " ".join(entry.get("flags", ()))
            return f"event {name}{tool} at {via} ({interface}{', ' + flags if flags else ''})"
        case {"callback": name, "input": value, "aborted": aborted}:
            return (
                f"callback {describe_value(name)} called with {describe_value(value)}{', aborted' if aborted else ''}"
            )
        case {"abort": name, "reason": value}:
            return f"signal of {describe_value(name)} aborted with {describe_value(value)}"
        case {"function": name, "arguments": values}:
            return f"function {name} called with {describe_value(values)}"
        case {"get": name}:
            return f"getter {name} read"
        case {"timer": label}:
            return f"{label}: timer"
        case {"microtask": label}:
            return f"{label}: microtask"
        case {"log": value}:
            return f"log {describe_value(value)}"
        case {"pageTransition": name}:
            return f"page transition {name}"
    return _text(entry)


@dataclass(frozen=True)
class Line:
    """A line about an outcome. That of an entry has its log and index. Reports set ``is_marked``."""

    text: str
    log: str = ""
    index: int = -1
    is_marked: bool = False


def lines(outcome: Outcome) -> list[Line]:
    """Describe an outcome in lines: the entries of each log in order, then the pending promises."""
    made = []
    for name, log in outcome.logs.items():
        if len(outcome.logs) > 1:
            made.append(Line(f"event loop of {name}"))
        several = any(entry.get("in") != name for entry in log)
        for index, entry in enumerate(log):
            where = f"[{entry.get('in')}] " if several else ""
            made.append(Line(f"{index + 1:>3}. {where}{describe_entry(entry)}", name, index))
    made += [Line(f"   - {label}: never settled", "pending", 0) for label in outcome.pending]
    return made or [Line("   (nothing was recorded)")]


def describe(outcome: Outcome) -> list[str]:
    """Return the texts of the :func:`lines` of an outcome."""
    return [line.text for line in lines(outcome)]


def divergence(observed: Outcome, allowed: Iterable[Outcome]) -> tuple[str, int] | None:
    """Return the place where the observed outcome leaves the nearest allowed one; None if it is allowed, or none is.

    The nearest outcome is the one with the longest common beginnings of logs. The place is a log (or ``"pending"``), and the
    index of an entry in it.
    """

    def nearness(candidate: Outcome) -> tuple[int, int]:
        common = [_common_beginning(log, candidate.logs.get(name, ())) for name, log in observed.logs.items()]
        return sum(common), -len(set(observed.pending) ^ set(candidate.pending))

    candidates = list(allowed)
    if not candidates or observed in candidates:
        return None
    nearest = max(candidates, key=nearness)
    for name in sorted({*observed.logs, *nearest.logs}):
        seen, right = observed.logs.get(name, ()), nearest.logs.get(name, ())
        index = _common_beginning(seen, right)
        if index < max(len(seen), len(right)):
            return name, index
    return "pending", 0


def _common_beginning(left: Sequence[Entry], right: Sequence[Entry]) -> int:
    pairs = zip(map(canonical_entry, left), map(canonical_entry, right), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
