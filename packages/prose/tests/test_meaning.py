"""What sentences mean in Python: null, strands, yields, closures, realms, exceptions, and what has no meaning."""

from __future__ import annotations

from collections import deque

import pytest

from modelcontext.platform.infra.errors import NoMeaningError, rounds
from packages.prose.tests.small_texts import algorithm, code, compiled

DOCUMENT = "To <dfn>do it</dfn>, given a {{Document}} |document|"
STRINGS = "To <dfn>do it</dfn>, given a [=list=] of [=strings=] |strings|"


def test_looking_something_up_of_null_is_an_error_that_names_the_step() -> None:
    steps = ["Return |document|'s [=node navigable=]'s [=navigable/top-level traversable=]."]
    assert code(DOCUMENT, *steps) == 'return top_level_traversable(there(node_navigable(document), "do-it 1"))'


def test_value_that_was_asked_for_null_is_looked_into_without_a_check() -> None:
    steps = [
        "Let |navigable| be |document|'s [=node navigable=].",
        "If |navigable| is null, then return null.",
        "Return |navigable|'s [=navigable/top-level traversable=].",
    ]
    assert "there(" not in code(DOCUMENT, *steps)


def test_second_part_of_a_condition_knows_the_first() -> None:
    steps = [
        "Let |navigable| be |document|'s [=node navigable=].",
        "If |navigable| is not null and |navigable|'s [=navigable/active document=] is |document|, then return true.",
        "If |navigable| is null, or |navigable|'s [=navigable/active document=] is |document|, then return false.",
        "Return true.",
    ]
    assert "there(" not in code(DOCUMENT, *steps)


def test_assignment_makes_a_variable_nullable_again() -> None:
    steps = [
        "Let |navigable| be |document|'s [=node navigable=].",
        "If |navigable| is null, then return.",
        "Set |navigable| to |document|'s [=node navigable=].",
        "Let |top| be |navigable|'s [=navigable/top-level traversable=].",
    ]
    assert 'top_level_traversable(there(navigable, "do-it 4"))' in code(DOCUMENT, *steps)


def test_and_inside_of_or_keeps_the_precedence_of_the_sentence() -> None:
    steps = [
        'If |string| is not the empty string and |string| is "a", or |string| is "b", then return true.',
        "Return false.",
    ]
    given = "To <dfn>do it</dfn>, given a [=string=] |string|"
    assert code(given, *steps).startswith('if (string != "" and string == "a") or string == "b":')


def test_string_that_may_be_null_is_looked_into_before_it_grows() -> None:
    steps = ["Append U+0020 SPACE to |text|.", 'Append "a" to |text|.', "Return |text|."]
    assert code("To <dfn>do it</dfn>, given a [=string=] or null |text|", *steps).splitlines() == [
        'text = there(text, "do-it 1") + " "',
        'text += "a"',
        "return text",
    ]


def test_string_of_the_steps_around_does_not_grow_in_a_task() -> None:
    steps = [
        'Let |text| be "a".',
        "[=Queue a global task=] on the [=DOM manipulation task source=] given |global| to run these steps:",
        "    Append U+0020 SPACE to |text|.",
    ]
    found = compiled(algorithm("To <dfn>do it</dfn>, given a {{Window}} |global|", *steps))
    assert [one.message for one in found.program.refusals] == [
        '"text" is a variable of the outer steps, which these steps cannot set'
    ]


def test_number_is_asked_for_with_the_function_that_excludes_booleans() -> None:
    steps = ["If |value| is an integer, then return false.", "Return true if |value| is a number; otherwise false."]
    found = code("To <dfn>do it</dfn>, given |value|", *steps)
    assert "if is_an_integer(value):" in found
    assert "return is_a_number(value)" in found


def test_loop_goes_on_while_its_condition_is_true() -> None:
    steps = [
        "[=iteration/While=] |strings| is not [=list/is empty|empty=]:",
        "    [=list/Remove=] the first [=list/item=] from |strings|.",
        "Return |strings|.",
    ]
    assert code(STRINGS, *steps).splitlines() == [
        'for _ in rounds("do-it 1"):',
        "    if not strings:",
        "        break",
        "    strings.pop(0)",
        "return strings",
    ]


