"""The addresses of steps: made of words, each once, the same when other steps come or go."""

from __future__ import annotations

from dataclasses import replace

import pytest

from modelcontext.spec.specification import Step, load_algorithms
from modelcontext_site.addresses import names_of_steps, relative, slug

ALGORITHMS = load_algorithms()


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.id)
def test_each_step_of_an_algorithm_has_a_name_of_its_own(algorithm: object) -> None:
    names = names_of_steps(algorithm)  # type: ignore[arg-type]
    assert len(set(names.values())) == len(names)


def test_name_of_a_step_is_the_same_after_a_step_was_added_before_it() -> None:
    [algorithm] = [one for one in ALGORITHMS if one.id == "valid-tool-name"]
    renumbered = [
        replace(step, number=str(int(step.number.partition(".")[0]) + 1) + step.number[1:]) for step in algorithm.steps
    ]
    later = replace(algorithm, steps=(Step("1", "Assert: this step is new."), *renumbered))
    assert list(names_of_steps(later).values())[1:] == list(names_of_steps(algorithm).values())


def test_steps_with_the_same_words_have_the_words_of_the_step_above() -> None:
    steps = (Step("1", "If a is null:"), Step("1.1", "Return."), Step("2", "If b is null:"), Step("2.1", "Return."))
    names = names_of_steps(replace(ALGORITHMS[0], steps=steps))
    assert names == {
        "1": "if-a-is-null",
        "1.1": "if-a-is-null.return",
        "2": "if-b-is-null",
        "2.1": "if-b-is-null.return",
    }


def test_address_has_the_first_words_only() -> None:
    assert slug("Let |a| be: the «first», second, third of five", 4) == "let-a-be-the"


def test_links_are_relative_to_the_page() -> None:
    page = '<a href="site:index.html">x</a><a href="site:a/b.html#c">y</a><code>href=&quot;site:</code>'
    expected = '<a href="../index.html">x</a><a href="#c">y</a><code>href=&quot;site:</code>'
    assert relative(page, "a/b.html") == expected
