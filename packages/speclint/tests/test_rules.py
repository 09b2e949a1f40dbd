"""The rules of the lint: each on a small text with a defect of its kind, and on the same text mended."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from speclint import RULES, LintFinding, lint, lint_text
from speclint.rules import RULES_BY_NAME, RULES_UNPROVEN

README = Path(__file__).resolve().parents[1] / "README.md"

HEAD = """<pre class=metadata>
Title: A test
</pre>

<xmp class=idl>
[Exposed=Window]
interface Thing {
  Promise<DOMString?> run(optional RunOptions options = {});
};
dictionary RunOptions {
  AbortSignal signal;
  DOMString label = "";
};
</xmp>

A {{Document}} has a <dfn export for=Document>thing map</dfn>, an [=ordered map=], initially empty.

A {{Document}} has a <dfn export for=Document>shared map</dfn>, an [=ordered map=], read and written [=in parallel=] only.

A {{Document}} has a <dfn export for=Document>table</dfn>, an [=ordered map=] from [=unique internal value=] to [=string=].

A {{Document}} has a <dfn export for=Document>phase</dfn>, "idle" or "busy", initially "idle".

"""

CASES = tomllib.loads((Path(__file__).parent / "cases.toml").read_text(encoding="utf-8"))

TAIL = """

</div>

<div algorithm>
To <dfn export>look up</dfn> a thing named |v|:

1. If |v| is the empty string, then return failure.
1. Return an empty [=list=].

</div>

<div algorithm>
To <dfn export>look up a navigable</dfn> of |v|:

1. If |v| is the empty string, then return failure.
1. Let |n| be |v|'s [=node navigable=].
1. Return |n|.

</div>

<div algorithm>
To <dfn export>check</dfn> a value |v|:

1. If |v| is null, then [=throw=] a {{TypeError}}.

</div>

<div algorithm>
To <dfn export>help</dfn> given a value |v|:

1. Return |v|.

</div>

<div algorithm>
To <dfn export>look elsewhere</dfn> given a {{Document}} |d|:

1. [=Assert=]: these steps are running [=in parallel=].
1. [=map/Clear=] |d|'s [=Document/shared map=].

</div>

A <dfn export>pair</dfn> is a [=struct=] with the following items: its [=pair/first=] and its [=pair/second=]:

<dl dfn-for=pair>
: <dfn>first</dfn>
:: a [=string=]
: <dfn>second</dfn>
:: a [=string=]

</dl>

<div algorithm>
To <dfn export>give a visit</dfn> by a {{Document}} |d| from an [=origin=] |o| or null:

1. Return a new [=visit=] whose [=visit/by=] is |d|, [=visit/from=] is |o|, and [=visit/is new=] is true.

</div>

A <dfn export>visit</dfn> is a [=struct=] with the following items: its [=visit/by=], [=visit/from=], and [=visit/is new=].

<dl dfn-for=visit>
: <dfn>by</dfn>
:: the {{Document}} that asked
: <dfn>from</dfn>
:: an [=origin=] or null
: <dfn>is new</dfn>
:: whether there was none before

