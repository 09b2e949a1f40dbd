"""The reading of sentences: what they say, places, words that refer to others, and sentences with two readings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from speclint.prose.reading import read_prose
from speclint.prose.tokens import tokenize
from speclint.prose.tree import Place, Type
from speclint.text.source import read_text

if TYPE_CHECKING:
    from speclint.prose.prose_text import Step, Text

#: A sentence, and its tree on a line.
SENTENCES = [
    ("Let |x| be null.", "(Let(x, None))"),
    ("Let |x| be an empty [=list=] of [=origins=].",
     "(Let(x, ListOf((), Type(name='origin', arguments=(), may_be_null=False))))"),
    ("Let |x| be «[ \"a\" → 1, \"b; \" → « |y|, U+005F (_) » ]».",
     "(Let(x, MapOf((('a', 1), ('b; ', ListOf((y, '_'), None))))))"),
    ("Set |m|[|k|]'s [=box/lid=] to |a|[0].", "(Set(m[k].lid, a[0]))"),
    ("[=map/Set=] |m|[|k|] to |options|[\"{{TakeOptions/label}}\"].", "(Set(m[k], options.label))"),
    ("Set |x| to |options|'s {{TakeOptions/label}} if it [=map/exists=]; otherwise the empty string.",
     "(Set(x, Conditional(Exists(options.label), options.label, '')))"),
    ("Let |x| be |d|'s [=Document/box map=]'s [=map/size=].", "(Let(x, size(d.box map)))"),
    ("Let |x| be the [=map/keys=] of |d|'s [=Document/box map=].", "(Let(x, keys(d.box map)))"),
    ("Let |x| be the [=serialization of an origin|serialization=] of |d|'s [=Document/origin=].",
     "(Let(x, serialization(origin_of(d))))"),
    ("Return.", "(Return(None))"),
    ("Return the result of [=weighing=] given |f|, |u|, and |s|.", "(Return(Run(weigh, (f, u, s))))"),
    ("Return the result of [=weighing=] of |f|, given |u|, |s|, and true.", "(Return(Run(weigh, (f, u, s, True))))"),
    ("[=Remove a box=] given |d| and |n|.", "(Do(Run(remove-a-box, (d, n))))"),
    ("If |n| is a [=good name=], then return.", "(If(Run(good-name, (n)), (Return(None))))"),
    ("If |a| is not [=equal boxes|equal=] |b|, then return.", "(If(Not(Term(, equal boxes, (a, b))), (Return(None))))"),
    ("Let |b| be a new [=box=] whose [=box/lid=] is null, [=box/owner=] is |d|, and [=box/content=] is « ».",
     "(Let(b, NewStruct(box, ((lid, None), (owner, d), (content, ListOf((), None))))))"),
    ("Let |o| be a new {{TakeOptions}} whose {{TakeOptions/label}} is \"x\".",
     "(Let(o, NewDictionary(TakeOptions, ((label, 'x')))))"),
    ("Let |c| be a [=new=] {{AbortController}} created in |r|.", "(Let(c, NewObject(AbortController, r)))"),
    ("Let |c| be a new {{AbortController}} object.", "(Let(c, NewObject(AbortController, None)))"),
    ("If |a| and |b| are null, then return.", "(If(And((Is(a, None), Is(b, None))), (Return(None))))"),
    ("If either |a| or |b| is null, then return.", "(If(Or((Is(a, None), Is(b, None))), (Return(None))))"),
    ("[=exception/Throw=] an \"{{InvalidStateError}}\" {{DOMException}}.",
     "(ThrowException(NewException(DOMException, InvalidStateError, None)))"),
    ("Return [=a promise rejected with=] a {{TypeError}}.",
     "(Return(a_promise_rejected_with(NewException(TypeError, None, None))))"),
    ("Return [=a promise rejected with=] a newly [=exception/created=] {{TypeError}}.",
     "(Return(a_promise_rejected_with(NewException(TypeError, None, None))))"),
    ("[=Reject=] |p| with a [=new=] \"{{NotFoundError}}\" {{DOMException}} created in |r|.",
     "(Do(reject(p, NewException(DOMException, NotFoundError, r))))"),
    ("Run |b|'s [=box/last act=] given null and false.", "(Do(RunSteps(b.last act, (None, False))))"),
    ("[=In parallel=], [=remove a box=] given |d| and |n|.", "(InParallel((Do(Run(remove-a-box, (d, n))))))"),
    ("[=Queue a global task=] on the [=shelf task source=] given |g| to [=resolve=] |p| with undefined.",
     "(Do(queue_a_global_task(Term(, shelf task source, ()), g, Closure((), (Do(resolve(p, Undefined()))), False))))"),
    ("[=Assert=]: these steps are running [=in parallel=].", "(Assert(RunningInParallel()))"),
    ("Let |x| be the first of all [=list/items=] of |l| whose [=box/lid=] is |n|.",
     "(Let(x, First(l, Is(TheItem().lid, n), False)))"),
    ("Let |x| be the first of |l| that is not null and whose [=box/lid=] is |n|, or null.",
     "(Let(x, First(l, And((Not(Is(TheItem(), None)), Is(TheItem().lid, n))), True)))"),
    ("Let |x| be whether |l| [=list/contains=] |n|.", "(Let(x, contains(l, n)))"),
    ("Let |x| be |b|'s [=box/lid=], which is not null.", "(Let(x, NotNull(b.lid)))"),
    ("Let |s| be the result of [=serializing a JavaScript value to a JSON string=] given |v|. Rethrow any exception.",
     "(Let(s, serialize_a_javascript_value_to_a_json_string(v)), Rethrow())"),
    ("If that threw an exception |e|, then return [=a promise rejected with=] |e|.",
     "(OnException(e, (Return(a_promise_rejected_with(e)))))"),
    ("If |options|[\"{{TakeOptions/signal}}\"] is not given, then return.",
     "(If(Not(Exists(options.signal)), (Return(None))))"),
    ("If |options|[\"{{TakeOptions/label}}\"] is present, return.", "(If(Exists(options.label), (Return(None))))"),
    ("If |d| is no longer [=Document/fully active=], return.", "(If(Not(is_fully_active(d)), (Return(None))))"),
    ("[=iteration/While=] |l| is not [=list/is empty|empty=], [=list/remove=] |l|[0].",
     "(While(Not(is_empty(l)), (Do(remove(l[0])))))"),
    ("Upon rejection of |p| with reason |r|, [=reject=] |q| with |r|.", "(Upon(p, rejected, r, (Do(reject(q, r)))))"),
    ("Upon fulfillment of |p|, return.", "(Upon(p, fulfilled, None, (Return(None))))"),
    ("Unless |x| is null, then return.", "(If(Not(Is(x, None)), (Return(None))))"),
    ("Return |x| if |n| exceeds 3; otherwise return null.", "(Return(Conditional(is_greater_than(n, 3), x, None)))"),
    ("Run |y| given null and false, in parallel.", "(InParallel((Do(RunSteps(y, (None, False))))))"),
    ("Let |x| be a new [=ordered set=].", "(Let(x, ListOf((), None)))"),
    ("[=set/Append=] |n| to |x|.", "(Do(append_to_a_set(x, n)))"),
    ("[=Append=] |n| to |x|.", "(Do(append(x, n)))"),
    ("Set |m|[|k|] = |x|.", "(Set(m[k], x))"),
    ("Set |x| to |x| + 1.", "(Set(x, plus(x, 1)))"),
    ("Let |x| be |y| minus |l|'s [=list/size=].", "(Let(x, minus(y, size(l))))"),
    ("Increment |b|'s [=box/lid=] by 1.", "(Do(increment(b.lid, 1)))"),
    ('If |s| [=string/starts with=] "-" or "_", then return.', "(If(starts_with(s, '-', '_'), (Return(None))))"),
    ('If |s| is one of "a", "b" or "c", then return.', "(If(Or((Is(s, 'a'), Is(s, 'b'), Is(s, 'c'))), (Return(None))))"),
    ("If |l| already [=list/contains=] |n|, then return.", "(If(contains(l, n), (Return(None))))"),
    ("If |l| [=list/contains=] an [=origin=] that is [=same origin=] with |o|, then return.",
     "(If(AnyOf(l, same_origin(TheItem(), o)), (Return(None))))"),
    ("Let |x| be the result of [=weighing=], passing |f|, |u| and |s|.", "(Let(x, Run(weigh, (f, u, s))))"),
    ("If |x| is either null or equal to |y|, then return.", "(If(Or((Is(x, None), Is(x, y))), (Return(None))))"),
    ("If |x| is null then terminate these steps.", "(If(Is(x, None), (AbortSteps())))"),
    ("Otherwise if |x| is null, abort this algorithm.", "(OtherwiseIf(Is(x, None), (AbortSteps())))"),
    ("Let |x| be true if |y| is null, and false otherwise.", "(Let(x, Conditional(Is(y, None), True, False)))"),
    ("Let |x| be true if |y| is null, otherwise false.", "(Let(x, Conditional(Is(y, None), True, False)))"),
    ("Run |f| with null and false.", "(Do(RunSteps(f, (None, False))))"),
    ("[=Fire an event=] named {{Shelf/change}} at |s| using {{Event}} with its {{Event/type}} attribute set to |x|.",
     "(Do(fire_an_event('change', s, 'Event', 'type', x)))"),
    ("[=list/For each=] |x| in a [=list/clone=] of |l|, return.", "(ForEach((x), clone(l), list, (Return(None))))"),
    ("If |x| is not given, then return.", "(If(Not(IsGiven(x)), (Return(None))))"),
    ("If |s| contains a [=code point=] that is not an [=ASCII alphanumeric=] or U+002D (-), then return.",
     "(If(AnyOf(s, Not(Or((is_an_ascii_alphanumeric(TheItem()), Is(TheItem(), '-'))))), (Return(None))))"),
    ("If any [=list/item=] of |l| is null, then return.", "(If(AnyOf(l, Is(TheItem(), None)), (Return(None))))"),
    ("If |o| is neither [=same origin=] with |p| nor [=same origin=] with any [=list/item=] of |l|, then return.",
     "(If(Not(Or((same_origin(o, p), AnyOf(l, same_origin(o, TheItem()))))), (Return(None))))"),
    ("Otherwise, if |x| is null, then return.", "(OtherwiseIf(Is(x, None), (Return(None))))"),
    ("Optionally, [=report a warning to the console=] that describes |r|.",
     "(Optionally((Do(report_a_warning_to_the_console(r)))))"),
    ("Let |x| be the opposite of nothing.", None),
    ("Let |x| be |d|'s [=crate/weight=]'s.", None),
]  # fmt: skip

#: Conditions, and their trees: connectives, alternatives, and what "it" is.
CONDITIONS = [
    ('|v| is a [=string=], and is "1" or an [=ASCII case-insensitive=] match for "t"',
     "And((is_a_string(v), Or((Is(v, '1'), is_an_ascii_case_insensitive_match(v, 't')))))"),
    ('|k| is "a", or |k| is "b" and |m| [=map/is empty=]', "Or((Is(k, 'a'), And((Is(k, 'b'), is_empty(m)))))"),
    ('|k| is "a" or "b", or |k| is "c" and |m| [=map/is empty=]',
     "Or((Or((Is(k, 'a'), Is(k, 'b'))), And((Is(k, 'c'), is_empty(m)))))"),
    ('|k| is "a", "b", or "c"', "Or((Is(k, 'a'), Is(k, 'b'), Is(k, 'c')))"),
    ("|b|'s [=box/owner=] or [=box/heir=] is |d|", "Or((Is(b.owner, d), Is(b.heir, d)))"),
    ("|x| and |y| are multiples of 10", "And((is_a_multiple_of(x, 10), is_a_multiple_of(y, 10)))"),
    ('|b| is not null, and its [=box/state=] is "open" or "shut"',
     "And((Not(Is(b, None)), Or((Is(b.state, 'open'), Is(b.state, 'shut')))))"),
    ("|m|[|k|] does not [=map/exist=], or is not |b|", "Or((Not(Exists(m[k])), Not(Is(m[k], b))))"),
    ("|f| is null, or has no <{form/name}> attribute", "Or((Is(f, None), Not(has_attribute(f, 'name'))))"),
    ("|f| has no <{form/name}> attribute or no <{form/title}> attribute",
     "Or((Not(has_attribute(f, 'name')), Not(has_attribute(f, 'title'))))"),
    ("|f| has no <{form/name}> attribute, or its value is the empty string",
     "Or((Not(has_attribute(f, 'name')), Is(attribute_value(f, 'name'), '')))"),
    ("either |n| is the empty string, or its [=string/length=] is greater than 8, or if |n| is |k|",
     "Or((Is(n, ''), is_greater_than(code_unit_length(n), 8), Is(n, k)))"),
    ('it is not the case that |k| is "a" and |x| is null, or |k| is "b"',
     "Not(Or((And((Is(k, 'a'), Is(x, None))), Is(k, 'b'))))"),
    ('it is not the case that |k| is not "a"', "Is(k, 'a')"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "tree"), SENTENCES)
def test_sentence_has_one_reading_or_none(
    sentence: str, tree: str | None, steps_of: Callable[[str], tuple[Step, ...]], outline: Callable[[object], str]
) -> None:
    [step] = steps_of(f"1. {sentence}")
    assert [outline(reading) for reading in step.readings] == ([] if tree is None else [tree])
    assert (step.problem is None) is (tree is not None)


@pytest.mark.parametrize(("condition", "tree"), CONDITIONS)
def test_condition_has_one_reading(
    condition: str, tree: str, steps_of: Callable[[str], tuple[Step, ...]], outline: Callable[[object], str]
) -> None:
    [step] = steps_of(f"1. If {condition}, then return.")
    assert [outline(reading) for reading in step.readings] == [f"(If({tree}, (Return(None))))"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Let |x| be its [=box/lid=].",
        "Set |x| to its value.",
        "If |b| is null, then return. Set |x| to its [=box/lid=].",
        "If |x| is |b|'s [=box/lid=], then set |x| to its value.",
    ],
)
def test_pronoun_without_a_subject_in_the_same_sentence_is_not_understood(
    sentence: str, steps_of: Callable[[str], tuple[Step, ...]]
) -> None:
    [step] = steps_of(f"1. {sentence}")
    assert step.readings == ()
    assert step.problem is not None
    assert step.problem.kind == "not understood"


@pytest.mark.parametrize(
    "sentence",
    [
        "If |x| is null and |y| is null or |z| is null, then return.",
        "[=Queue a global task=] on the [=shelf task source=] given |g| to [=reject=] |p| with |e|, and abort these steps.",
    ],
)
def test_sentence_with_two_readings_is_a_problem(
    sentence: str, steps_of: Callable[[str], tuple[Step, ...]], outline: Callable[[object], str]
) -> None:
    [step] = steps_of(f"1. {sentence}")
    assert len({outline(reading) for reading in step.readings}) == 2
    assert step.problem is not None
    assert (step.problem.kind, step.problem.place) == ("two readings", step.place)


def test_reading_in_which_an_abort_ends_these_steps_comes_first(
    steps_of: Callable[[str], tuple[Step, ...]], outline: Callable[[object], str]
) -> None:
    task = "[=queue a global task=] on the [=shelf task source=] given |g| to [=reject=] |p| with |e|"
    [step] = steps_of(f"1. If |x| is null, then {task}, and abort these steps.")
    first, second = (outline(reading) for reading in step.readings)
    assert first.endswith("False))), AbortSteps())))")
    assert "AbortSteps()), False)" in second


def test_condition_governs_all_that_follows_in_its_sentence(
    steps_of: Callable[[str], tuple[Step, ...]], outline: Callable[[object], str]
) -> None:
    [step] = steps_of("1. If |x| is null, then run |y| given null and false, and abort these steps.")
    assert [outline(one) for one in step.readings] == [
        "(If(Is(x, None), (Do(RunSteps(y, (None, False))), AbortSteps())))"
    ]


@pytest.mark.parametrize(
    ("sentence", "tree"),
    [
        ("Perform the following steps [=in parallel=]:", "(InParallel((Below())))"),
        ("[=In parallel=], run these steps:", "(InParallel((Below())))"),
        ("If |x| is null, then perform the following steps:", "(If(Is(x, None), (Below())))"),
        ("For each |x| of |l|, run these steps:", "(ForEach((x), l, list, (Below())))"),
        ("While |l| [=list/is not empty=]:", "(While(Not(is_empty(l)), (Below())))"),
        ("[=Upon fulfillment=] of |p| with value |v|:", "(Upon(p, fulfilled, v, (Below())))"),
        (
            "[=Queue a global task=] on the [=shelf task source=] with |g| to perform these steps:",
            "(Do(queue_a_global_task(Term(, shelf task source, ()), g, Closure((), (Below()), False))))",
        ),
    ],
)
def test_words_that_introduce_the_steps_below_are_the_same_everywhere(
    sentence: str, tree: str, steps_of: Callable[[str], tuple[Step, ...]], outline: Callable[[object], str]
) -> None:
    [step] = steps_of(f"1. {sentence}\n    1. Return.")
    assert [outline(reading) for reading in step.readings] == [tree]


@pytest.mark.parametrize(
    "words", ["run the remaining steps [=in parallel=]:", "continue running these steps in parallel."]
)
def test_remaining_steps_that_run_in_parallel_are_those_below(
    words: str, steps_of: Callable[[str], tuple[Step, ...]], outline: Callable[[object], str]
) -> None:
    step, *others = steps_of(f"1. Return |p|, and {words}\n1. Let |x| be null.\n1. [=Resolve=] |p| with |x|.")
    assert [outline(reading) for reading in step.readings] == ["(InParallel((Below())), Return(p))"]
    assert (others, [one.number for one in step.steps]) == ([], ["2", "3"])


def test_steps_below_a_return_in_parallel_are_its_own(
    steps_of: Callable[[str], tuple[Step, ...]], outline: Callable[[object], str]
) -> None:
    step, other = steps_of("1. Return |p| and run these steps [=in parallel=]:\n    1. Return.\n1. Return.")
    assert [outline(reading) for reading in step.readings] == ["(InParallel((Below())), Return(p))"]
    assert [step.steps[0].number, other.number] == ["1.1", "2"]


def test_places_are_lines_and_columns_of_the_source(read: Callable[[str], Text]) -> None:
    steps = "1. Let |x| be\n    <var>y</var>'s [=box/lid=]. <!-- not yet -->\n1. If |x| is null:\n    1. Return\n        |x|."
    text = read(steps)
    algorithm = text.algorithms[-1]
    lines = text.source.lines
    nodes = [node for step in algorithm.walk() for reading in step.readings for part in reading for node in part.walk()]
    found = [lines[node.place.line - 1][node.place.column - 1 :][:9] for node in nodes]
    assert found == [
        "Let |x| b",
        "|x| be",
        "<var>y</v",
        "<var>y</v",
        "If |x| is",
        "|x| is nu",
        "|x| is nu",
        "null:",
        ":",
        "Return",
        "|x|.",
    ]
    assert [step.number for step in algorithm.walk()] == ["1", "2", "2.1"]


def test_cases_name_items_and_settled_promises(
    steps_of: Callable[[str], tuple[Step, ...]], outline: Callable[[object], str]
) -> None:
    steps = (
        "1. Let |b| be a new [=box=] with the following [=struct/items=]:\n\n"
        '    : [=box/lid=]\n    :: |n|, if |n| is not null; otherwise "x".\n\n'
        "1. [=promise/React=] to |p|:\n    * If |p| was fulfilled with value |v|:\n        1. Return.\n"
        "    * If |p| was rejected with reason |r|:\n        1. Return.\n"
    )
    read = [outline(reading) for step in steps_of(steps) for one in step.walk() for reading in one.readings]
    assert read == [
        "(Let(b, NewStruct(box, None)))",
        "(ItemCase(box, lid))",
        "(ItemValue(Conditional(Not(Is(n, None)), n, 'x')))",
        "(React(p))",
        "(WhenFulfilled(p, v))",
        "(Return(None))",
        "(WhenRejected(p, r))",
        "(Return(None))",
    ]


def test_introduction_that_has_the_steps_is_read(outline: Callable[[object], str]) -> None:
    content = "<pre class=metadata>\nTitle: A\n</pre>\n<div algorithm>\nTo <dfn>go</dfn> is to return null.\n</div>\n"
    [algorithm] = read_prose(read_text(content, Path("a.bs"))).algorithms
    assert [outline(reading) for step in algorithm.steps for reading in step.readings] == ["(Return(None))"]


def test_definitions_have_types_and_initial_values(
    read: Callable[[str], Text], outline: Callable[[object], str]
) -> None:
    text = read("1. Return.")
    assert [(one.name, one.type, one.is_optional) for one in text.algorithms[2].parameters] == [
        ("form", Type("form element"), False),
        ("unit", Type("string"), False),
        ("scale", Type("string"), False),
        ("exact", Type("boolean"), True),
    ]
    box = text.structs["box"].items
    assert {name: item.type for name, item in box.items()} == {
        "lid": Type("string", may_be_null=True),
        "content": Type("list", (Type("string"),)),
        "state": Type("one of", (Type("open"), Type("shut"), Type("lost"))),
        "last act": Type("steps", (Type("string", may_be_null=True), Type("boolean"))),
        "owner": Type("Document"),
        "heir": Type("Document"),
    }
    assert [outline(box[name].initially) for name in ("lid", "content", "owner")] == [
        "None",
        "ListOf((), None)",
        "None",
    ]
    assert box["owner"].initially is None
    assert text.state["document", "box map"].type == Type("map", (Type("box/lid"), Type("box")))
    assert outline(text.state["document", "box map"].initially) == "MapOf(())"
    assert text.types == {"closing acts": Type("steps", (Type("string", may_be_null=True), Type("boolean")))}


def test_place_is_ordered_by_line_and_column() -> None:
    assert sorted([Place(2, 1), Place(1, 9), Place(1, 2)]) == [Place(1, 2), Place(1, 9), Place(2, 1)]


@pytest.mark.parametrize(
    "sentence",
    [
        f"Let |x| be « {', '.join(['|y|'] * 2000)} ».",
        f"If {' or '.join(['|x| is |y|'] * 60)}, then return.",
        f"If |x| is {', '.join(['|y|'] * 200)}, or |z|, then return.",
        f"Let |x| be {'« ' * 2000}{'» ' * 2000}.",
        f"If {', and '.join(['|x| is null or |y| is null'] * 40)}, then return.",
    ],
)
def test_long_sentence_is_read_or_refused(sentence: str, steps_of: Callable[[str], tuple[Step, ...]]) -> None:
    [step] = steps_of(f"1. {sentence}")
    assert (len(step.readings) == 1) is (step.problem is None)


SAMPLE = (Path(__file__).parent / "sample.bs").read_text(encoding="utf-8")
FEW = "1. Let |n| be null.\n1. Return |n|.\n1. Frobnicate."
CHANGES = {
    "another step": ("1. Return |n|.", "1. Return failure."),
    "two lines more": ("1. Return |n|.", "1. Return\n    |n|."),
    "a step less": ("1. Let |n| be null.\n", ""),
    "another term": ("<dfn>heir</dfn>", "<dfn>child</dfn>"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_text_read_after_another_has_the_meaning_that_it_has_alone(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = SAMPLE.replace("STEPS", FEW)
    after = before.replace(*CHANGES[change])
    assert after != before
    read_prose(read_text(before, Path("sample.bs")))
    behind = read_prose(read_text(after, Path("sample.bs")))
    monkeypatch.setattr("speclint.prose.reading._READ", {})
    assert behind.algorithms == read_prose(read_text(after, Path("sample.bs"))).algorithms


def test_step_that_two_texts_have_in_common_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("speclint.prose.reading._READ", {})
    before = SAMPLE.replace("STEPS", FEW)
    read_prose(read_text(before, Path("sample.bs")))
    read: list[str] = []

    def note(raw: str, *rest: Any) -> Any:
        read.append(raw)
        return tokenize(raw, *rest)

    monkeypatch.setattr("speclint.prose.reading.tokenize", note)
    read_prose(read_text(before.replace("Return |n|.", "Return failure."), Path("sample.bs")))
    assert read == ["Return failure."]
