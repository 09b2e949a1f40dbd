"""Radio button groups (https://html.spec.whatwg.org/#radio-button-group), kept where their members have the form or tree."""

from __future__ import annotations

from typing import Protocol


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
