"""Outcomes that are made when they are asked for are those of the enumeration of every schedule."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.programs.program.exploration import Exploration

Step = dict[str, Any]

LISTEN: Step = {"do": "listen", "type": "toolchange"}
REGISTER: Step = {
    "do": "registerTool",
    "tool": {"name": "t", "description": "d"},
    "options": {"exposedTo": ["{A}", "{B}"]},
    "wait": False,
}


FRAME = {"parent": "top", "allow": "tools"}
PROGRAMS: dict[str, dict[str, Any]] = {
    "a registration and a list": {
        "documents": {"top": {}},
        "script": {"top": [LISTEN, REGISTER, {"do": "getTools", "wait": False}]},
    },
    "a registration that two documents hear of": {
        "documents": {"top": {}, "frame": {**FRAME, "origin": "A"}},
        "script": {"top": [LISTEN, REGISTER], "frame": [LISTEN]},
    },
    "a registration that another origin hears of": {
        "documents": {"top": {}, "frame": {**FRAME, "origin": "B"}},
        "script": {"top": [LISTEN, REGISTER], "frame": [LISTEN]},
    },
}


def explored(name: str, *, naive: bool = False) -> Exploration:
    return allowed_outcomes(from_data({"title": name, **PROGRAMS[name]}), naive=naive, bound=10_000)


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("name", PROGRAMS)
def test_outcomes_made_on_demand_are_those_of_every_schedule(name: str) -> None:
    every = explored(name, naive=True)
    found = explored(name).outcomes
    assert every.complete
    assert len(found) == len(every.outcomes) > 1
    assert set(found) == set(every.outcomes)
    assert dict(found) == dict(found.items()) == every.outcomes
    assert set(found.values()) == set(every.outcomes.values())
    assert all(text == outcome.canonical for text, outcome in found.items())
    assert all(text in found and found[text] == outcome for text, outcome in every.outcomes.items())


@pytest.mark.parametrize("name", PROGRAMS)
def test_copy_of_an_exploration_has_the_same_outcomes(name: str) -> None:
    outcomes = explored(name).outcomes
    assert dict(pickle.loads(pickle.dumps(outcomes))) == dict(outcomes)


@pytest.mark.parametrize("text", ["", "{}", Outcome({}, ()).canonical, Outcome({"top": [{"log": 1}]}, ()).canonical])
def test_text_of_no_outcome_is_not_found(text: str) -> None:
    found = explored("a registration and a list").outcomes
    assert text not in found
    with pytest.raises(KeyError):
        found[text]


def test_text_of_an_outcome_in_another_form_is_not_found() -> None:
    found = explored("a registration and a list").outcomes
    assert next(iter(found)).replace(":", ": ") not in found
