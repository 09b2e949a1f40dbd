"""Liveness under fair schedules: every call is answered, and every registration settles.

All programs over a small alphabet of actions are explored, each completely. Its actions race: no script waits for a promise,
and every callback returns at once. So a promise that is pending when nothing can happen any more will stay pending forever,
and nobody outside could answer it. Promises of documents that have gone do not count, since nobody can wait for them.

Missing are the back/forward cache (Issue 10), whose spaces are too large, and forms.

There is one tool name, and one signal for each registration and call: programs that differ only in names are one program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.checkout import project_root
from modelcontext.judging.issues.dossier import read_dossiers
from modelcontext.judging.issues.readings import revision_with
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import from_data
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.judging.issues.dossier import Dossier
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

#: The limit of runs for one program.
BOUND: Final = 5_000

#: The most actions of a program.
MOST_ACTIONS: Final = 4

_EVERYWHERE: Final = ["{A}", "{B}"]
_FRAME: Final = {"parent": "top", "allow": "tools"}

#: The documents of the programs, and the actions by which a document may go.
SHAPES: Final[Mapping[str, tuple[Mapping[str, Any], Sequence[str]]]] = {
    "one document": ({"top": {}}, ()),
    "a page and a frame": ({"top": {}, "child": {**_FRAME, "origin": "A"}}, ("remove",)),
    "a page and a frame of another origin": ({"top": {}, "child": {**_FRAME, "origin": "B"}}, ("remove",)),
    "a page and a frame that navigates": (
        {"top": {}, "child": {**_FRAME, "origin": "A"}, "next": {"parent": "top", "origin": "A", "start": "later"}},
        ("navigate",),
    ),
}

_STEPS: Final[Mapping[str, Mapping[str, Any]]] = {
    "register": {
        "do": "registerTool",
        "tool": {"name": "t", "description": "d"},
        "options": {"exposedTo": _EVERYWHERE, "signal": {"$signal": "registration"}},
        "wait": False,
    },
    "unregister": {"do": "abort", "controller": "registration"},
    "execute top": {"do": "executeTool", "tool": {"$tool": "t", "in": "top"}, "wait": False},
    "execute child": {"do": "executeTool", "tool": {"$tool": "t", "in": "child"}, "wait": False},
    "cancel": {"do": "abort", "controller": "call"},
    "list": {"do": "getTools", "options": {"fromOrigins": _EVERYWHERE}, "wait": False},
    "remove": {"do": "removeFrame", "document": "child"},
    "navigate": {"do": "navigate", "document": "child", "to": "next"},
}

#: The actions of each document: what its script does, in order.
Scripts = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LivenessCase:
    """A program over the alphabet."""

    shape: str
    scripts: Scripts

    @property
    def words(self) -> str:
        """The program in words."""
        scripts = "; ".join(
            f"{document}: {', '.join(actions)}" for document, actions in self.scripts.items() if actions
        )
        return f"{self.shape}: {scripts}"

    @property
    def program(self) -> Program:
        """The program."""
        documents, _ = SHAPES[self.shape]
        script = {
            document: [_step(action, actions) for action in actions] for document, actions in self.scripts.items()
        }
        return from_data({"title": self.words, "documents": documents, "script": script})

    @property
    def gone(self) -> set[str]:
        """The documents that have gone when the program ends."""
        return {"child"} if {"remove", "navigate"} & set(self.scripts["top"]) else set()

    @property
    def calls_what_goes(self) -> bool:
        """True if the target of a call may go before it is called."""
        return any(f"execute {document}" in script for document in self.gone for script in self.scripts.values())


def _step(action: str, script: Sequence[str]) -> Mapping[str, Any]:
    step = _STEPS[action]
    if action.startswith("execute") and "cancel" in script:
        return {**step, "options": {"signal": {"$signal": "call"}}}
    return step


def cases(most_actions: int) -> Iterator[LivenessCase]:
    """Yield every program with that many actions at most."""
    for shape, (documents, departures) in SHAPES.items():
        actors = [document for document in documents if document in ("top", "child")]
        for count in range(1, most_actions + 1):
            for lengths in _lengths(count, len(actors)):
                for scripts in _all_scripts(dict(zip(actors, lengths, strict=True)), actors, departures):
                    if _makes_sense(scripts, departures):
                        yield LivenessCase(shape, scripts)


def _lengths(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    for bars in combinations(range(total + parts - 1), parts - 1):
        ends = (-1, *bars, total + parts - 1)
        yield tuple(after - before - 1 for before, after in pairwise(ends))


def _all_scripts(lengths: Mapping[str, int], actors: Sequence[str], departures: Sequence[str]) -> Iterator[Scripts]:
    made: list[dict[str, tuple[str, ...]]] = [{}]
    for document, length in lengths.items():
        executions = tuple(f"execute {target}" for target in actors)
        alphabet = ("register", "unregister", "cancel", "list", *executions, *(departures if document == "top" else ()))
        made = [{**scripts, document: script} for scripts in made for script in _sequences(alphabet, length)]
    yield from made


def _sequences(alphabet: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    """Yield the scripts in which each step can have an effect, and the steps for one signal are there once."""
    if length == 0:
        yield ()
        return
    for script in _sequences(alphabet, length - 1):
        for action in alphabet:
            is_again = action in script and not action.startswith("execute")
            has_signal = {
                "unregister": "register" in script,
                "cancel": any(step.startswith("execute") for step in script),
            }
            if not is_again and has_signal.get(action, True):
                yield (*script, action)


def _makes_sense(scripts: Scripts, departures: Sequence[str]) -> bool:
    """Return whether each tool that is called is registered, and the departure for which the shape is made happens."""
    called = {
        action.partition(" ")[2] for script in scripts.values() for action in script if action.startswith("execute")
    }
    registering = {document for document, script in scripts.items() if "register" in script}
    is_departing = any(departure in script for departure in departures for script in scripts.values())
    return called <= registering and (is_departing or departures in ((), ("remove",)))


#: The Issues with the smallest changes of the text that answer more calls. Each does something only where the target of a call
#: has gone, so where none goes the outcomes stay the same.
MENDS: Final = (17,)


def mended(*issues: int) -> Revision:
    """Return the current revision with the changes for some Issues."""
    return revision_with(*(_dossiers()[issue].proposed for issue in issues))


@cache
def _dossiers() -> Mapping[int, Dossier]:
    return read_dossiers(project_root(), CURRENT)


@dataclass(frozen=True, slots=True)
class LivenessVerdict:
    """The promises of one program that never settle.

    ``pending`` has the promises that can stay pending forever, and ``causes`` the fewest Issues whose mending leaves none; it
    is None if no mending does. ``after_mending`` has those that stay pending in the text with all changes. ``lost`` says which
    step without a meaning the program reaches.
    """

    case: LivenessCase
    complete: bool
    pending: tuple[str, ...]
    causes: tuple[int, ...] | None
    after_mending: tuple[str, ...]
    lost: str | None = None


def liveness_verdict(case: LivenessCase, bound: int = BOUND) -> LivenessVerdict:
    """Explore a program by the text, and by the text with all changes; another text has no changes that are known."""
    program = case.program
    try:
        pending, is_complete = _pending(case, program, REVISIONS[CURRENT.name], bound)
    except NoMeaningError as error:
        return LivenessVerdict(case, False, (), None, (), str(error))
    if not case.calls_what_goes or REVISIONS.stand_ins:
        return LivenessVerdict(case, is_complete, pending, None if pending else (), pending)
    after, is_complete_after = _pending(case, program, mended(*MENDS), bound)
    causes: tuple[int, ...] | None = () if not pending else None
    for count in range(1, len(MENDS) + 1):
        for issues in combinations(MENDS, count):
            if causes is None and not (
                after if len(issues) == len(MENDS) else _pending(case, program, mended(*issues), bound)[0]
            ):
                causes = issues
    return LivenessVerdict(case, is_complete and is_complete_after, pending, causes, after)


def _pending(case: LivenessCase, program: Program, revision: Revision, bound: int) -> tuple[tuple[str, ...], bool]:
    found = allowed_outcomes(program, bound=bound, revision=revision)
    promises = {promise for outcome in found.outcomes.values() for promise in outcome.pending}
    return tuple(sorted(one for one in promises if one.partition(":")[0] not in case.gone)), found.complete


def liveness_verdicts(
    all_cases: Iterable[LivenessCase], *, bound: int = BOUND, pool: Executor | None = None
) -> Iterator[LivenessVerdict]:
    """Yield the verdict on each program, in order; computed by the pool if there is one."""
    verdict_on = partial(liveness_verdict, bound=bound)
    yield from map(verdict_on, all_cases) if pool is None else pool.map(verdict_on, all_cases, chunksize=16)