def test_loop_without_an_end_is_an_error_that_names_its_step() -> None:
    passed = rounds("do-it 1")
    with pytest.raises(NoMeaningError, match=r"^do-it 1 is a loop that does not end$"):
        deque(passed, maxlen=0)


def test_each_way_in_which_a_promise_is_settled_has_its_own_steps() -> None:
    steps = [
        "[=Upon fulfillment=] of |promise| with value |value|:",
        "    If |value| is undefined, then return.",
        "[=Upon rejection=] of |promise| with reason |reason|, [=reject=] |promise| with |reason|.",
    ]
    assert code("To <dfn>do it</dfn>, given a {{Promise}} |promise|", *steps).splitlines() == [
        "def fulfilled(value: JSValue) -> None:",
        "    if value is UNDEFINED:",
        "        return",
        "react(promise, fulfilled, lambda _: None)",
        "def rejected(reason: JSValue) -> None:",
        "    reject(promise, reason)",
        "react(promise, lambda _: None, rejected)",
    ]


def test_ordered_sets_and_numbers_change_as_the_words_say() -> None:
    steps = [
        "Let |seen| be a new [=ordered set=].",
        "Let |count| be 0.",
        "[=list/For each=] |string| of |strings|:",
        "    [=set/Append=] |string| to |seen|.",
        "    Increment |count| by 1.",
        "Return |count| minus |seen|'s [=list/size=].",
    ]
    assert code(STRINGS, *steps).splitlines() == [
        "seen: list[str] = []",
        "count = 0",
        "for string in strings:",
        "    append_to_a_set(seen, string)",
        "    count = count + 1",
        "return count - len(seen)",
    ]


def test_unknown_step_raises_where_it_is_reached_and_the_steps_above_it_run() -> None:
    found = compiled(
        algorithm(DOCUMENT, "Let |x| be |document|'s [=node navigable=].", "Frobnicate |x|.", "Return |x|.")
    )
    text = found.files["algorithms"]
    assert "x = node_navigable(document)" in text
    assert "raise NoMeaningError(" in text
    assert "do-it 2 has no meaning" in text
    assert [(one.algorithm, one.step.number) for one in found.program.refusals] == [("do-it", "2")]


def test_variable_that_no_step_defines_has_no_meaning() -> None:
    found = compiled(algorithm(DOCUMENT, "Return |other|."))
    assert [one.message for one in found.program.refusals] == ['no earlier step defines "other"']


def test_realm_that_no_sentence_names_is_that_of_this_or_an_error() -> None:
    found = compiled(algorithm(DOCUMENT, 'Return [=a promise rejected with=] an "{{AbortError}}" {{DOMException}}.'))
    assert [one.message for one in found.program.refusals] == ["these steps run in no realm: name one"]


def test_task_in_a_loop_keeps_what_the_iteration_binds() -> None:
    steps = [
        "[=list/For each=] |string| of |strings|:",
        "    [=Queue a global task=] on the [=DOM manipulation task source=] given |global| to [=do more=] given |string|.",
    ]
    given = "To <dfn>do it</dfn>, given a [=list=] of [=strings=] |strings| and a {{Window}} |global|"
    more = algorithm("To <dfn>do more</dfn>, given a [=string=] |string|", "Return.")
    assert "(string: str = string) -> None:" in code(given, *steps, others=more)


def test_steps_in_parallel_yield_between_acts_that_touch_shared_state() -> None:
    steps = [
        "[=In parallel=]:",
        "    Let |navigable| be |document|'s [=node navigable=].",
        "    If |navigable| is null, then return.",
        "    If |document| is [=Document/fully active=], then return.",
    ]
    assert code(DOCUMENT, *steps).splitlines()[2:] == [
        "    navigable = node_navigable(document)",
        "    if navigable is None:",
        "        return",
        "    yield",
        "    if is_fully_active(document):",
        "        return",
    ]


def test_one_yield_stands_before_a_condition_whose_branches_both_touch_shared_state() -> None:
    steps = [
        "[=In parallel=]:",
        "    Let |navigable| be |document|'s [=node navigable=].",
        "    If |navigable| is null, then [=do more=] given |document|.",
        "    Otherwise, [=do more=] given |document|.",
    ]
    more = algorithm(
        "To <dfn>do more</dfn>, given a {{Document}} |document|",
        "If |document| is [=Document/fully active=], then return.",
    )
    assert code(DOCUMENT, *steps, others=more).splitlines()[3:7] == [
        "    yield",
        "    if navigable is None:",
        "        yield from do_more(document)",
        "    else:",
    ]


