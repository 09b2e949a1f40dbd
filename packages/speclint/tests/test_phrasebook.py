"""The phrasebook: each phrase is read as itself, and as nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from speclint.prose.phrasebook import PHRASEBOOK
from speclint.prose.phrasebook.patterns import Element, LinkTo, Slot, elements_of
from speclint.prose.tree import Call, Exists
from speclint.prose.vocabulary_page import vocabulary_page

if TYPE_CHECKING:
    from speclint.prose.phrasebook.phrase import Phrase
    from speclint.prose.prose_text import Step

#: What stands in a slot of each type that is no expression.
FILLED = {
    "feature": '"light"',
    "event": "input",
    "attribute": "<{input/name}>",
    "tag": "<{input}>",
    "member": "{{Event/bubbles}}",
    "interface": "{{Event}}",
    "reference": "{{%Object.prototype%}}",
    "steps": "return",
    "below": ":\n    1. Return.",
    "condition": "|y| is null",
    "values": "|y| and |z|",
    "entry": "|m|[|k|]",
    "literal": '"a"',
    "text": "all is well",
    "task source": "[=shelf task source=]",
}


def example(phrase: Phrase) -> str:
    """Return a step that says a phrase."""
    words = ""
    for element in elements_of(phrase.pattern):
        text = _written(element)
        words += text if text in {"'s", ",", ":"} or text.startswith(":") else f" {text}"
    words = words.strip().replace("a <{input}>", "an <{input}>")
    if phrase.kind == "act":
        return f"{words[0].upper()}{words[1:]}" + ("" if words.endswith("Return.") else ".")
    return f"If {words}, then return." if phrase.kind == "test" else f"Let |v| be {words}."


def _written(element: Element) -> str:
    if isinstance(element, Slot):
        return FILLED.get(element.type, f"|{element.name}|")
    if isinstance(element, LinkTo):
        target, _, shown = element.text.partition("|")
        owners, _, term = target.rpartition("/")
        owner = owners.partition("&")[0]
        return f"[={owner + '/' if owner else ''}{term}{'|' + shown if shown else ''}=]"
    return f'"{element.text}"' if getattr(element, "kind", "") == "string" else element.text


@pytest.mark.parametrize("phrase", PHRASEBOOK, ids=lambda phrase: phrase.pattern)
def test_phrase_is_read_as_itself_alone(phrase: Phrase, steps_of: Callable[[str], tuple[Step, ...]]) -> None:
    if phrase.result == "task source":
        step_text = f"[=Queue a global task=] on the {_written(elements_of(phrase.pattern)[0])} given |g| to return."
    else:
        step_text = example(phrase)
    [step, *_] = steps_of(f"1. {step_text}")
    assert len(step.readings) == 1, step_text
    nodes = [node for statement in step.readings[0] for node in statement.walk()]
    if phrase.verb == "exists":
        assert any(isinstance(node, Exists) for node in nodes)
    else:
        assert phrase in [node.phrase for node in nodes if isinstance(node, Call)]


def test_no_pattern_occurs_twice() -> None:
    assert [pattern for pattern, count in Counter(phrase.pattern for phrase in PHRASEBOOK).items() if count > 1] == []


@pytest.mark.parametrize("phrase", PHRASEBOOK, ids=lambda phrase: phrase.pattern)
def test_names_in_other_columns_are_slots_of_the_pattern(phrase: Phrase) -> None:
    values = {name: f"<{name}>" for name in phrase.slots}
    known = {one.call for one in PHRASEBOOK}
    assert set(phrase.parameters) <= set(phrase.slots)
    assert all(not call or call in known for call in (phrase.exists, phrase.its_value))
    assert phrase.render(values).count("<") == sum(phrase.render(values).count(f"<{name}>") for name in phrase.slots)


def test_call_is_rendered_with_the_values_of_slots() -> None:
    phrase = next(one for one in PHRASEBOOK if one.call == "fire_an_event(name, target, interface, {attribute: value})")
    values = {"name": "'open'", "target": "box", "interface": "'BoxEvent'", "attribute": "'lid'", "value": "lid"}
    assert phrase.render(values) == "fire_an_event('open', box, 'BoxEvent', {'lid': lid})"
    assert phrase.parameters == ("name", "target", "interface", "attribute", "value")


def test_page_has_every_phrase() -> None:
    rows = [line for line in vocabulary_page().splitlines() if line.startswith("| `")]
    assert len(rows) == len(PHRASEBOOK)
