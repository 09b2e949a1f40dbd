"""Composing: the revisions of a text as some of many patches change it, out of few compiled texts.

A diagnosis asks for many choices of quirks, and compiling a text takes most of a second. But most patches change different
algorithms. So a text is compiled only for patches that change one algorithm together, and for each other patch alone. A
choice then takes each algorithm from the text that changes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.checkout import path_in, project_root
from modelcontext.spec.revisions.registry import FILES, PatchedText, from_the_compiler
from modelcontext.spec.specification import SpecificationError

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision

#: The name of an algorithm that a patch changes, or of what it adds.
_PLACE: Final = re.compile(r"^  (\S+)$|<dfn\b[^>]*>(.*?)</dfn>", re.MULTILINE)
_MARK: Final = '\n@algorithm("'
#: The files of a revision with classes, and not with algorithms.
_CLASSES: Final = ("dictionaries.py", "model.py")
#: The decorator, the name and the members of a class, and the names of what it begins with.
_MEMBER: Final = re.compile(r"^(?:@\w+.*|class \w+|    \w+(?=:)|        self\.\w+)", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Composer:
    """The patches of the text of a ``revision``, by name, and what has been compiled of them."""

    revision: Revision
    patches: Mapping[str, str]
    _changed: dict[frozenset[str], Mapping[str, Callable[..., Any]]] = field(default_factory=dict, init=False)

    def algorithms(self, names: Sequence[str]) -> Mapping[str, Callable[..., Any]]:
        """Return the algorithms that differ with some of the patches, by their ids.

        Raises:
            ModuleNotFoundError: if the compiler is not installed.
            SpecificationError: if a patch does not fit.
        """
        # The whole profile is what most runs need: one text.
        groups = [frozenset(names)] if len(names) == len(self.patches) else self.groups(names)
        found: dict[str, Callable[..., Any]] = {}
        for group in groups:
            found |= self.changed(group) if group else {}
        return found

    def groups(self, names: Sequence[str]) -> list[frozenset[str]]:
        """Return patches in groups; those of different groups change different algorithms."""
        groups: list[tuple[frozenset[str], frozenset[str]]] = []
        for name in names:
            group, places = frozenset({name}), frozenset(map(max, _PLACE.findall(self.patches[name])))
            near = [other for other in groups if not other[1].isdisjoint(places)]
            groups = [other for other in groups if other not in near]
            groups.append((group.union(*(one for one, _ in near)), places.union(*(of for _, of in near))))
        return [group for group, _ in groups]

    def changed(self, names: frozenset[str]) -> Mapping[str, Callable[..., Any]]:
        """Return the algorithms that differ in the text with these patches, by their ids; the text is compiled once."""
        if names not in self._changed:
            patches = [patch for name, patch in self.patches.items() if name in names]
            text: PatchedText = from_the_compiler("patch")(
                path_in(project_root(), FILES[self.revision.name].text), patches
            )
            for problem in text.unclear():
                raise SpecificationError(problem)
            before, after = text.unpatched.files(), text.files()
            for name in _CLASSES:
                if not _classes(before[name]) <= _classes(after[name]):
                    raise SpecificationError(f"a profile's patch changes only algorithms, and this one {name}")
            known, now = _algorithms(before), _algorithms(after)
            algorithms = text.revision().algorithms
            self._changed[names] = {id_: algorithms[id_] for id_, code in now.items() if code != known.get(id_)}
        return self._changed[names]


def _algorithms(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the code of each algorithm, by its id."""
    parts = [part for content in files.values() for part in content.decode().split(_MARK)[1:]]
    return {part.partition('"')[0]: part.rstrip() for part in parts}


def _classes(content: bytes) -> set[tuple[str, ...]]:
    """Return what each class has."""
    return {tuple(_MEMBER.findall(part)) for part in content.decode().split("\n\n\n")}
