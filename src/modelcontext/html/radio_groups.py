"""Radio button groups (https://html.spec.whatwg.org/#radio-button-group), kept where their members have the form or tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, cast

if TYPE_CHECKING:
    from modelcontext.html.forms import FormAssociatedElement

_RADIO_GROUPS: Final = "radio button groups"


class RadioGroup:
    """A radio button group; at most one of its members is checked."""

    __slots__ = ("checked", "members")

    def __init__(self) -> None:
        self.members: dict[RadioButton, None] = {}
        self.checked: RadioButton | None = None


class RadioButton(Protocol):
    """An input whose type may be Radio Button."""

    checkedness: bool
    radio_group: RadioGroup | None


def note_checkedness(element: RadioButton) -> None:
    """Keep a group up to date with one member: if that is checked, all others are not."""
    group = element.radio_group
    if group is None:
        return
    if element.checkedness:
        if group.checked is not None and group.checked is not element:
            group.checked.checkedness = False
        group.checked = element
    elif group.checked is element:
        group.checked = None


def change_the_group(element: RadioButton, group: RadioGroup | None) -> None:
    """Move an input from its group to another one."""
    old_group = element.radio_group
    if old_group is group:
        return
    if old_group is not None:
        del old_group.members[element]
        if old_group.checked is element:
            old_group.checked = None
    element.radio_group = group
    if group is not None:
        group.members[element] = None
        note_checkedness(element)


def group_of(element: FormAssociatedElement, name: str) -> RadioGroup | None:
    """Return the group with a name in an element's form or tree; None in a tree that is nowhere and has no form."""
    if element.form_owner is not None:
        return element.form_owner.radio_groups.setdefault(name, RadioGroup())
    if element.tree_scope is None:
        return None
    groups = element.tree_scope.extensions.setdefault(_RADIO_GROUPS, {})
    return cast("dict[str, RadioGroup]", groups).setdefault(name, RadioGroup())
