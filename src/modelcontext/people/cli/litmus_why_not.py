"""``modelcontext litmus explain NAME --why-not SCHEDULE``: the reason why a search left a schedule out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule.reasons import BoundReached, Commuting, Impossible, KnownState
from modelcontext.ground.words import counted
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import describe, describe_entry
from modelcontext.programs.program.outcome import from_data as outcome_from_data
from modelcontext.programs.program.reasons import departure_under, why_not_explored
from modelcontext.programs.tracing import trace
from modelcontext.programs.tracing.actions import StructureNames, actor_of, words_of
from modelcontext.programs.tracing.items import Choice

if TYPE_CHECKING:
    from modelcontext.ground.schedule.footprint import Key
    from modelcontext.ground.schedule.reasons import Action, Explanation, Reason
    from modelcontext.judging.litmus.language import Litmus
    from modelcontext.programs.program.interpreter import Run
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext.programs.tracing.items import Trace

#: The actions that are shown of those that commute with one.
MOST_PASSED = 4

_READ = "both actions only read it"
_ORDERED = "tasks of one source run first in, first out, so another rule gives the order"
_UNREAD = "both actions write it, and nothing later reads it"


def why_not_all(litmus: Litmus, schedule: Sequence[int], bound: int) -> dict[str, Any]:
    """Return why the exploration of all outcomes has not performed a schedule."""
    answer = why_not_explored(litmus.program, schedule, bound=bound)
    reasons = [_reason(litmus.program, schedule, one, answer) for one in answer.reasons]
    data: dict[str, Any] = {
        "test": litmus.name,
        "schedule": list(schedule),
        "performed": list(answer.schedule),
        "bound": bound,
        "reasons": reasons or [{"reason": "explored"}],
        "standing": None,
    }
    if answer.stands_for_it is not None:
        data["standing"] = list(answer.standing)
        data["outcome"] = answer.stands_for_it.result().to_data()
        data["replay"] = _replay(litmus, answer.standing)
    return data


def why_not_along(litmus: Litmus, schedule: Sequence[int], outcome: Outcome, bound: int) -> dict[str, Any]:
    """Return why the search for one outcome has not ended with a schedule."""
    data: dict[str, Any] = {"test": litmus.name, "schedule": list(schedule), "bound": bound, "standing": None}
    departure = departure_under(litmus.program, schedule, outcome)
    if departure is not None:
        [(entry, _), *_] = departure.allowed
        where = {"log": departure.log, "index": departure.index, "entry": entry, "observed": departure.observed}
        return data | {"reasons": [{"reason": "departs", **where}]}
    membership = judge(litmus.program, outcome, bound=bound)
    if membership.schedule is None:
        return data | {"reasons": [{"reason": "bound", "choice": None, "waits": None}]}
    found = list(membership.schedule)
    reason = "explored" if found == list(schedule) else "found before"
    standing = {"standing": found, "outcome": outcome.to_data(), "replay": _replay(litmus, found)}
    return data | {"reasons": [{"reason": reason, "runs": membership.runs}], **standing}


def _replay(litmus: Litmus, schedule: Sequence[int]) -> str:
    choices = f" --schedule {','.join(map(str, schedule))}" if schedule else ""
    return f"modelcontext trace {litmus.path}{choices}"


def _reason(program: Program, schedule: Sequence[int], reason: Reason, answer: Explanation[Run]) -> dict[str, Any]:
    match reason:
        case Impossible(position=position, count=0):
            return {"reason": "impossible", "choice": position, "options": [], "queued": {}}
        case Impossible(position=position):
            return _impossible(program, schedule, position)
        case BoundReached(actions=actions, schedule=performed, index=index):
            traced = trace(program, performed)
            return {"reason": "bound", "choice": actions[index].begun, "waits": actor_of(traced, index)}
        case KnownState(index=index, schedule=so_far, first=first):
            traced = trace(program, so_far)
            return {
                "reason": "known state",
                "choice": len(so_far),
                "after": {"actor": actor_of(traced, index), "does": words_of(traced, index)},
                "so_far": list(so_far),
                "first": list(first),
            }
        case Commuting():
            assert answer.performed is not None
            return _commuting(trace(program, reason.schedule), reason, StructureNames(answer.performed))


def _impossible(program: Program, schedule: Sequence[int], position: int) -> dict[str, Any]:
    """Return the options of a choice, and what is queued there."""
    traced = trace(program, schedule[:position])
    at = next(
        index
        for index, frame in enumerate(traced.frames)
        if isinstance(frame.item, Choice) and frame.item.position == position
    )
    choice = traced.frames[at].item
    assert isinstance(choice, Choice)
    loops = traced.states[traced.frames[at - 1].state]["event loops"]
    return {
        "reason": "impossible",
        "choice": position,
        "label": choice.choice,
        "options": list(choice.options),
        "queued": {name: loop["tasks"] for name, loop in loops.items() if loop["tasks"]},
    }


def _commuting(traced: Trace, reason: Commuting, places: StructureNames) -> dict[str, Any]:
    first = reason.actions[reason.first]

    def shown(index: int) -> dict[str, Any]:
        done = reason.actions[index].footprint
        return {
            "actor": actor_of(traced, index),
            "does": words_of(traced, index),
            "reads": sorted(map(places.words, done.reads - done.writes)),
            "writes": sorted(map(places.words, done.writes)),
        }

    return {
        "reason": "actions commute",
        "choice": reason.actions[reason.index].begun,
        "waits": shown(reason.index),
        "first": shown(reason.first),
        "awaited": len(reason.awaited),
        "passes": [
            {**shown(index), "in_common": dict(_in_common(first, reason.actions[index], places))}
            for index in range(reason.index, reason.first)
        ],
    }


def _in_common(one: Action, other: Action, places: StructureNames) -> Iterator[tuple[str, str]]:
    """Yield the keys that two actions touch, each with the reason why they commute all the same."""
    both = (one.footprint.reads | one.footprint.writes) & (other.footprint.reads | other.footprint.writes)
    for key in sorted(both, key=places.words):
        yield places.words(key), _why_no_clash(key, one, other)


def _why_no_clash(key: Key, one: Action, other: Action) -> str:
    if key not in one.footprint.writes | other.footprint.writes:
        return _READ
    return _ORDERED if key[0].ordered else _UNREAD


def why_not_lines(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the first reason at length, the others in a line each, and the schedule that stands for the one asked about."""
    first, *others = data["reasons"]
    words = ",".join(map(str, data["schedule"])) or "(no free choice)"
    yield f"{data['test']}, schedule {words}: {_SUMMARY[first['reason']]}"
    yield from (f"  {line}" for line in _LINES[first["reason"]](first, data))
    for reason in others:
        yield f"then, in the new order, at choice {reason['choice']}: {_SUMMARY[reason['reason']]}"
    if data["standing"] is not None:
        if data["standing"] == data.get("performed"):
            yield "its outcome:"
        elif first["reason"] != "explored":
            yield f"stands for it: schedule {','.join(map(str, data['standing']))}, with the same outcome:"
        yield from (f"  {line}" for line in describe(outcome_from_data(data["outcome"])))
        yield f"replay: {data['replay']}"


