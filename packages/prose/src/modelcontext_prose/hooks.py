"""The ``__init__.py`` of a revision: its interface, and the hooks by which the platform creates its objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from modelcontext_prose.imports import import_lines
from modelcontext_prose.platform import verb

if TYPE_CHECKING:
    from modelcontext_prose.definitions import ItemClass
    from modelcontext_prose.emit.program import Program

_HEAD: Final = '''"""The revision of the specification that this folder is named after: a file per section, every step quoted.

{mark}: change that file instead.
"""

from __future__ import annotations

'''
#: How the object with the attribute of the API is found of a document, by the interface that has it.
_ACCESSORS: Final = {"Document": "lambda document: document", "Navigator": "lambda document: document.window.navigator"}


def hooks_text(program: Program, package: str, modules: Sequence[str], mark: str) -> str:
    """Return the text of the file; ``modules`` are the names of the modules beside that of the dictionaries."""
    definitions = program.definitions
    items = [
        (owner, item)
        for (owner, _), item in definitions.state.items()
        if definitions.owner(owner).keeps == "object" and verb(item.identifier) is None
    ]
    documents = [line for owner, item in items for line in _of_document(owner, item)]
    traversables = [line for owner, item in items for line in _of_traversable(owner, item)]
    button = ("form execution", "chosen button")
    has_button = button[1] in definitions.structs.get(button[0], {}) and ("form", "execution") in definitions.state
    running = {
        "typing": {"TYPE_CHECKING"},
        "modelcontext.spec.revisions.algorithm": {"algorithms_of"},
        package: {*modules, "dictionaries"},
        "modelcontext.spec.revisions.revision": {"Revision"},
    }
    noted = {"modelcontext.platform.html.document": {"Document"}}
    if traversables:
        running["modelcontext.platform.infra.ordered_map"] = {"OrderedMap"}
        noted["modelcontext.platform.html.navigable"] = {"Navigable"}
    if has_button:
        noted["modelcontext.platform.html.elements"] = {"HTMLElement"}
        noted["modelcontext.platform.html.forms.form_owners"] = {"HTMLFormElement"}
    lines = [*import_lines(running), "", "if TYPE_CHECKING:", *import_lines(noted, 1), ""]
    names = sorted(["REVISION", *modules])
    quoted = ", ".join(json.dumps(name) for name in names)
    one_line = f"__all__ = [{quoted}]"
    lines += [one_line] if len(one_line) <= 120 else ["__all__ = [", *(f'    "{name}",' for name in names), "]"]
    lines += ["", "", "def _initialize_document(document: Document) -> None:", *(documents or ["    del document"])]
    if traversables:
        lines += ["", "", "def _initialize_traversable(traversable: Navigable) -> None:", *traversables]
    if has_button:
        lines += [
            *("", "", "def _chosen_button_of(form: HTMLFormElement) -> HTMLElement | None:"),
            "    execution = model.state_of(form).execution",
            "    return execution.chosen_button if execution is not None else None",
        ]
    interfaces = [one.name for one in definitions.partial_interfaces if one.name in _ACCESSORS]
    owner = _ACCESSORS[interfaces[0] if interfaces else "Document"]
    lines += [
        *("", "", "REVISION = Revision("),
        *("    package=__name__,", "    dictionaries=dictionaries,", "    algorithms=algorithms_of(__name__),"),
        f"    accessor_owner={owner},",
        "    initialize_document=_initialize_document,",
        *(["    initialize_traversable=_initialize_traversable,"] if traversables else []),
        *(["    chosen_button_of=_chosen_button_of,"] if has_button else []),
        ")",
    ]
    return _HEAD.format(mark=mark) + "\n".join(lines) + "\n"


def _of_document(owner: str, item: ItemClass) -> list[str]:
    # What identifies a document is the value that the platform identifies it by.
    made = "document.unique_id" if item.type.name == "int" else f"model.{item.type.name}(document.realm)"
    if owner == "document":
        return [f"    document.extensions[model.{item.identifier.upper()}] = {made}"]
    if owner == "navigator":
        return [
            "    # A document that takes over the Window of the initial about:blank takes over its Navigator, too.",
            f"    document.window.navigator.extensions.setdefault(model.{item.identifier.upper()}, {made})",
        ]
    return []


def _of_traversable(owner: str, item: ItemClass) -> list[str]:
    if owner != "traversable navigable":
        return []
    key, value = (f"model.{one.name}" if one.name[0].isupper() else one.name for one in item.type.arguments)
    return [
        f"    {item.identifier}: OrderedMap[{key}, {value}] = OrderedMap()",
        f"    traversable.extensions[model.{item.identifier.upper()}] = {item.identifier}",
    ]
