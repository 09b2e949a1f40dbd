"""Words that people and readers of screens get with a control, and that no schema reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.nodes import TreeScope
from modelcontext.spec.verbs.form_verbs import nearest_fieldset

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement

_WORDS: Final = ("aria-label", "title", "placeholder")
_IDS: Final = ("aria-labelledby", "aria-describedby")


def unread_words(members: Sequence[FormAssociatedElement], description: str) -> Mapping[str, str]:
    """Return the words that stand with the controls of a parameter and not in its description, by their attribute.

    A legend has its words without an attribute, and "legend" stands for it.
    """
    found: dict[str, str] = {}
    for name, text in _words_of_group(members) if len(members) > 1 else _words_of(members[0], (*_IDS, *_WORDS)):
        words = " ".join(text.split())
        if words and words.lower() not in " ".join(description.split()).lower():
            found.setdefault(name, words)
    return found


def _words_of_group(members: Sequence[FormAssociatedElement]) -> Iterator[tuple[str, str]]:
    fieldset = nearest_fieldset(members)
    if fieldset is not None:
        legend = next(
            (one for one in fieldset.children if isinstance(one, Element) and one.local_name == "legend"), None
        )
        yield from _words_of(fieldset, (*_IDS, "aria-label", "title"))
        if legend is not None:
            yield "legend", legend.descendant_text_content
    for ancestor in members[0].ancestors:
        if isinstance(ancestor, Element) and ancestor.attributes.get("role") in ("group", "radiogroup"):
            yield from _words_of(ancestor, (*_IDS, "aria-label"))


def _words_of(element: Element, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    root = element.root
    for name in names:
        value = element.get_attribute(name) or ""
        if name not in _IDS:
            yield name, value
        elif isinstance(root, TreeScope):
            targets = (root.get_element_by_id(id_) for id_ in value.split()[:10])
            yield name, " ".join(target.descendant_text_content for target in targets if target is not None)
