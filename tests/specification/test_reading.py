"""The reader of built HTML, rule by rule."""

from __future__ import annotations

import pytest

from modelcontext.spec.specification import Algorithm, Parameter, Section, SpecificationError
from modelcontext.spec.specification.text.reader import Specification, read_specification


def page(body: str) -> str:
    return f"""<!doctype html><meta charset=utf-8><dl><dt>Revision:<dd>2026-10</dl>
<h2 class=settled data-level=3 id=things><span class=secno>3. </span><span class=content>The things</span></h2>{body}"""


def read(body: str) -> Specification:
    return read_specification(page(body))


def algorithm(
    steps: str, introduction: str = "To <dfn id=make data-dfn-type=dfn>make a thing</dfn> of <var>base thing</var>:"
) -> Algorithm:
    (only,) = read(f"<div data-algorithm=x>{introduction}<ol>{steps}</ol></div>").algorithms
    return only


def steps(text: str) -> list[tuple[str, str]]:
    return [(step.number, step.text) for step in algorithm(text).steps]


def test_algorithm_has_id_and_name_of_its_dfn() -> None:
    only = algorithm("<li>Return.")
    assert (only.id, only.name, only.function, only.kind) == (
        "make",
        "make a thing",
        "make_a_thing",
        "abstract operation",
    )
    assert only.parameters == (Parameter("base thing", "base_thing"),)
    assert only.section == Section("3", "The things", "things")
    assert not only.in_parallel


def test_method_takes_this_and_the_variables_of_its_dfn() -> None:
    only = algorithm(
        "<li>Return.",
        "The <dfn id=dom-a-do data-dfn-type=method>doIt(<var>inputObject</var>, <var>global</var>)</dfn> method steps are:",
    )
    assert (only.kind, only.name, only.function) == ("method", "doIt", "do_it")
    assert [parameter.identifier for parameter in only.parameters] == ["this", "input_object", "global_"]


@pytest.mark.parametrize("kind", ["getter", "setter"])
def test_attribute_is_a_getter_or_setter_by_its_introduction(kind: str) -> None:
    only = algorithm("<li>Return.", f"The <dfn id=dom-a-b data-dfn-type=attribute>b</dfn> {kind} steps are:")
    assert (only.kind, only.parameters) == (kind, (Parameter("this", "this"),))
    with pytest.raises(SpecificationError, match="'getter steps' or 'setter steps'"):
        algorithm("<li>Return.", "The <dfn id=dom-a-b data-dfn-type=attribute>b</dfn> steps are:")


def test_steps_are_numbered_through_their_lists() -> None:
    assert steps("<li>One:<ol><li>In one.<li>Again.</ol><li>Two.") == [
        ("1", "One:"),
        ("1.1", "In one."),
        ("1.2", "Again."),
        ("2", "Two."),
    ]


def test_cases_are_lettered() -> None:
    text = (
        "<li>One.<li>React:<dl><dt>If so:<dd><ol><li>Yes.<li>Then:<ol><li>Deep.</ol></ol>"
        "<dt>If not:<dd><ol><li>No.</ol></dl>"
    )
    assert [number for number, _ in steps(text)] == ["1", "2", "2.a", "2.a.1", "2.a.2", "2.a.2.1", "2.b", "2.b.1"]
    assert dict(steps(text))["2.b"] == "If not:"


def test_two_paragraphs_are_one_step() -> None:
    assert steps("<li><p>First this.</p><ol><li>Inner.</ol><p>And  then\nthat.</p>") == [
        ("1", "First this. And then that."),
        ("1.1", "Inner."),
    ]


def test_notes_examples_and_issues_are_not_steps() -> None:
    assert steps(
        "<li>Do it.<p class=note>Mind <var>this</var>.</p><div class='example x'><ol><li>Not a step.</ol></div>"
        "<p class=issue>Hm.</p><a class=self-link href=#x>¶</a>"
    ) == [("1", "Do it.")]


def test_variables_in_notes_are_not_parameters() -> None:
    only = algorithm("<li>Return.", "To <dfn id=make data-dfn-type=dfn>make</dfn>:<p class=note>See <var>x</var>.</p>")
    assert only.parameters == ()


def test_quotation_marks_are_straight() -> None:
    assert steps("<li>Let x be y\u2019s \u201cname\u201d.") == [("1", 'Let x be y\'s "name".')]


def test_assertion_in_the_first_step_marks_an_algorithm_in_parallel() -> None:
    assert algorithm("<li>Assert: these steps are running <a href=#p>in parallel</a>.<li>Return.").in_parallel


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<div data-algorithm=x>To do:<ol><li>Return.</ol></div>", "has no dfn with an id"),
        ("<div data-algorithm=x>To <dfn id=d>do</dfn>: return.</div>", "0 lists of steps"),
        ("<div data-algorithm=x><dfn id=d>do</dfn><ol><li>A</ol><ol><li>B</ol></div>", "2 lists of steps"),
        ("<div data-algorithm=x><dfn id=d>do</dfn><ol><li>A.<ul><li>B</ul></ol></div>", "step 1: a bulleted list"),
        ("<div data-algorithm=x><dfn id=d>do</dfn><ol><li><ol><li>B.</ol></ol></div>", "step 1: the step has no text"),
        ("<div data-algorithm=x><dfn id=d>do</dfn><ol><li>Let [=x=] be.</ol></div>", r"'\[=' was not understood"),
        ("<div data-algorithm=x><dfn id=d>do</dfn><ol><li>Let |x be.</ol></div>", r"'\|' was not understood"),
        (
            "<div data-algorithm=x><dfn id=d>do</dfn><ol><li><a data-link-type=dfn>fly</a>.</ol></div>",
            "nothing defines 'fly'",
        ),
        ("<div data-algorithm=x><dfn id=d>do</dfn><ol><li>A.</ol></div>" * 2, "two algorithms have the id d"),
    ],
)
def test_text_that_breaks_a_rule_is_refused(body: str, message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        read(body)


def test_revision_is_read_and_required() -> None:
    assert read("").revision == "2026-10"
    with pytest.raises(SpecificationError, match="!Revision"):
        read_specification("<p>Nothing.")


def test_idl_is_read_once_without_its_index() -> None:
    specification = read(
        "<pre class='def idl'>interface <b>A</b> {};\n</pre><p class=issue id=issue-1>Hm.<p class=issue>And."
        "<pre class='def idl'>\ninterface B {};</pre><h2 id=idl-index>IDL Index</h2><pre class=idl>interface A {};</pre>"
    )
    assert specification.idl == "interface A {};\n\ninterface B {};\n"
    assert specification.issues == ["issue-1"]