def test_steps_in_parallel_that_touch_nothing_are_a_generator_all_the_same() -> None:
    steps = ["[=In parallel=]:", "    Return."]
    assert "yield from ()" in code(DOCUMENT, *steps)


def test_algorithm_that_only_parallel_steps_run_is_a_generator() -> None:
    steps = ["[=In parallel=]:", "    [=Do more=] given |document|."]
    more = algorithm(
        "To <dfn>do more</dfn>, given a {{Document}} |document|", "Let |x| be |document|'s [=node navigable=]."
    )
    assert "yield from do_more(document)" in code(DOCUMENT, *steps, others=more)


def test_algorithm_that_an_event_loop_runs_too_is_an_ordinary_function() -> None:
    steps = ["[=Do more=] given |document|.", "[=In parallel=]:", "    [=Do more=] given |document|."]
    more = algorithm(
        "To <dfn>do more</dfn>, given a {{Document}} |document|", "Let |x| be |document|'s [=node navigable=]."
    )
    assert "yield from do_more" not in code(DOCUMENT, *steps, others=more)


def test_algorithm_that_asserts_to_run_in_parallel_is_not_run_by_an_event_loop() -> None:
    more = algorithm(
        "To <dfn>do more</dfn>, given a {{Document}} |document|", "[=Assert=]: these steps are running [=in parallel=]."
    )
    found = compiled(algorithm(DOCUMENT, "[=Do more=] given |document|.") + more)
    assert [(one.step.number, one.message) for one in found.program.refusals] == [
        ("1", "do more runs only in parallel, but one of its callers does not run in parallel")
    ]


def test_exception_is_caught_around_the_step_before() -> None:
    steps = [
        "Let |text| be the result of [=serializing a JavaScript value to a JSON string=] given |value|.",
        "If that threw an exception |error|, then [=throw=] |error|.",
        "Return |text|.",
    ]
    given = "To <dfn>do it</dfn>, given a JavaScript value |value|"
    assert code(given, *steps).splitlines() == [
        "try:",
        "    text = serialize_a_javascript_value_to_a_json_string(value)",
        "except Throw as error:",
        "    raise Throw(error.value)",
        "return text",
    ]


def test_list_that_begins_empty_has_the_type_of_what_is_put_in() -> None:
    steps = [
        "Let |found| be an empty [=list=].",
        "[=list/Append=] |document|'s [=Document/origin=] to |found|.",
        "Return |found|.",
    ]
    assert code(DOCUMENT, *steps).startswith("found: list[Origin] = []")


def test_otherwise_without_a_condition_before_has_no_meaning() -> None:
    found = compiled(algorithm(DOCUMENT, "Let |x| be |document|.", "Otherwise, return |x|."))
    assert [one.message for one in found.program.refusals] == ["no earlier step tests a condition"]


@pytest.mark.parametrize("name", ["list", "item", "maximum", "global"])
def test_variable_never_hides_a_function_that_the_code_needs(name: str) -> None:
    steps = [f"Let |{name}| be |document|.", f"Return |{name}|."]
    assert code(DOCUMENT, *steps).splitlines()[0] in (f"{name}_ = document", f"{name} = document")


def test_steps_of_a_variable_that_run_in_parallel_return_at_once() -> None:
    steps = [
        "Let |later| be an algorithm that takes a [=string=] |string|, and runs the following steps [=in parallel=]:",
        "    Let |navigable| be |document|'s [=node navigable=].",
        'Run |later| given "a".',
    ]
    found = code(DOCUMENT, *steps).splitlines()
    assert found[:2] == ["def later(string: str) -> None:", "    @in_parallel"]
    assert found[-1] == 'later("a")'


