"""The page of each step: what the text allows there, who deviates and since when, the smallest program, where to read on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from lxml.html import builder

from modelcontext.ground.words import counted
from modelcontext.judging.clients.properties import PROPERTIES
from modelcontext.programs.program.outcome import describe
from modelcontext.spec.specification.text.published import published_step
from modelcontext_site.pages import SitePage, render

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from modelcontext_site.built_text import BuiltText
    from modelcontext_site.knowledge import SiteKnowledge
    from modelcontext_site.known_deviations import SiteDeviation
    from modelcontext_site.known_tests import KnownTest
    from modelcontext_site.named_steps import NamedStep

#: The published text, whose anchors are ids of algorithms.
PUBLISHED: Final = "https://webmachinelearning.github.io/webmcp/"
#: The outcomes that a page shows at once.
SHOWN: Final = 3


def step_pages(knowledge: SiteKnowledge, text: BuiltText) -> Iterator[SitePage]:
    """Yield the page of each step."""
    steps = list(knowledge.steps.values())
    for index, one in enumerate(steps):
        near = [steps[other] if 0 <= other < len(steps) else None for other in (index - 1, index + 1)]
        tests = knowledge.tests.reaching(one.key)
        deviations = knowledge.deviations.at(one.key)
        smallest = knowledge.tests.smallest(one.key, {name for each in deviations for name in each.programs})
        others = [test for test in knowledge.tests.about(one.algorithm.id) if test.kind == "test" and test not in tests]
        outcomes = smallest.outcomes if smallest is not None else ()
        published = published_step("current", one.key)
        body = render(
            "step.html",
            one=one,
            above=list(_above(knowledge.steps, one)),
            below=[each for each in knowledge.steps.values() if _is_below(each, one)],
            words=text.step(one.algorithm.id, one.step.number),
            near=near,
            answer=answer(knowledge, deviations, tests),
            deviations=deviations,
            changing=knowledge.deviations.changing(one.key),
            knowledge=knowledge,
            smallest=smallest,
            outcomes=["\n".join(describe(outcome)) for outcome in outcomes[:SHOWN]],
            more=max(len(outcomes) - SHOWN, 0),
            shown=list(_shown(deviations, smallest)),
            reason=knowledge.reasons.get(one.key),
            tests=tests,
            others=others,
            issues=knowledge.issues_at(one.key),
            properties=[name for name, property_ in PROPERTIES.items() if property_.rests_on == one.key],
            published=published,
            published_at=f"{PUBLISHED}#{published.partition(' ')[0]}" if published else None,
        )
        title = f"{one.algorithm.name}, step {one.step.number}"
        yield SitePage(one.page, title, "text.html", body, "Step", one.step.text[:100])


def _shown(deviations: Sequence[SiteDeviation], test: KnownTest | None) -> Iterator[tuple[str, str]]:
    """Yield each product that deviates in a program, and what it shows."""
    for one in deviations:
        if test is not None and test.kind == "program" and test.name in one.programs:
            yield one.product, one.programs[test.name]


def answer(knowledge: SiteKnowledge, deviations: Sequence[SiteDeviation], tests: Sequence[object]) -> str:
    """Return in one sentence who leaves a step, and since when."""
    products: dict[str, list[str]] = {}
    for one in deviations:
        if not one.is_ours:
            since = one.since(knowledge.builds)
            products.setdefault(one.product.capitalize(), []).extend([since.words] if since is not None else [])
    if products:
        names = [
            f"{name} (since {' and '.join(dict.fromkeys(since))})" if since else name
            for name, since in products.items()
        ]
        return f"{_listed(names)} {'deviates' if len(names) == 1 else 'deviate'}"
    if tests:
        reached = counted(len(tests), "test reaches", "tests reach")
        return f"{reached} this step, and neither a browser nor the polyfill is known to deviate"
    return "No test reaches this step"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _above(steps: Mapping[str, NamedStep], one: NamedStep) -> Iterator[NamedStep]:
    """Yield the steps that contain a step, outermost first."""
    parts = one.step.number.split(".")
    for count in range(1, len(parts)):
        key = f"{one.algorithm.id} {'.'.join(parts[:count])}"
        if key in steps:
            yield steps[key]


def _is_below(other: NamedStep, one: NamedStep) -> bool:
    parent, _, _ = other.step.number.rpartition(".")
    return other.algorithm is one.algorithm and parent == one.step.number


def mark(knowledge: SiteKnowledge, one: NamedStep) -> HtmlElement:
    """Return the link from a step in the text to its page: who deviates, or the number of tests."""
    deviations = [each for each in knowledge.deviations.at(one.key) if not each.is_ours]
    tests = knowledge.tests.reaching(one.key)
    issues = knowledge.issues_at(one.key)
    products = list(dict.fromkeys(each.product for each in deviations))
    parts = [f"\u2717 {product}" for product in products] + [f"Issue {issue.number}" for issue in issues]
    if not parts:
        parts = [counted(len(tests), "test")] if tests else ["no test"]
    classes = "about deviates" if products else "about doubted" if issues else "about"
    link: HtmlElement = builder.A(
        ", ".join(parts),
        {"id": one.place, "href": f"site:{one.page}", "aria-label": f"Step {one.step.number}: {', '.join(parts)}"},
        builder.CLASS(classes),
    )
    return link
