"""Comparison of algorithms step by step, and of texts word by word."""

from __future__ import annotations

import dataclasses

import pytest

from modelcontext.spec.specification import Algorithm, Parameter, Section, Step, load_algorithms
from modelcontext.spec.specification.comparison.differences import Words, differing_words
from modelcontext.spec.specification.comparison.steps import compare_algorithms

STEPS = {
    "1": "Let tool owner be the document of the global object.",
    "2": "If tool owner is not fully active, then return a rejected promise.",
    "3": "In parallel:",
    "3.1": "Notify documents of a tool change given tool owner.",
    "3.2": "Queue a task to resolve promise with undefined.",
    "4": "Return promise.",
}


def algorithm(steps: dict[str, str], id_: str = "a", name: str = "register a tool") -> Algorithm:
    return Algorithm(
        id=id_,
        name=name,
        function=name.replace(" ", "_"),
        kind="abstract operation",
        parameters=(Parameter("tool", "tool"),),
        in_parallel=False,
        section=Section("1", "One", "one"),
        steps=tuple(Step(number, text) for number, text in steps.items()),
    )


def differences(ours: dict[str, str], other: dict[str, str]) -> list[tuple[str, str | None, str | None]]:
    found = compare_algorithms([algorithm(ours)], [algorithm(other)])
    assert {(difference.part, difference.subject) for difference in found} <= {("algorithms", "a")}
    return [(difference.change, difference.step, difference.other_step) for difference in found]


@pytest.mark.parametrize("revision", ["current", "2026-03"])
def test_a_revision_does_not_differ_from_itself(revision: str) -> None:
    assert compare_algorithms(load_algorithms(revision), load_algorithms(revision)) == []


def test_added_step_does_not_make_renumbered_ones_differ() -> None:
    other = {"1": STEPS["1"], "2": "Assert: tool is valid.", "3": STEPS["2"], "4": STEPS["3"]}
    other |= {"4.1": STEPS["3.1"], "4.2": STEPS["3.2"], "5": STEPS["4"]}
    assert differences(STEPS, other) == [("added", None, "2")]
    assert differences(other, STEPS) == [("removed", "2", None)]


def test_first_and_last_step_can_be_added_or_removed() -> None:
    other = {number: STEPS[number] for number in ("2", "3", "3.1", "3.2")}
    assert differences(STEPS, other) == [("removed", "1", None), ("removed", "4", None)]
    assert differences(other, STEPS) == [("added", None, "1"), ("added", None, "4")]


def test_reworded_step_has_its_words() -> None:
    other = STEPS | {"2": "If tool owner is not allowed to use tools, then return a rejected promise."}
    assert differences(STEPS, other) == [("reworded", "2", "2")]
    (difference,) = compare_algorithms([algorithm(STEPS)], [algorithm(other)])
    assert [(run.side, run.text) for run in difference.words] == [
        ("=", "If tool owner is not "),
        ("-", "fully active"),
        ("+", "allowed to use tools"),
        ("=", ", then return a rejected promise."),
    ]
    assert difference.to_json()["words"] == [[run.side, run.text] for run in difference.words]


def test_replaced_step_is_removed_and_added() -> None:
    other = STEPS | {"2": "Throw."}
    assert differences(STEPS, other) == [("removed", "2", None), ("added", None, "2")]


def test_swapped_steps_are_one_move() -> None:
    other = {**STEPS, "1": STEPS["2"], "2": STEPS["1"]}
    found = differences(STEPS, other)
    assert [change for change, *_ in found] == ["moved"]
    assert found[0] in (("moved", "1", "2"), ("moved", "2", "1"))


def test_moved_and_reworded_step_is_one_move() -> None:
    other = {"1": STEPS["2"], "2": STEPS["3"], "2.1": STEPS["3.1"], "2.2": STEPS["3.2"]}
    other |= {"3": "Let tool owner be the document of the relevant global object.", "4": STEPS["4"]}
    assert differences(STEPS, other) == [("moved", "1", "3")]


def test_step_below_another_parent_is_a_move() -> None:
    other = {"1": STEPS["1"], "2": STEPS["2"], "3": STEPS["3"], "3.1": STEPS["3.1"], "4": STEPS["3.2"], "5": STEPS["4"]}
    assert differences(STEPS, other) == [("moved", "3.2", "4")]
    assert differences(other, STEPS) == [("moved", "4", "3.2")]


def test_substeps_of_a_moved_step_are_not_moves() -> None:
    other = {
        "1": STEPS["3"],
        "1.1": STEPS["3.1"],
        "1.2": STEPS["3.2"],
        "2": STEPS["1"],
        "3": STEPS["2"],
        "4": STEPS["4"],
    }
    changes = differences(STEPS, other)
    assert {change for change, *_ in changes} == {"moved"}
    assert len(changes) < len(STEPS)


def test_algorithm_without_counterpart_is_added_or_removed() -> None:
    first, second = algorithm(STEPS), algorithm({"1": "Sort the list."}, "b", "sort the tools")
    (added,) = compare_algorithms([first], [first, second])
    assert (added.subject, added.change, added.ours, added.other) == ("b", "added", None, "sort the tools")
    (removed,) = compare_algorithms([first, second], [first])
    assert (removed.subject, removed.change, removed.ours, removed.other) == ("b", "removed", "sort the tools", None)


def test_algorithm_with_another_id_is_matched_by_its_words() -> None:
    other = algorithm(STEPS | {"4": "Return a promise."}, "b", "register one tool")
    id_, reworded = compare_algorithms([algorithm(STEPS)], [other])
    assert (id_.subject, id_.change, id_.ours, id_.other) == ("a", "id", "a", "b")
    assert (reworded.change, reworded.step) == ("reworded", "4")


def test_algorithm_with_another_id_is_matched_by_its_name() -> None:
    other = algorithm({"1": "Do something else entirely."}, "b")
    id_, *rest = compare_algorithms([algorithm(STEPS)], [other])
    assert (id_.change, id_.other) == ("id", "b")
    assert {difference.change for difference in rest} == {"added", "removed"}


def test_changed_kind_and_parameters_are_differences() -> None:
    parameters = (Parameter("this", "this"), Parameter("tool", "tool"))
    other = dataclasses.replace(algorithm(STEPS), kind="method", parameters=parameters)
    kind, changed = compare_algorithms([algorithm(STEPS)], [other])
    assert (kind.change, kind.ours, kind.other) == ("kind", "abstract operation", "method")
    assert (changed.change, changed.ours, changed.other) == ("parameters", "tool", "this, tool")


def test_differing_words_are_runs_of_phrases() -> None:
    assert differing_words("same", "same") == [Words("=", "same")]
    assert differing_words("", "new") == [Words("+", "new")]
    assert differing_words("a b c", "a c") == [Words("=", "a "), Words("-", "b "), Words("=", "c")]
    # One phrase is replaced, and not each word.
    assert differing_words("is the red one.", "is a blue one.") == [
        Words("=", "is "),
        Words("-", "the red"),
        Words("+", "a blue"),
        Words("=", " one."),
    ]


@pytest.mark.parametrize(("ours", "other"), [("a, b", "b, a"), ("x y z", "x  w z"), (" a", "a "), ("é è", "è")])
def test_both_texts_can_be_read_from_the_words(ours: str, other: str) -> None:
    words = differing_words(ours, other)
    assert "".join(run.text for run in words if run.side != "+") == ours
    assert "".join(run.text for run in words if run.side != "-") == other
