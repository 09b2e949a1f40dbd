"""Scripts without WebMCP as trees of productions: their grammar, their generator, and smaller ones."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias, Union

_FOLDER: Final = Path(__file__).parent
_HOLE: Final = re.compile(r"\$([a-z]+)(\*?)")
#: The most items of a list.
_MOST: Final = 3
#: The number of levels of a script, below which only productions without holes are drawn.
_DEPTH: Final = 7
#: The fewest and the most lines of a script.
_LINES: Final = (3, 9)
#: The sources of tasks; a script has one, since the standards promise no order between two.
FAMILIES: Final = ("no tasks", "timers", "abort timeouts", "messages to a port", "messages to the window")


@dataclass(frozen=True)
class Hole:
    """A place of a template for a tree of a sort, or for a list of them."""

    sort: str
    is_list: bool


@dataclass(frozen=True)
class Production:
    """A production of a sort; ``texts`` are the parts of its template around the holes."""

    sort: str
    name: str
    texts: tuple[str, ...]
    holes: tuple[Hole, ...]


@dataclass(frozen=True)
class Derivation:
    """A production with a tree, or a list of trees, for each hole."""

    production: Production
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """The number of productions."""
        return 1 + sum(tree.size for tree in self.children())

    def children(self) -> Iterator[Derivation]:
        """Yield the trees of all holes."""
        for part in self.parts:
            yield from part if isinstance(part, tuple) else (part,)

    def productions(self) -> frozenset[Production]:
        """Return all productions of the tree."""
        return frozenset({self.production}).union(*(tree.productions() for tree in self.children()))


Part: TypeAlias = Union[Derivation, tuple[Derivation, ...]]  # noqa: UP007


@dataclass(frozen=True)
class GeneratedScript:
    """A script, and the source of its tasks."""

    family: str
    tree: Derivation

    def features(self) -> frozenset[Production]:
        """Return the productions that are not the plainest of their sort."""
        return frozenset(one for one in self.tree.productions() if one != _plainest(one.sort))


@cache
def grammar() -> Mapping[str, tuple[Production, ...]]:
    """Return the productions of each sort; those of the statements of a topic have the sort ``statement.TOPIC``."""
    data = tomllib.loads((_FOLDER / "grammar.toml").read_text(encoding="utf-8"))
    sorts: dict[str, tuple[Production, ...]] = {}
    for sort, entries in data.items():
        sorts[sort] = tuple(_production(sort, name, text) for name, text in entries.items() if isinstance(text, str))
        for topic, inner in entries.items():
            if isinstance(inner, dict):
                sorts[f"{sort}.{topic}"] = tuple(_production(sort, f"{topic}.{n}", text) for n, text in inner.items())
    return sorts


def _production(sort: str, name: str, template: str) -> Production:
    parts = _HOLE.split(template)
    holes = tuple(Hole(name, star == "*") for name, star in zip(parts[1::3], parts[2::3], strict=True))
    return Production(sort, name, tuple(parts[::3]), holes)


def topics() -> tuple[str, ...]:
    """Return the topics of statements."""
    return tuple(sort.partition(".")[2] for sort in grammar() if sort.startswith("statement."))


def numbered_script(seed: int, number: int) -> GeneratedScript:
    """Return a script by its number among those of a seed."""
    chance = random.Random(f"{seed}/{number}")
    chosen = chance.sample(topics(), chance.choice((1, 1, 2)))
    # The statements of the topics are most of a script.
    statements = [*grammar()["statement"], *2 * [one for topic in chosen for one in grammar()[f"statement.{topic}"]]]
    draw = _Draw(chance, statements)
    [script] = grammar()["script"]
    lines = tuple(draw.tree("line", _DEPTH) for _ in range(chance.randint(*_LINES)))
    return GeneratedScript(chance.choice(FAMILIES), Derivation(script, (lines,)))


class _Draw:
    def __init__(self, chance: random.Random, statements: list[Production]) -> None:
        self._chance = chance
        self._sorts = {**grammar(), "statement": tuple(statements)}

    def tree(self, sort: str, depth: int) -> Derivation:
        options = self._sorts[sort]
        if depth <= 0:
            options = tuple(one for one in options if not one.holes) or options
        production = self._chance.choice(options)
        parts: list[Part] = []
        for hole in production.holes:
            if hole.is_list:
                # Few statements in a function, and none below the last level.
                count = self._chance.randint(0, _MOST if hole.sort != "statement" else 2) if depth > 0 else 0
                parts.append(tuple(self.tree(hole.sort, depth - 2) for _ in range(count)))
            else:
                parts.append(self.tree(hole.sort, depth - 1))
        return Derivation(production, tuple(parts))


def javascript(tree: Derivation) -> str:
    """Return the text of a tree; the labels of what it logs are numbers in the order of the text."""
    pieces = "".join(_text(tree)).split("#L")
    return pieces[0] + "".join(f"{number}{piece}" for number, piece in enumerate(pieces[1:], 1))


_LABEL: Final = re.compile(r"(?<=log\()#")


def _text(tree: Derivation) -> Iterator[str]:
    for text, hole, part in zip(tree.production.texts, tree.production.holes, tree.parts, strict=False):
        yield _LABEL.sub("#L", text)
        if isinstance(part, tuple):
            between = "\n" if tree.production.sort == "script" else " " if hole.sort in ("statement", "step") else ", "
            yield between.join("".join(_text(one)) for one in part)
        else:
            yield from _text(part)
    yield _LABEL.sub("#L", tree.production.texts[-1])


def smaller(script: GeneratedScript) -> Iterator[GeneratedScript]:
    """Yield the scripts that are one simplification away, those that lose most first."""
    candidates = sorted(_smaller(script.tree), key=lambda tree: tree.size)
    yield from (GeneratedScript(script.family, tree) for tree in candidates)
    if script.family != FAMILIES[0]:
        yield GeneratedScript(FAMILIES[0], script.tree)


def _smaller(tree: Derivation) -> Iterator[Derivation]:
    yield from _plainer(tree)
    for index, part in enumerate(tree.parts):
        before, after = tree.parts[:index], tree.parts[index + 1 :]
        if isinstance(part, tuple):
            for at in range(len(part)):
                yield Derivation(tree.production, (*before, part[:at] + part[at + 1 :], *after))
                for changed in _smaller(part[at]):
                    yield Derivation(tree.production, (*before, (*part[:at], changed, *part[at + 1 :]), *after))
        else:
            for changed in _smaller(part):
                yield Derivation(tree.production, (*before, changed, *after))


def _plainer(tree: Derivation) -> Iterator[Derivation]:
    """Yield what may stand in the place of a tree: its inner trees of the sort, and a plain production of it."""
    sort = tree.production.sort
    yield from (inner for inner in _inner(tree) if inner.production.sort == sort)
    plain = _plainest(sort)
    if not plain.holes and plain != tree.production:
        yield Derivation(plain, ())


def _plainest(sort: str) -> Production:
    return next((one for one in grammar()[sort] if not one.holes), grammar()[sort][0])


def _inner(tree: Derivation) -> Iterator[Derivation]:
    for child in tree.children():
        yield child
        yield from _inner(child)
