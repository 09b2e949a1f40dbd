"""The outcomes of scenarios."""

from __future__ import annotations

import traceback
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from modelcontext.programs.face.describing import described

if TYPE_CHECKING:
    from modelcontext.programs.tracing.items import Trace
    from modelcontext_explore.stories import ScenarioStory


@dataclass(frozen=True, slots=True, eq=False)
class CallbackException:
    """An exception that ended a function of a page: a tool's function, a script, a listener, or the function of a timer.

    ``document`` is the URL of the page, ``name`` that of the function. A tool's exception rejects the call of the tool, and
    may be what its author wants. No code of the page hears of the others.
    """

    document: str
    name: str
    exception: Exception
    is_of_a_tool: bool

    @property
    def traceback(self) -> str:
        """The traceback, as Python prints it."""
        return "".join(traceback.format_exception(self.exception))

    def __str__(self) -> str:
        return f"{self.document}: {self.name} raised {described(self.exception)}"


class Narrator(Protocol):
    """Tells how an outcome comes about."""

    def explain(self, outcome: ScenarioOutcome, *, decides: bool) -> ScenarioStory:
        """Return the story of the run that leads to an outcome; ``decides`` asks for the moment that decided it."""

    def trace(self, outcome: ScenarioOutcome) -> Trace:
        """Return the steps of the run that leads to an outcome."""


@dataclass(frozen=True, eq=False, repr=False)
class ScenarioOutcome:
    """The outcome of one run of a scenario. Outcomes are equal if their texts are.

    Attributes:
        value: what the scenario returned.
        logs: what scripts logged, by origin; there is no order between the logs of two origins.
        pending: the calls and scripts that never ended, each as ``"document: name"``.
        abandoned: those that never ended, and whose document is gone.
        exception: the exception that the scenario itself raised, such as a failed assertion.
        exceptions: the exceptions that ended functions of pages.
        schedule: the answers to the free choices that lead to it: the smallest that were found.
    """

    value: Any = None
    logs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    pending: Sequence[str] = ()
    abandoned: Sequence[str] = ()
    exception: Exception | None = None
    exceptions: Sequence[CallbackException] = ()
    schedule: Sequence[int] = ()
    _narrator: Narrator | None = None

    def told_by(self, narrator: Narrator) -> ScenarioOutcome:
        """Return the outcome with what tells how it comes about."""
        return replace(self, _narrator=narrator)

    def explain(self, *, decides: bool = True) -> ScenarioStory:
        """Tell how it comes about: what happened, one moment after the other, and what decided it.

        Args:
            decides: whether to look for the moment after which no other outcome was possible, which takes some explorations.
        """
        assert self._narrator is not None
        return self._narrator.explain(self, decides=decides)

    def trace(self) -> Trace:
        """Return all steps of the specification on the way to it."""
        assert self._narrator is not None
        return self._narrator.trace(self)

    @property
    def key(self) -> Hashable:
        """The text by which outcomes are compared."""
        return "\n".join(self.lines())

    @property
    def failure(self) -> BaseException | None:
        """The exception that the scenario raised, or else that of a failed assertion in a script or tool."""
        failed = (one.exception for one in self.exceptions if isinstance(one.exception, AssertionError))
        return self.exception or next(failed, None)

    @property
    def log(self) -> list[str]:
        """All lines of all logs, those of one origin after those of another."""
        return [line for name in sorted(self.logs) for line in self.logs[name]]

    @property
    def replay(self) -> str:
        """The schedule as :func:`explore` takes it."""
        return ",".join(map(str, self.schedule)) or "0"

    def lines(self) -> list[str]:
        """Describe the outcome in lines."""
        made = [f"returned {described(self.value)}"] if self.exception is None else []
        if self.exception is not None:
            made.append(f"raised {described(self.exception)}")
        for name, log in self.logs.items():
            made += [f"{name} logged: {line}" for line in log]
        made += map(str, self.exceptions)
        made += [f"{label} never ended" for label in self.pending]
        made += [f"{label} never ended, and its document is gone" for label in self.abandoned]
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScenarioOutcome) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<ScenarioOutcome {'; '.join(self.lines())}>"
