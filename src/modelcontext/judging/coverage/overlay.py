"""The built specification with the coverage of every step, as one file of HTML that works from ``file://``."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import lxml.html
from lxml.html import HtmlElement, builder

from modelcontext.ground.words import counted
from modelcontext.judging.coverage.coverage import Coverage, Extent
from modelcontext.spec.specification.text.built_html import add_anchors, anchor, elements

if TYPE_CHECKING:
    from modelcontext.programs.tracing.instrumentation import Condition, StepOf

_MARKS: Final = {
    Extent.FULL: ("\u2713", "reached"),
    Extent.PARTIAL: ("\u25d0", "reached in part"),
    Extent.NONE: ("\u2717", "not reached"),
    Extent.EXCUSED: ("\u2013", "no program can reach this"),
}


def overlay(coverage: Coverage, html: str) -> str:
    """Return the built text of a revision with its steps marked, followed by the tests with their steps."""
    document = lxml.html.document_fromstring(html)
    steps = add_anchors(document)
    for step in coverage.inventory.steps:
        element = steps.get((step.algorithm, step.number))
        if element is not None:
            _mark(element, coverage, step)
    head, body = elements(document, "/html/head")[0], elements(document, "/html/body")[0]
    head.append(builder.STYLE(_asset("overlay.css")))
    body.insert(0, _summary(coverage))
    body.append(_tests(coverage))
    data = {**coverage.to_data(), "summaries": _summaries(coverage)}
    body.append(_script(json.dumps(data), "application/json", "coverage-data"))
    body.append(_script(_asset("overlay.js"), "module"))
    text: str = lxml.html.tostring(document, encoding="unicode", doctype="<!doctype html>")
    return text


def _asset(name: str) -> str:
    return files("modelcontext.judging.coverage").joinpath(name).read_text(encoding="utf-8")


def _script(content: str, type_: str, id_: str | None = None) -> HtmlElement:
    script: HtmlElement = builder.E.script(type=type_, **({"id": id_} if id_ else {}))
    script.text = content.replace("</", "<\\/")
    return script


def _mark(element: HtmlElement, coverage: Coverage, step: StepOf) -> None:
    """Add the extent of a step, its conditions and its tests after the step's own text."""
    extent, mark, words, label = _step_summary(coverage, step)
    element.set("class", f"{element.get('class')} coverage-{extent}")
    summary = builder.E.summary(
        builder.SPAN(mark, {"aria-hidden": "true"}, builder.CLASS("coverage-mark")),
        builder.SPAN(words, builder.CLASS("coverage-words")),
        {"aria-label": label},
    )
    details = builder.E.details(summary, builder.CLASS("coverage"), {"data-step": str(step)})
    if str(step) in coverage.reasons:
        details.append(builder.P(coverage.reasons[str(step)]))
    for condition in coverage.conditions_of(step):
        details.append(_condition(coverage, condition))
    lists = elements(element, "./ol | ./dl")
    if lists:
        lists[0].addprevious(details)
    else:
        element.append(details)


def _step_summary(coverage: Coverage, step: StepOf, kind: str | None = None) -> tuple[Extent, str, str, str]:
    """Return the extent of a step by one kind of tests or all, with its mark, in words, and in words for a screen reader."""
    extent = coverage.extent(step, kind)
    mark, words = _MARKS[extent]
    count = len(coverage.reaching(str(step), kind))
    tests = _counted(count)
    label = f"{step.algorithm} step {step.number}: {words}, {tests}"
    return extent, mark, f" {words}" + (f", {tests}" if count else ""), label


def _summaries(coverage: Coverage) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the summary of each step by each kind of tests; the empty kind is all of them."""
    return {
        kind or "": {str(step): _step_summary(coverage, step, kind) for step in coverage.inventory.steps}
        for kind in (None, *coverage.kinds)
    }


def _counted(tests: int) -> str:
    return f"{tests} {'test' if tests == 1 else 'tests'}"


def _condition(coverage: Coverage, condition: Condition) -> HtmlElement:
    found = builder.P(builder.CODE(condition.text), builder.CLASS("coverage-condition"))
    for name, side in zip(("yes", "no"), condition.sides, strict=True):
        count = len(coverage.reaching(side))
        if count:
            words = f"\u2713 {name}: {_counted(count)}"
        elif side in coverage.reasons:
            words = f"\u2013 {name}: {coverage.reasons[side]}"
        else:
            words = f"\u2717 {name}: not reached"
        found.append(builder.SPAN(words))
    return found


def _summary(coverage: Coverage) -> HtmlElement:
    rows = []
    for kind in (*coverage.kinds, None):
        tally = coverage.tally(kind)
        rows.append(
            builder.TR(
                builder.TH(kind or "all together", {"scope": "row"}),
                builder.TD(f"{tally.steps} of {tally.of_steps}"),
                builder.TD(f"{tally.sides} of {tally.of_sides}"),
            )
        )
    table = builder.TABLE(
        builder.E.thead(
            builder.TR(*(builder.TH(name, {"scope": "col"}) for name in ("Reached by", "Steps", "Sides of conditions")))
        ),
        builder.E.tbody(*rows),
    )
    legend = builder.P(
        *(
            builder.SPAN(f"{mark} {words}", builder.CLASS(f"coverage-legend coverage-{extent}"))
            for extent, (mark, words) in _MARKS.items()
        )
    )
    choice = builder.E.label(
        "Show what is reached by ",
        builder.E.select(
            builder.E.option("all together", value=""),
            *(builder.E.option(kind, value=kind) for kind in coverage.kinds),
            id="coverage-kind",
        ),
    )
    links = builder.P(builder.A("The tests, and the steps that each reaches", href="#coverage-tests"))
    missed = coverage.missed()
    parts = [
        builder.H2(f"Coverage of the revision {coverage.revision}", id="coverage", **{"class": "no-num no-toc"}),
        table,
        legend,
        builder.P(choice),
        links,
    ]
    if missed:
        items = [builder.LI(builder.A(key, href=f"#{_anchor_of(key)}")) for key in missed]
        parts.append(builder.E.details(builder.E.summary(f"Not reached: {len(missed)}"), builder.UL(*items)))
    return builder.E.section(*parts, **{"class": "coverage-summary", "aria-labelledby": "coverage"})


def _anchor_of(key: str) -> str:
    algorithm, number, *_ = key.split(" ")
    return anchor(algorithm, number)


def _tests(coverage: Coverage) -> HtmlElement:
    """Return the tests by kind; the script adds the steps of a test when it is opened."""
    parts = [builder.H2("Tests", id="coverage-tests", **{"class": "no-num no-toc"})]
    for kind in coverage.kinds:
        parts.append(builder.H3(kind, **{"class": "no-num no-toc"}))
        for index, test in enumerate(coverage.tests):
            if test.kind == kind:
                count = sum(str(step) in test.keys for step in coverage.inventory.steps)
                summary = builder.E.summary(f"{test.name}: {counted(count, 'step')}")
                parts.append(builder.E.details(summary, id=f"coverage-test-{index}", **{"class": "coverage-test"}))
    return builder.E.section(*parts, **{"class": "coverage-tests", "aria-labelledby": "coverage-tests"})