def _impossible_lines(reason: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    position = reason["choice"]
    if not reason["options"]:
        answers = counted(len(data["schedule"]), "answer")
        yield f"The run ends after {counted(position, 'choice')}, and the schedule has {answers}."
        return
    yield f"At choice {position} ({reason['label']}) the schedule names {data['schedule'][position]}. The options are:"
    yield from (f"  {index}: {option}" for index, option in enumerate(reason["options"]))
    if reason["queued"]:
        yield "These tasks are queued. Of each task source, only the first task with a fully active document can run:"
        yield from (f"  {loop}: {task}" for loop, tasks in reason["queued"].items() for task in tasks)


def _bound_lines(reason: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    yield f"The search was cut off after {_count(data['bound'], 'run')}."
    if reason["waits"] is not None:
        yield f"At choice {reason['choice']} the search did not reach: {reason['waits']}"
    yield "Give a larger --bound to continue the search."


def _known_lines(reason: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    yield f"After {counted(reason['choice'], 'answer')} the run is in a state that an earlier run had reached."
    yield from _shown("This action leads to the state:", reason["after"])
    yield f"The first schedule that led to it: {','.join(map(str, reason['first'])) or '(no free choice)'}"
    yield "The search has explored everything that can follow this state."


def _commuting_lines(reason: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    passes = reason["passes"]
    yield from _shown(f"At choice {reason['choice']} the schedule goes on with:", reason["waits"])
    yield from _shown("The exploration goes on with:", reason["first"])
    together = f"this action and {counted(reason['awaited'] - 1, 'other')}" if reason["awaited"] > 1 else "this action"
    yield f"Other processes touch nothing that clashes with {together}. So the search tries no other order here."
    yield f"In the schedule the action comes {_count(len(passes), 'action')} later. The action commutes with:"
    for passed in passes[:MOST_PASSED]:
        yield from _footprint(passed)
        yield from (f"    in common: {key} ({why})" for key, why in passed["in_common"].items())
        if not passed["in_common"]:
            yield "    in common: nothing"
    if len(passes) > MOST_PASSED:
        yield f"  and {len(passes) - MOST_PASSED} more (--json has them all)"
    yield "The action reads and writes:"
    yield from _footprint(reason["first"])


def _departs_lines(reason: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    if reason["log"] == "pending":
        yield f"The run ends with these promises pending: {', '.join(reason['entry']['pending']) or 'none'}."
        yield f"In the outcome they are: {', '.join(reason['observed']['pending']) or 'none'}."
        return
    yield f"Entry {reason['index'] + 1} in the log of {reason['log']} is: {_entry(reason['entry'])}"
    yield f"In the outcome it is: {_entry(reason['observed'])}"
    yield "The search gives up the run at this entry."


def _found_lines(reason: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    runs = _count(reason["runs"], "run")
    yield f"The schedule shows the outcome. But after {runs} the search found another schedule that shows it."


def _explored_lines(reason: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    yield from ()


def _shown(title: str, action: Mapping[str, Any]) -> Iterator[str]:
    yield title
    yield f"  @ {action['actor']}"
    yield from (f"    {deed}" for deed in action["does"] if not action["actor"].endswith(deed))


def _footprint(action: Mapping[str, Any]) -> Iterator[str]:
    yield f"  @ {action['actor']}"
    for verb in ("reads", "writes"):
        if action[verb]:
            yield f"    {verb}: {'; '.join(action[verb])}"


def _entry(entry: Mapping[str, Any] | None) -> str:
    return describe_entry(entry) if entry is not None else "nothing, because the log is shorter"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("s" if number != 1 else "")


_SUMMARY: Final = {
    "impossible": "no run has this schedule",
    "bound": "the search was cut off before it reached this schedule",
    "known state": "the schedule leads to a state that the search already knew",
    "actions commute": "an explored schedule has the same actions in another order, and these actions commute",
    "departs": "the search for the outcome skips the schedule, because the run departs from the outcome",
    "found before": "the search for the outcome found another schedule with this outcome first",
    "explored": "a run had this schedule",
}
_LINES: Final[Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[str]]]] = {
    "impossible": _impossible_lines,
    "bound": _bound_lines,
    "known state": _known_lines,
    "actions commute": _commuting_lines,
    "departs": _departs_lines,
    "found before": _found_lines,
    "explored": _explored_lines,
}
