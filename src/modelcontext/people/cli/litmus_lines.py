"""The lines that ``modelcontext litmus`` prints: functions of the dictionaries that ``--json`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from modelcontext.ground.words import counted
from modelcontext.programs.program.outcome import describe
from modelcontext.programs.program.outcome import from_data as outcome_from_data


def enumerated_lines(test: Mapping[str, Any]) -> Iterator[str]:
    """Yield all outcomes of a test, and what is wrong with what it says about them."""
    yield f"{test['test']}: {test['title']}"
    if test["race"]:
        yield f"  race: {test['race']}"
    yield f"  {test['effort']}"
    for number, (outcome, kinds) in enumerate(zip(test["outcomes"], test["kinds"], strict=True), 1):
        yield f"  outcome {number}" + (f": {'; '.join(kinds)}" if kinds else "")
        yield from _described(outcome, "    ")
    for problem in test["problems"]:
        yield f"  WRONG {problem}"


def explained_lines(test: Mapping[str, Any], bound: int) -> Iterator[str]:
    """Yield whether an outcome is allowed, and why."""
    match test["verdict"]:
        case "allowed":
            yield f"allowed: {test['effort']}"
            yield from _described(test["outcome"], "")
            yield from _told(test["story"])
            yield f"schedule: {','.join(map(str, test['schedule'])) or '(no free choice)'}"
            yield f"replay:   {test['replay']}"
            if test.get("decisive") is not None:
                yield f"decisive: choice {test['decisive']}, before *; after it every schedule leads to this outcome"
                yield f"instead:  {' or '.join(test['instead'])}"
        case "forbidden":
            yield f"forbidden: no schedule leads to it, and the search was complete: {test['effort']}"
            for words, others in test.get("unseen", {}).items():
                yield f"no allowed outcome has an entry that begins with {words!r}; entries begin with {', '.join(others)}"
            if test.get("in_different_logs"):
                yield "the two entries are in the logs of different event loops, and the text does not order them"
        case _:
            yield f"undecided: the search reached --bound {bound}: {test['effort']}"


def _told(story: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a story: who does what, and by which step of the text."""
    yield "how it comes about:"
    width = max((len(moment["who"]) for moment in story), default=0)
    for moment in story:
        mark = "*" if moment["is_decisive"] else " "
        step = f" ({moment['step']})" if moment["step"] else ""
        yield f" {mark} {moment['who']:{width}}  {moment['words']}{step}"


def sampled_lines(test: Mapping[str, Any]) -> Iterator[str]:
    """Yield how often each outcome was seen in the runs of a test."""
    allowed = test["allowed"]
    words = "allowed" if test["allowed_is_complete"] else "known"
    yield f"{test['test']} on {test['product']} {test['version']}: {counted(test['runs'], 'run')}"
    yield f"  {sum(1 for one in allowed if one['times'])} of {counted(len(allowed), f'{words} outcome')} were seen"
    if "steered" in test:
        yield from _steered_lines(test)
    else:
        for number, one in enumerate(allowed, 1):
            kinds = "; ".join(one["kinds"])
            yield f"  {one['times']:>6} times outcome {number}" + (f": {kinds}" if kinds else "")
    for title, key in (("KNOWN", "known"), ("OUTSIDE", "outside"), ("NOT JUDGED", "not_judged")):
        for one in test[key]:
            why = f", though not allowed by {one['step']}: {one['note']}" if "step" in one else ""
            yield f"  {one['times']:>6} times {title}{why}"
            lines = describe(outcome_from_data(one["outcome"])) if "outcome" in one else [one["problem"]]
            yield from (f"           {line}" for line in lines)


def steered_total(tests: Sequence[Mapping[str, Any]]) -> str:
    """Return how many outcomes of several tests steering has shown."""
    aims = [one for test in tests for one in test["steered"]]
    hits = [one["hits"][0] for one in aims if one["hits"]]
    runs = sum(one["runs"] for one in aims)
    return (
        f"steering has shown {len(hits):,} of {counted(len(aims), 'outcome')}, {hits.count(1):,} in the first run;"
        f" {counted(runs, 'run')}"
    )


def _steered_lines(test: Mapping[str, Any]) -> Iterator[str]:
    for one in test["steered"]:
        kinds = "; ".join(one["kinds"])
        number = f"outcome {one['outcome']}" + (f": {kinds}" if kinds else "")
        if one["hits"]:
            yield f"  {len(one['hits'])} of {counted(one['runs'], 'run')}, first in run {one['hits'][0]}: {number}"
        else:
            yield f"  0 of {counted(one['runs'], 'run')}: {number}"
            yield f"      no run has shown: {one['missing'] or 'all its entries in their orders, in one run'}"
        if test["is_one"]:
            yield from (f"      {wait}" for wait in one["waits"])


def _described(outcome: Mapping[str, Any], indent: str) -> Iterator[str]:
    return (f"{indent}{line}" for line in describe(outcome_from_data(outcome)))