def test_steps_that_an_item_holds_go_by_the_name_of_the_variable_too() -> None:
    definitions = """
A <dfn>call</dfn> is a [=struct=] with the following [=struct/items=]:

<dl dfn-for=call>
: <dfn>later steps</dfn>
:: an algorithm
</dl>
"""
    steps = [
        "Let |laterSteps| be an algorithm that takes a [=string=] |string|, and runs the following steps [=in parallel=]:",
        "    Return.",
        "Let |call| be a new [=call=] whose [=call/later steps=] is |laterSteps|.",
        "[=In parallel=]:",
        '    Run |call|\'s [=call/later steps=] given "a".',
    ]
    found = code(DOCUMENT, *steps, definitions=definitions)
    assert "yield from call.later_steps" not in found


def test_steps_that_only_sometimes_return_a_value_have_no_meaning() -> None:
    steps = ["If |document| is [=Document/fully active=], then return |document|.", "Let |x| be |document|."]
    found = compiled(algorithm(DOCUMENT, *steps))
    message = "these steps return a value, but can come to their end without one"
    assert [(one.step.number, one.message) for one in found.program.refusals] == [("2", message)]


def test_steps_whose_last_condition_always_returns_have_a_result() -> None:
    steps = [
        "Let |text| be the result of [=serializing a JavaScript value to a JSON string=] given |value|.",
        "If that threw an exception, then return null.",
        "If |text| is null, then return null.",
        "Otherwise, return |text|.",
    ]
    assert compiled(algorithm("To <dfn>do it</dfn>, given a JavaScript value |value|", *steps)).program.refusals == []


COLLECTED = """
A <dfn>collection</dfn> is an [=implementation-defined=] structure containing at least <dfn for=collection>names</dfn>,
which is a [=map=] whose [=map/keys=] are [=Document/number=]s, and whose [=map/values=] are [=strings=].

Each {{Document}} has a <dfn for=Document>number</dfn>, a [=unique internal value=].
"""


def test_struct_that_is_made_without_items_has_empty_maps() -> None:
    steps = [
        "Let |collection| be a new [=collection=].",
        "Set |collection|'s [=collection/names=][|document|'s [=Document/number=]] to \"a\".",
    ]
    assert code(DOCUMENT, *steps, definitions=COLLECTED).splitlines()[:2] == [
        "collection = Collection(names=OrderedMap())",
        'collection.names.set(number(document), "a")',
    ]
    model = compiled(algorithm(DOCUMENT, *steps), COLLECTED).files["model"]
    assert "names: OrderedMap[int, str]" in model


def test_map_that_only_some_steps_have_does_not_become_an_item() -> None:
    steps = [
        "Let |names| be an empty [=map=].",
        "Return a new [=collection=] whose [=collection/names=] is |names|.",
    ]
    found = compiled(algorithm(DOCUMENT, *steps), COLLECTED)
    assert [(one.step.number, one.message) for one in found.program.refusals] == [
        ("2", "a map that only these steps use cannot become the value of an item: first set the item to an empty map")
    ]


def test_state_that_comes_with_a_document_cannot_be_set() -> None:
    found = compiled(algorithm(DOCUMENT, "Set |document|'s [=Document/number=] to 0."), COLLECTED)
    assert [one.message for one in found.program.refusals] == [
        '"number" gets its value with its object, and no step can set it'
    ]


def test_parameter_that_need_not_be_given_is_absent_then() -> None:
    callee = algorithm(
        "To <dfn>tell</dfn>, given a [=string=] |name| and optionally a [=string=] |other|",
        "If |other| is given and is not |name|, then return true.",
        "Return false.",
    )
    introduction = "To <dfn>do it</dfn>, given a [=string=] |name|"
    one = code(introduction, "Return the result of [=tell=] given |name|.", others=callee)
    two = code(introduction, "Return the result of [=tell=] given |name| and |name|.", others=callee)
    assert (one, two) == ("return tell(name)", "return tell(name, name)")
    function = compiled(callee).files["algorithms"]
    assert "def tell(name: str, other: str | Absent = ABSENT)" in function
    assert "other is not ABSENT and other != name" in function


def test_variable_that_is_null_before_other_steps_run_is_compared_by_its_value_then() -> None:
    steps = [
        "Let |known| be null.",
        "[=In parallel=]:",
        "    If |document| is |known|, then return.",
        "Set |known| to |document|.",
    ]
    assert "if document is known:" in code(DOCUMENT, *steps)
