"""The ``__init__.py`` of a revision: its interface, and the hooks by which the platform creates its objects and runs steps.

A text says with a link which steps of another standard its algorithm is: "This specification's [=unloading document cleanup
steps=], given a {{Document}} |document|, are". The name of a hook finds its algorithm, whatever id the algorithm has. The
model runs only some of the steps that standards let other texts define; :func:`never_run` returns the others, since a text
that defines them expects that they are run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from modelcontext_prose.imports import import_lines
from modelcontext_prose.platform import verb
from speclint.text.markup import stems

if TYPE_CHECKING:
    from modelcontext_prose.definitions import ItemClass
    from modelcontext_prose.emit.program import Program
    from speclint.prose.prose_text import Algorithm, Text

_HEAD: Final = '''"""The revision of the specification that this folder is named after: a file per section, every step quoted.

{mark}: change that file instead.
"""

from __future__ import annotations

'''
#: How the object with the attribute of the API is found of a document, by the interface that has it.
_ACCESSORS: Final = {"Document": "lambda document: document", "Navigator": "lambda document: document.window.navigator"}
#: The steps of other standards that the model runs: the ids by which it finds them, and their names.
_RUN: Final[Mapping[str, str]] = {"unloading-document-cleanup": "unloading document cleanup steps"}


def _hooks(text: Text) -> Mapping[str, str]:
    """Return the ids of the algorithms that the model runs, where they are not those by which it finds them."""
    found = {}
    for id_, name in _RUN.items():
        ids = [one.id for one in text.source.algorithms if stems(name) in one.keys]
        if ids and id_ not in ids:
            found[id_] = ids[0]
    return found


def never_run(text: Text) -> Iterator[Algorithm]:
    """Yield the algorithms that are steps of another standard, and that the model does not run."""
    run = set(map(stems, _RUN.values()))
    names = {one.id: one.keys for one in text.source.algorithms if not one.is_defined}
    for algorithm in text.algorithms:
        if algorithm.kind == "algorithm" and algorithm.id in names and run.isdisjoint(names[algorithm.id]):
            yield algorithm


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
        *([f"    hooks={json.dumps(hooks)},"] if (hooks := _hooks(program.text)) else []),
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