</dl>
"""


def findings(steps: str, by_name: tuple[str, ...] = ()) -> list[LintFinding]:
    text = f"{HEAD}<div algorithm>\nTo <dfn export id=test>test</dfn> a value |x|:\n\n{steps}{TAIL}"
    return lint_text(text, Path("test.bs"), by_name).findings


@pytest.mark.parametrize("rule", [*RULES, *RULES_UNPROVEN])
def test_defect_is_found_by_its_rule_alone(rule: str) -> None:
    assert {one.rule for one in findings(CASES[rule]["defect"], RULES_UNPROVEN)} == {rule}


@pytest.mark.parametrize("rule", [*RULES, *RULES_UNPROVEN])
def test_mended_text_has_no_findings(rule: str) -> None:
    assert findings(CASES[rule]["mended"], RULES_UNPROVEN) == []


@pytest.mark.parametrize("rule", RULES_UNPROVEN)
def test_rule_finds_nothing_if_it_is_not_asked_for(rule: str) -> None:
    assert findings(CASES[rule]["defect"]) == []


@pytest.mark.parametrize("rule", [*RULES, *RULES_BY_NAME])
def test_rule_has_a_section_in_the_documentation(rule: str) -> None:
    text = README.read_text(encoding="utf-8")
    assert re.search(rf"^### {rule}\n\n\S", text, re.MULTILINE)


def test_finding_names_line_step_way_and_remedy() -> None:
    [finding] = findings("1. If |x| is true:\n    1. Let |y| be |x|.\n1. Return |y|.")
    assert (finding.algorithm, finding.step, finding.line) == ("test", "2", HEAD.count("\n") + 6)
    assert finding.path == ("step 1: no",)
    assert finding.remedy == "define it before its first use"


@pytest.mark.parametrize(
    ("test", "read", "is_named"),
    [
        ("|y| is failure", "|z|", True),
        ("|y| is an [=ECMAScript/abrupt completion=]", "|z|", True),
        ("|y| is true", "|z|", False),
        ("|y| is failure", "|x|", False),
        ("|y| is failure", "|z| and |y|", False),
    ],
)
def test_value_that_is_tested_under_one_name_and_read_under_another_is_unused(
    test: str, read: str, is_named: bool
) -> None:
    steps = f"1. Let |y| be the result of [=looking up=] |x|.\n1. If {test}, then return |x|.\n1. Return {read}."
    found = [one.message for one in findings(steps) if one.rule == "unused-variable"]
    assert found == ["y gets a value that is only tested, and a later step reads z, which no step defines"] * is_named


@pytest.mark.parametrize("words", ["is present", "was given", "is not missing", "is not omitted", "[=map/exists=]"])
def test_member_that_is_asked_for_in_any_words_is_there(words: str) -> None:
    member = '|x|["{{RunOptions/signal}}"]'
    assert findings(f"1. If {member} {words}, then return {member}.\n1. Return null.") == []
    turned = f"1. If {member} {words}, then return null.\n1. Return {member}."
    assert [one.rule for one in findings(turned)] == ["untested-entry"]


@pytest.mark.parametrize(
    ("script", "is_stale"),
    [
        ("Let |y| be [=ECMAScript/?=] [$Get$](|x|, |x|).", True),
        ("Let |y| be [=ECMAScript/!=] [$Get$](|x|, |x|).", False),
        ("Let |y| be the result of [=reading=] |x|.", True),
        ("Let |y| be the result of [=helping=] given |x|.", False),
        ("[=Queue a task=] to [=fire an event=] named `a` at |x|.", False),
    ],
)
def test_state_is_stale_where_script_ran_since_its_test(script: str, is_stale: bool) -> None:
    phase = "|x|'s [=Document/phase=]"
    steps = f'1. If {phase} is "busy", then return null.\n1. {script}\n1. Set {phase} to "busy".\n1. Return |x|.'
    reading = (
        "\n</div>\n\n<div algorithm>\nTo <dfn>read</dfn> |v|:\n\n1. Let |w| be ? [$Get$](|v|, |v|).\n1. Return |w|."
    )
    assert ("stale-state" in {one.rule for one in findings(steps + reading)}) is is_stale
    again = steps.replace("1. Set", f'1. If {phase} is "busy", then return null.\n1. Set')
    assert "stale-state" not in {one.rule for one in findings(again + reading)}


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        ("1. [=In parallel=], [=check=] |x|.", 1),
        ("1. [=Queue a task=] to run these steps:\n    1. [=Check=] |x|. If this throws an exception, return.", 0),
        (
            "1. [=Queue a task=] to run these steps:\n    1. [=Check=] |x|.\n    1. If this throws an exception, then do |x|.",
            0,
        ),
        ("1. [=Check=] |x|.", 0),
    ],
)
def test_exception_that_nothing_catches_is_found_if_it_is_asked_for(steps: str, count: int) -> None:
    assert [one.rule for one in findings(steps, ("ignored-exception",))].count("ignored-exception") == count


PROMISED = "1. Let |p| be [=a new promise=].\n"


@pytest.mark.parametrize(
    "steps",
    [
        "1. Return |p|, and perform the remaining steps asynchronously:\n    1. [=Resolve=] |p| with |x|.",
        "1. Return |p|. The following steps are run [=in parallel=].\n1. [=Resolve=] |p| with |x|.",
        "1. [=parallel queue/enqueue steps|Enqueue steps=] on |x| to [=resolve=] |p| with |x|.\n1. Return |p|.",
    ],
)
def test_steps_behind_older_words_run_in_parallel(steps: str) -> None:
    [finding] = findings(f"{PROMISED}{steps}")
    assert finding.rule == "script-in-parallel"


@pytest.mark.parametrize(
    "act", ["resolve |promise| with |x|", "throw a {{TypeError}}", 'throw an "{{AbortError}}" {{DOMException}}']
)
def test_act_of_script_without_a_link_is_found_in_parallel(act: str) -> None:
    steps = f"1. Let |promise| be [=a new promise=].\n1. [=In parallel=]:\n    1. If |x| is true, {act}.\n1. Return |promise|."
    assert "script-in-parallel" in {one.rule for one in findings(steps)}


@pytest.mark.parametrize(
    ("other", "rules"),
    [
        ("[=Upon rejection=] of |w| with |e|, [=reject=] |p| with |e|.", []),
        ("[=Upon rejection=] of |w| with |e|:\n    1. [=Reject=] |p| with |e|.", []),
        ("[=Upon rejection=] of |x| with |e|, [=reject=] |p| with |e|.", ["twice-settled-promise"]),
        ("[=Upon fulfillment=] of |w| with |e|, [=reject=] |p| with |e|.", ["twice-settled-promise"]),
    ],
)
def test_reactions_to_the_two_ends_of_a_promise_exclude_each_other(other: str, rules: list[str]) -> None:
    for first in (", [=resolve=] |p| with |v|.", ":\n    1. [=Resolve=] |p| with |v|."):
        steps = f"{PROMISED}1. Let |w| be |x|.\n1. [=Upon fulfillment=] of |w| with |v|{first}\n"
        assert [one.rule for one in findings(f"{steps}1. {other}\n1. Return |p|.")] == rules


MOOD = '<xmp class=idl>enum Mood { "glad", "sad" };</xmp>\n'


@pytest.mark.parametrize(("other", "rules"), [("sad", []), ("glad", ["dead-branch", "unsettled-promise"])])
def test_tests_for_all_values_of_an_enumeration_leave_no_other_way(other: str, rules: list[str]) -> None:
    steps = (
        f'{PROMISED}1. If |x| is "{{{{Mood/glad}}}}", then [=resolve=] |p|.\n'
        f'1. Otherwise, if |x| is "{{{{Mood/{other}}}}}", then [=reject=] |p| with |x|.\n1. Set |p|\'s label to 1.'
    )
    text = f"{HEAD}{MOOD}<div algorithm>\nTo <dfn export id=test>test</dfn> a value |x|:\n\n{steps}{TAIL}"
    assert sorted(one.rule for one in lint_text(text, Path("test.bs")).findings) == rules


def test_steps_that_are_given_to_another_algorithm_return_nothing_for_their_own() -> None:
    steps = "1. Get |x|.\n\n    To [=perform the fetch=] given |r|, run the following steps:\n\n    1. Return |r|.\n1. Do it."
    assert findings(steps) == []


def test_callback_of_a_fetch_runs_in_a_task() -> None:
    steps = (
        f"{PROMISED}1. [=In parallel=]:\n    * [=Fetch=] |x|.\n    * To [=fetch/processResponse=] for |r|, do this:\n"
    )
    assert findings(f"{steps}        1. [=Resolve=] |p| with |r|.\n1. Return |p|.") == []


def test_knowledge_of_state_ends_where_script_runs() -> None:
    test = "1. If |x|'s [=node navigable=] is null, then return null.\n"
    use = "1. Return |x|'s [=node navigable=]'s [=navigable/top-level traversable=]."
    script = "1. [=Fire an event=] named `a` at |x|.\n"
    assert findings(test + use) == []
    assert [one.rule for one in findings(test + script + use)] == ["untested-null"]


def test_knowledge_of_variables_holds_where_script_runs() -> None:
    steps = "1. Let |n| be |x|'s [=node navigable=].\n1. If |n| is null, then return null.\n"
    steps += "1. [=Fire an event=] named `a` at |x|.\n1. Return |n|'s [=navigable/top-level traversable=]."
    assert findings(steps) == []


def test_second_part_of_a_condition_knows_the_first() -> None:
    steps = "1. Let |n| be |x|'s [=node navigable=].\n"
    assert (
        findings(
            f"{steps}1. If |n| is null, or |n|'s [=navigable/top-level traversable=] is |x|, then return 1.\n1. Return 2."
        )
        == []
    )
    turned = f"{steps}1. If |n| is not null, or |n|'s [=navigable/top-level traversable=] is |x|, then return 1.\n1. Return 2."
    assert [one.rule for one in findings(turned)] == ["untested-null"]


def test_suppression_without_a_reason_takes_nothing_back() -> None:
    found = findings("1. Let |y| be |x|. <!-- lint: unused-variable -->\n1. Return |x|.")
    assert {one.rule for one in found} == {"unused-variable", "idle-suppression"}


def test_suppression_of_an_unknown_rule_is_a_finding() -> None:
    [finding] = findings("1. Return |x|. <!-- lint: no-such-rule: for some good reason -->")
    assert finding.message == "there is no rule 'no-such-rule'"


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "styles").glob("*.bs")), ids=lambda path: path.stem)
def test_text_in_another_style_has_no_findings(path: Path) -> None:
    assert [str(finding) for finding in lint(path).findings] == []


def test_action_behind_a_comma_belongs_to_its_condition() -> None:
    steps = "1. If |x|'s [=node navigable=] is null, return null.\n"
    steps += "1. Return |x|'s [=node navigable=]'s [=navigable/top-level traversable=]."
    assert findings(steps) == []


@pytest.mark.parametrize(
    "test",
    [
        "Return null if |x|'s [=node navigable=] is null.",
        "If |x|'s [=node navigable=] is null then return null.",
        "If |x|'s [=node navigable=] is null then:\n    1. Return null.",
    ],
)
def test_action_without_a_comma_belongs_to_its_condition(test: str) -> None:
    use = "1. Return |x|'s [=node navigable=]'s [=navigable/top-level traversable=]."
    assert findings(f"1. {test}\n{use}") == []
    turned = test.replace("is null", "is not null")
    assert "untested-null" in {one.rule for one in findings(f"1. {turned}\n{use}")}


def test_value_that_is_sorted_by_a_condition_has_no_other_side() -> None:
    steps = "1. Return |x|, [=list/sorted=] with |a| being less than |b| if |a| comes before |b|."
    assert findings(steps) == []


def test_loop_knows_the_condition_on_which_it_goes_on() -> None:
    steps = (
        "1. Let |y| be null.\n1. While |y| is null:\n    1. Set |y| to what |x| gives.\n1. Return |y|'s [=url/origin=]."
    )
    assert findings(steps) == []
    turned = steps.replace("While |y| is null", "While |y| is not null")
    assert {one.rule for one in findings(turned)} == {"untested-null"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('|x| is "a", "b", or "c"', '|x| is "b"'),
        ('|x| is "a", "b", or "c"', '|x| is "c" or "a"'),
        ("|x| is a [=list=] or a [=set=]", "|x| is not a [=set=]"),
        ('|x| is not "a" or "b"', '|x| is "c"'),
    ],
)
def test_list_of_alternatives_decides_later_conditions(first: str, second: str) -> None:
    steps = f"1. If {first}, then return 1.\n1. If {second}, then return 2.\n1. Return 3."
    [finding] = findings(steps)
    assert (finding.rule, finding.step) == ("dead-branch", "2")
    assert finding.message.endswith(" (step 1)")


def test_list_with_an_alternative_that_is_left_decides_nothing() -> None:
    steps = '1. If |x| is "a" or "b", then return 1.\n1. If |x| is "b" or "c", then return 2.\n1. Return 3.'
    assert findings(steps) == []


@pytest.mark.parametrize("test", ["is not |d|", "is null", 'is not "idle"'])
def test_state_that_was_just_set_to_null_is_no_other_value(test: str) -> None:
    steps = f"1. Set |d|'s [=Document/phase=] to null.\n1. If |d|'s [=Document/phase=] {test}, then return.\n1. Help."
    text = f"{HEAD}<div algorithm>\nTo <dfn export id=test>test</dfn> a {{{{Document}}}} |d|:\n\n{steps}{TAIL}"
    [finding] = [one for one in lint_text(text, Path("test.bs")).findings if one.rule == "dead-branch"]
    assert finding.message == "this is always true here, because d's phase is null (step 1)"
    maybe = text.replace("a {{Document}} |d|", "a {{Document}} or null |d|")
    rules = {one.rule for one in lint_text(maybe, Path("test.bs")).findings}
    assert ("dead-branch" in rules) is (test != "is not |d|")


def test_keyword_that_was_just_set_decides_tests_for_others_until_script_runs() -> None:
    test = '1. If |x|\'s [=Document/phase=] is "idle", then return 1.\n'
    steps = (
        f'1. Set |x|\'s [=Document/phase=] to "busy".\n{test}1. [=Fire an event=] named `a` at |x|.\n{test}1. Return 2.'
    )
    assert [(one.rule, one.step) for one in findings(steps)] == [("dead-branch", "2")]


def test_reason_of_a_dead_branch_names_every_step_that_decides() -> None:
    steps = "1. If |x| is true:\n    1. Let |y| be null.\n1. Otherwise:\n    1. Let |y| be null.\n"
    [finding] = findings(f"{steps}1. If |y| is null, then return 1.\n1. Return |y|.")
    assert finding.message == "this is always true here, because y is null (steps 1.1, 2.1)"


@pytest.mark.parametrize(
    ("subject", "change", "is_defect"),
    [
        ("|a| of |l|", "[=list/Append=] |a| to |l|.", True),
        ("|a| of |l|", "[=list/Remove=] |a| from |l|, and then [=iteration/break=].", False),
        ("|a| of |l|", "Return the result of [=helping=] given |a|.", False),
        ("|a| of the [=list/clone=] of |l|", "[=list/Remove=] |a| from |l|.", False),
        ("|a| of |l|", "[=list/Append=] |a| to |x|.", False),
    ],
)
def test_loop_over_a_list_that_grows_or_shrinks_is_found(subject: str, change: str, is_defect: bool) -> None:
    steps = f"1. Let |l| be an empty [=list=].\n1. [=list/For each=] {subject}:\n    1. {change}\n1. Return |x|."
    assert ("changed-in-loop" in {one.rule for one in findings(steps)}) is is_defect


@pytest.mark.parametrize(
    ("change", "is_defect"),
    [
        ("[=map/Set=] |m|[|k|] to |x|.", False),
        ("[=map/Set=] |m|[|v|] to |x|.", True),
        ("[=map/Remove=] |m|[|k|].", True),
        ("[=map/Clear=] |m|.", True),
        ("[=Queue a task=] to [=map/remove=] |m|[|k|].", False),
    ],
)
def test_loop_over_a_map_may_change_values_and_no_keys(change: str, is_defect: bool) -> None:
    steps = f"1. Let |m| be an empty [=ordered map=].\n1. [=map/For each=] |k| → |v| of |m|:\n    1. {change}\n1. Return |x|."
    assert ("changed-in-loop" in {one.rule for one in findings(steps)}) is is_defect


@pytest.mark.parametrize(
    ("by", "origin", "is_new", "reason"),
    [
        ("|x|'s [=node document=]", "|x|'s [=node document=]'s [=Document/origin=]", "false", ""),
        ("|d|", "null", "false", ""),
        ("|g|", "null", "false", "the by of a visit is a Document, and is set to a global object"),
        ("null", "null", "false", "the by of a visit is a Document, and is set to null"),
        ("|d|", "the [=serialization of an origin|serialization=] of |o|", "false", "is set to a string"),
        ("|d|", "|d|", "false", "the from of a visit is an origin, and is set to a Document"),
        ("|d|", "|o|", "null", "the is new of a visit is a boolean, and is set to null"),
    ],
)
def test_item_of_a_struct_gets_a_value_of_its_kind(by: str, origin: str, is_new: str, reason: str) -> None:
    steps = "1. Let |g| be |x|'s [=relevant global object=].\n1. Let |d| be |g|'s [=associated Document=].\n"
    steps += "1. Let |o| be |d|'s [=Document/origin=].\n"
    steps += f"1. Return a new [=visit=] whose [=visit/by=] is {by}, [=visit/from=] is {origin}, "
    steps += f"and [=visit/is new=] is {is_new}."
    found = [one for one in findings(steps) if one.rule != "unused-variable"]
    assert [one.rule for one in found] == ["wrong-value"] * bool(reason)
    assert all(reason in one.message for one in found)


def test_variable_with_values_of_two_kinds_has_no_kind() -> None:
    steps = "1. Let |y| be |x|'s [=node document=].\n1. If |x| is true, then set |y| to |x|'s [=relevant realm=].\n"
    steps += (
        "1. Return a new [=visit=] whose [=visit/by=] is |y|, [=visit/from=] is null, and [=visit/is new=] is true."
    )
    assert findings(steps) == []


@pytest.mark.parametrize(
    ("value", "test", "is_defect"),
    [
        ("the result of [=looking up=] |x|", "|y| is null", True),
        ("the result of [=looking up=] |x|", "|y| is not null", True),
        ("the result of running the [=URL parser=] on |x|", "|y| is null", True),
        ("the result of [=looking up=] |x|", "|y| is failure", False),
        ("the result of [=looking up=] |x|", "|y| is null, or |y| is failure", False),
        ("the result of [=looking up a navigable=] of |x|", "|y| is null", False),
        ("null", "|y| is null", False),
    ],
)
def test_result_that_is_failure_and_never_null_is_not_tested_for_null(value: str, test: str, is_defect: bool) -> None:
    found = findings(f"1. Let |y| be {value}.\n1. If {test}, then return 1.\n1. Return 2.")
    assert ("untested-failure" in {one.rule for one in found}) is is_defect


@pytest.mark.parametrize(
    ("steps", "way"),
    [
        ("1. If |x| is true:\n    1. Let |y| be |x|.\n1. Return |y|.", "not defined on every path"),
        ("1. [=Help=] given |x|.\n1. Let |z| be |y|.\n1. Let |y| be |z|.\n1. Return |y|.", "defined on no path"),
        ("1. [=In parallel=]:\n    1. [=Look elsewhere=] given |y|.\n1. Return |x|.", "defined on no path"),
    ],
)
def test_undefined_variable_is_defined_on_some_ways_or_on_none(steps: str, way: str) -> None:
    [finding] = [one for one in findings(steps) if one.rule == "undefined-variable"]
    assert finding.message == f"y is used here, but is {way}"


def test_promise_that_one_step_resolves_or_else_rejects_is_settled_once() -> None:
    steps = "1. Let |p| be [=a new promise=].\n1. [=Queue a global task=] given |x| to {}.\n1. Return |p|."
    either = "[=resolve=] |p| with |x| if |x| is true, and to [=reject=] |p| with |x| otherwise"
    both = "[=resolve=] |p| with |x|, and to [=reject=] |p| with |x|"
    assert findings(steps.format(either)) == []
    assert [one.rule for one in findings(steps.format(both))] == ["twice-settled-promise"]


@pytest.mark.parametrize("rule", ["unused-variable", "unread-item"])
def test_remedy_for_what_is_not_read_begins_with_reading_it(rule: str) -> None:
    assert all(
        one.remedy.startswith(
            ("use the variable where it was meant", "use the argument where it was meant", "restore the step")
        )
        for one in findings(CASES[rule]["defect"])
    )


def test_steps_on_the_wrong_strand_are_told_where_they_must_run() -> None:
    [finding] = findings(CASES["wrong-strand"]["defect"])
    assert " must run " in finding.message


@pytest.mark.parametrize(
    ("use", "is_defect"),
    [
        ("[=list/For each=] |v| of |l|:\n    1. Set |v|'s [=pair/first=] to |x|.", True),
        ("[=list/For each=] |v| of |l|:\n    1. [=Greet=] |v|.", False),
        ("[=list/For each=] |v| of |l|:\n    1. [=Look elsewhere=] given |v|.", True),
        ("[=list/Append=] a new {{Thing}} to |l|.", True),
        ("[=list/Append=] a [=list=] of |x| to |l|.", False),
        (
            "[=list/For each=] |v| of |l|:\n    1. [=list/For each=] |w| of |v|:\n        1. Set |w|'s [=pair/first=] to |x|.",
            False,
        ),
    ],
)
def test_list_is_no_member_of_a_list_of_other_things(use: str, is_defect: bool) -> None:
    steps = "1. Let |l| be an empty [=list=].\n1. Let |m| be « |x| ».\n1. [=list/Append=] |m| to |l|.\n"
    steps += f"1. {use}\n1. Return |x|."
    found = [one for one in findings(steps) if one.rule == "wrong-collection"]
    assert [one.step for one in found] == ["3"] * is_defect
    assert [
        one.rule for one in findings(steps.replace("Append=] |m| to |l|", "Extend=] |l| with |m|")) if one in found
    ] == []


def test_use_of_a_returned_list_by_a_caller_says_what_its_members_are() -> None:
    gather = "1. Let |l| be an empty [=list=].\n1. [=list/Append=] « |x| » to |l|.\n1. Let |m| be « |x| ».\n"
    gather += "1. [=list/Append=] |m| to |l|.\n1. Return |l|."
    caller = "\n\n</div>\n\n<div algorithm>\nTo <dfn export>use what is tested</dfn> given |x|:\n\n"
    caller += "1. Let |all| be the result of [=testing=] given |x|.\n"
    caller += "1. [=list/For each=] |one| of |all|:\n    1. Set |one|'s [=pair/first=] to |x|."
    assert findings(gather) == []
    assert [one.step for one in findings(gather + caller)] == ["4"]


@pytest.mark.parametrize(
    ("key", "is_defect"),
    [
        ("a new [=unique internal value=]", False),
        ('"first"', True),
        ("|x|'s [=Document/origin=]", True),
        ("|x|", False),
    ],
)
@pytest.mark.parametrize("table", ["|x|'s [=Document/table=]", "|t|"])
def test_entry_of_a_map_is_named_by_a_key_of_its_kind(table: str, key: str, is_defect: bool) -> None:
    steps = f"1. Let |k| be {key}.\n1. Let |t| be |x|'s [=Document/table=].\n1. [=map/Remove=] {table}[|k|].\n1. Return |t|."
    assert ["wrong-value"] * is_defect == [one.rule for one in findings(steps)]


def test_items_in_a_list_of_definitions_are_set() -> None:
    made = "1. Let |p| be a new [=pair=] with the following [=struct/items=]:\n\n    : [=pair/first=]\n    :: |x|\n{}\n"
    made += "1. Return |p|."
    assert findings(made.format("\n    : [=pair/second=]\n    :: |x|\n")) == []
    assert [one.rule for one in findings(made.format(""))] == ["unset-item"]


def test_item_of_an_entry_is_one_argument() -> None:
    steps = "1. Return the result of [=helping=] given |x|[0]'s [=pair/first=]."
    assert findings(steps) == []
    assert [one.rule for one in findings(steps.replace("].", "] and |x|."))] == ["wrong-arguments"]


def test_map_that_an_exported_algorithm_is_given_has_what_its_callers_know() -> None:
    assert findings('1. Return |x|["a"].') == []
    assert {one.rule for one in findings("1. Let |m| be an empty [=ordered map=].\n1. Return |m|[|x|].")} == {
        "untested-entry"
    }


@pytest.mark.parametrize(
    "words",
    [
        "Return |p|, and run the remaining steps [=in parallel=].",
        "Return |p| and continue running these steps asynchronously.",
        "[=In parallel=], run the rest of these steps.",
        "Return |p|, but continue these steps in the background.",
    ],
)
def test_steps_behind_run_the_remaining_steps_in_parallel_run_in_parallel(words: str) -> None:
    steps = f"1. Let |p| be [=a new promise=].\n1. {words}\n1. Wait for |x|.\n1. [=Resolve=] |p| with |x|."
    assert [(one.step, one.rule) for one in findings(steps)] == [("4", "script-in-parallel")]


def test_steps_if_aborted_are_another_way_than_the_steps_before() -> None:
    steps = """1. Let |p| be [=a new promise=].
1. Run these steps [=in parallel=], but [=abort when=] |x| is gone:
    1. [=Queue a global task=] on the [=DOM manipulation task source=] given |x| to [=resolve=] |p| with |x|.
1. [=If aborted=], [=queue a global task=] on the [=DOM manipulation task source=] given |x| to [=reject=] |p| with |x|.
1. Return |p|."""
    assert findings(steps) == []


@pytest.mark.parametrize(
    "end",
    ["abort the algorithm", "terminate these substeps", "exit this algorithm", "stop", "skip the remaining steps"],
)
def test_older_words_end_the_steps(end: str) -> None:
    assert ("2", "unreachable-step") in [(one.step, one.rule) for one in findings(f"1. Do |x|, and {end}.\n1. Do |x|.")]


@pytest.mark.parametrize("action", ["stop |x|", "abort the steps to look at |x|"])
def test_end_of_something_else_does_not_end_the_steps(action: str) -> None:
    assert findings(f"1. Do |x|, and {action}.\n1. Return |x|.") == []


@pytest.mark.parametrize("signature", ["take(name, options)", "take(name)", "take()"])
def test_parameters_are_known_as_plain_words_or_from_the_idl(signature: str) -> None:
    idl = "<xmp class=idl>\ninterface A { undefined take(DOMString name, optional any options); };\n</xmp>\n"
    steps = "1. Do |name| by |options|.\n1. Do |other|.\n"
    content = f"<pre class=metadata>\nTitle: A\n</pre>\n{idl}<div algorithm>\nThe <dfn method for=A>{signature}</dfn>"
    [finding] = lint_text(f"{content} method steps are:\n\n{steps}</div>\n", Path("a.bs")).findings
    assert finding.message == "other is used here, but is defined on no path"


@pytest.mark.parametrize(
    ("steps", "rules"),
    [
        ("1. For each |y| associated with |x|:\n    1. Do |y|.\n1. Return |x|.", []),
        (
            "1. Switch on |x|:\n    : one\n    : two\n    ::\n        1. Return 1.\n    : three\n    ::\n        1. Return 2.",
            [],
        ),
        ("1. Return |x|, and start a worker and run the rest of these steps in it:\n    1. Do |x|.", []),
        ("1. Let |y| be |x|'s [=relevant global object=] |z|, if |z| is new.\n1. Return |y|.", []),
        (
            "1. Let |y| be the result of [=looking up=] |x|. If that returned failure, then return null.\n1. Return |y|.",
            [],
        ),
        ("1. If |x| was not given, then let |x| be 1.\n1. Return |x|.", []),
        ("1. If |x| is 1 return 1.\n1. Else return |x|.", []),
        ("1. Let |i| be 0.\n1. Return |x|[|i|].", []),
        ('1. Let |m| be |x|.\n1. If |m| has field "a", return |m|["a"].\n1. Return |m|["b"].', ["untested-entry"]),
        (
            "1. Let |y| be |x|'s [=node navigable=].\n1. Do |y|'s [=page=].\n1. Return |y|'s [=page=].",
            ["untested-null"],
        ),
        ("1. [=Look up=] |x|.\n\n    NOTE:\n    Return it.\n1. Return |x|.", ["unused-result"]),
        (
            "1. Let |y| be false.\n1. [=Queue a task=] to run these steps:\n    1. Set |y| to |x|.\n"
            "1. If |y| is true, then return 1.\n1. Return |x|.",
            [],
        ),
        (
            "1. For each |y| of |x|, set |y|'s [=mark=] to 1, and [=queue a task=] to run these steps:\n"
            "    1. [=Fire an event=] named `a` at |y|.",
            [],
        ),
        (
            "1. [=In parallel=]:\n    1. Add a [=task=] that runs these steps to |x|'s [=task queue=]:\n"
            "        1. [=Fire an event=] named `a` at |x|.",
            [],
        ),
        ("1. If |x|'s [=act=] is not null, then run |x|'s [=act=], passing |x| as |dispatched|.", []),
        ("1. Let |act| be these steps:\n    1. Return |y|.\n1. Let |y| be |x|.\n1. Run |act|.\n1. Return |y|.", []),
        (
            "1. [=Assert=] that |x|'s [=node navigable=] is not null.\n1. Return |x|'s [=node navigable=]'s [=page=].",
            [],
        ),
        (
            "1. Let |act| be these steps:\n    1. Let |p| be [=a new promise=].\n"
            "    1. [=Queue a task=] to [=resolve=] |p| with |x|.\n    1. Return |p|.\n1. Return |act|.",
            [],
        ),
        (
            "1. Let |p| be [=a new promise=].\n1. If |x| rejects, [=reject=] |p| with 1.\n"
            "1. Else if |x| resolves with an array, |a|, then [=resolve=] |p| with |a|.\n1. Return |p|.",
            [],
        ),
        (
            "1. Let |y| be the result of [=creating=] it with the following customizations:\n"
            "    * For the global object, make one. Let |z| be it.\n    * For the others, do |x|.\n1. Return |y| and |z|.",
            [],
        ),
        (
            "1. To [=hook=] given |y|, run these steps:\n    1. Do |x| and |y|.\n"
            "1. Go on with |z| being the value.\n1. Return |z|.",
            [],
        ),
        (
            "1. [=list/For each=] |y| of |x|:\n    1. Let |p| be [=a new promise=].\n    1. Set |y|'s [=act=] to |y|.\n"
            "    1. [=Queue a task=] to [=resolve=] |p| with |y|.",
            [],
        ),
        ("1. If |x| is 1, return 1.:\n1. Otherwise, return 2.:\n1. Return 3.", ["unreachable-step"]),
        ("1. Try these steps:\n    1. Return |x|.\n1. And then, if an exception was thrown, then return 1.", []),
        (
            "1. Let |y| be |x|'s [=node navigable=].\n1. If |y| is null, |x| is true, or |y|'s [=page=] is 1, return 1.\n"
            "1. Return |x|.",
            [],
        ),
    ],
)
def test_usual_sentences_of_other_texts_are_understood(steps: str, rules: list[str]) -> None:
    assert [one.rule for one in findings(steps)] == rules


def test_lists_of_inputs_and_outputs_are_parameters_and_results() -> None:
    head = "<pre class=metadata>\nTitle: A\n</pre>\n<div algorithm>\n## <dfn export>Go</dfn>\n\n"
    lists = "  : Input\n  :: |a|, a [=map=] or null\n  :: b, an optional string\n  : Output\n  :: |c|, a string\n\n"
    [algorithm] = lint_text(
        f"{head}{lists}  1. Let |c| be |a|.\n  1. Return |c| and |b|.\n</div>\n", Path("a.bs")
    ).text.algorithms
    assert algorithm.parameters == ("a", "b")
    assert (set(algorithm.nullable), set(algorithm.optional)) == ({"a"}, {"b"})


def test_argument_that_the_introduction_hands_on_is_read() -> None:
    head = "<pre class=metadata>\nTitle: A\n</pre>\n<div algorithm>\n"
    intro = (
        "The <dfn method for=A>load(|urls|)</dfn> method must [=import=] |urls|, with these steps given |request|:\n\n"
    )
    assert lint_text(f"{head}{intro}1. Return |request|.\n</div>\n", Path("a.bs")).findings == []


def test_member_of_a_dictionary_stays_in_parallel() -> None:
    steps = """1. If |x|["{{RunOptions/signal}}"] [=map/exists=], then:
    1. [=In parallel=]:
        1. Do |x|["{{RunOptions/signal}}"]."""
    assert findings(steps) == []
    assert [one.rule for one in findings(steps.replace("exists", "is empty"))] == ["untested-entry"]


@pytest.mark.parametrize(
    "behind", ["", " If this [=throws=] an exception, do |x|.", "\n    1. If that threw |e|, do |e|."]
)
def test_exception_in_parallel_that_callers_catch_is_no_finding(behind: str) -> None:
    called = "\n\n</div>\n\n<div algorithm>\nTo <dfn>dare</dfn> |x|:\n\n1. If |x| is 1, [=throw=] a {{TypeError}}.\n1. Do |x|."
    steps = f"1. [=In parallel=]:\n    1. [=Dare=] |x|.{behind}{called}"
    assert [one.rule for one in findings(steps)] == ([] if behind else ["script-in-parallel"])


@pytest.mark.parametrize("says", ["", "\n        1. [=Assert=]: these steps are running [=in parallel=]."])
def test_state_belongs_to_a_strand_in_a_text_that_speaks_of_strands(says: str) -> None:
    content = (
        "<pre class=metadata>\nTitle: A\n</pre>\nA {{Document}} has a <dfn for=Document>count</dfn>, a number.\n\n"
        "<div algorithm>\nTo <dfn export>go</dfn> given |x|:\n\n    1. Set |x|'s [=Document/count=] to 1.\n"
        f"    1. [=In parallel=]:{says}\n        1. Wait for |x|'s [=Document/count=].\n</div>\n"
    )
    found = [one.rule for one in lint_text(content, Path("a.bs")).findings]
    assert found == (["state-on-wrong-strand"] if says else [])


@pytest.mark.parametrize("algorithms", [2, 3])
def test_definition_that_many_algorithms_neglect_is_one_finding(algorithms: int) -> None:
    head = "<pre class=metadata>\nTitle: A\n</pre>\nA box has a <dfn for=box>lid</dfn>, a string or null.\n\n"
    one = "<div algorithm>\nTo <dfn export>go {}</dfn> given |x|:\n\n1. Do |x|'s [=box/lid=]'s [=length=].\n</div>\n\n"
    content = head + "".join(one.format("abc"[number]) for number in range(algorithms))
    found = lint_text(content, Path("a.bs")).findings
    assert [(one.rule, one.line) for one in found] == (
        [("untested-null", 4)] if algorithms == 3 else [("untested-null", 9), ("untested-null", 15)]
    )


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        ("an unique [=key=] of an hour", ["wrong-article"]),
        ("an `http:` URL and a `http:` URL", ["wrong-article"]),
        ("a URL, an [=url/origin=], a [=user agent=], a European |x| and an honest one", []),
        ("transaction A is an <code>HTML</code> element, and a `unit`", []),
        ("a <a>error</a>, a [=foo/item|entry=] and an {{Node}}", ["wrong-article"] * 3),
        ("the |the| the, and *a* a", []),
        ("the the one and the\n    the other", ["doubled-word"]),
    ],
)
def test_article_stands_before_its_sound_and_no_word_twice(words: str, rules: list[str]) -> None:
    content = (
        f"<pre class=metadata>\nTitle: A\n</pre>\n<div algorithm>\nTo <dfn export>go</dfn>:\n\n1. Do {words}.\n</div>"
    )
    found = lint_text(content, Path("a.bs")).findings
    assert [one.rule for one in found if one.rule in ("doubled-word", "wrong-article")] == rules
