"""The comparison of hosts: scripts whose lines differ, each shrunk to a smallest one."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tools.lab.javascript.grammar import GeneratedScript, javascript, numbered_script, smaller

if TYPE_CHECKING:
    from tools.lab.javascript.hosts import ScriptHost

_KNOWN: Final = Path(__file__).parent / "known.toml"
#: The number of scripts that run together, and of smaller ones.
_PART: Final = 50
_GROUP: Final = 16
#: The limit of smaller scripts to try for one difference.
_MOST: Final = 1500

Lines = Sequence[str]


@dataclass(frozen=True)
class Known:
    """A difference of a product that is no defect of this project.

    Either ``pattern`` in a line counts as ``becomes``, and an empty line as none; or ``becomes`` is None, and a script with
    ``pattern`` in its text may differ.
    """

    name: str
    pattern: re.Pattern[str]
    becomes: str | None


@dataclass
class HostDifference:
    """A smallest script whose lines differ between two hosts; ``lines`` has them by host, ``scripts`` counts such scripts."""

    number: int
    script: GeneratedScript
    lines: Mapping[str, Lines]
    scripts: int = 1

    def to_data(self) -> dict[str, Any]:
        """Return the difference as data for JSON."""
        text = javascript(self.script.tree)
        lines = {host: list(lines) for host, lines in self.lines.items()}
        return {
            "number": self.number,
            "scripts": self.scripts,
            "tasks": self.script.family,
            "script": text,
            "lines": lines,
        }


@dataclass
class Comparison:
    """The results.

    ``scripts`` counts the scripts, ``compared`` those that each host has run, ``known`` those with known differences only.
    """

    scripts: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    differences: list[HostDifference] = field(default_factory=list)


@dataclass(frozen=True)
class Pair:
    """The simulated browser and another host, by their names."""

    hosts: tuple[tuple[str, ScriptHost], tuple[str, ScriptHost]]

    @property
    def product(self) -> str:
        """The name of the other host."""
        return self.hosts[1][0]

    def run(self, scripts: Sequence[GeneratedScript]) -> Iterator[tuple[Lines, Lines] | None]:
        """Yield the lines of each script in both hosts, or None where one cannot run it."""
        silent = frozenset.union(*(host.silent for _, host in self.hosts))
        for both in zip(*(host.run(scripts) for _, host in self.hosts), strict=True):
            first, second = ([line for line in lines or () if line.partition(" ")[0] not in silent] for lines in both)
            yield None if None in both else (first, second)

    def differ(self, scripts: Sequence[GeneratedScript]) -> list[bool]:
        """Return for each script whether its lines differ, and not in a known way only."""
        return [
            lines is not None
            and _plain(lines[0], self.product) != _plain(lines[1], self.product)
            and not _known_by_text(script, self.product)
            for script, lines in zip(scripts, self.run(scripts), strict=True)
        ]


def compare(
    hosts: Mapping[str, ScriptHost], seed: int, examples: int, progress: Callable[[Comparison], None] = lambda _: None
) -> Comparison:
    """Run scripts in all hosts, and compare each with the first one.

    Args:
        hosts: the running hosts by name.
        seed: the seed of the scripts.
        examples: the number of scripts.
        progress: is called after each part.
    """
    comparison = Comparison()
    first, *others = hosts.items()
    for start in range(0, examples, _PART):
        numbers = range(start, min(start + _PART, examples))
        scripts = [numbered_script(seed, number) for number in numbers]
        for other in others:
            pair = Pair((first, other))
            for number, script, lines in zip(numbers, scripts, pair.run(scripts), strict=True):
                if lines is not None:
                    comparison.compared[other[0]] += 1
                    _judge(comparison, pair, number, script, lines)
        comparison.scripts += len(numbers)
        progress(comparison)
    return comparison


def _judge(
    comparison: Comparison, pair: Pair, number: int, script: GeneratedScript, lines: tuple[Lines, Lines]
) -> None:
    if lines[0] == lines[1]:
        return
    known = _known_by_text(script, pair.product)
    if _plain(lines[0], pair.product) == _plain(lines[1], pair.product):
        text = "\n".join((*lines[0], *lines[1]))
        known = [one.name for one in _known(pair.product) if one.becomes is not None and one.pattern.search(text)]
    if known:
        comparison.known.update(known)
        return
    if not any(pair.differ([script])):
        return  # A browser under load was too slow.
    names = [name for name, _ in pair.hosts]
    for difference in comparison.differences:
        if [*difference.lines] == names and difference.script.features() <= script.features():
            difference.scripts += 1
            return
    smallest = shrink(script, pair.differ)
    [shown] = pair.run([smallest])
    assert shown is not None
    comparison.differences.append(HostDifference(number, smallest, dict(zip(names, shown, strict=True))))


def shrink(script: GeneratedScript, differ: Callable[[Sequence[GeneratedScript]], Sequence[bool]]) -> GeneratedScript:
    """Return a smallest script that still differs; ``differ`` tells for each of a group whether it does."""
    tried: set[GeneratedScript] = {script}
    while True:
        candidates = _untried(script, tried)
        found = None
        while found is None:
            group = list(islice(candidates, _GROUP))
            if not group or len(tried) > _MOST:
                return script
            found = next((one for one, differs in zip(group, differ(group), strict=True) if differs), None)
        script = found


def _untried(script: GeneratedScript, tried: set[GeneratedScript]) -> Iterator[GeneratedScript]:
    for other in smaller(script):
        if other not in tried and other.tree.size <= script.tree.size:
            tried.add(other)
            yield other


@cache
def _known(product: str) -> Sequence[Known]:
    data = tomllib.loads(_KNOWN.read_text(encoding="utf-8"))
    return [
        Known(name, re.compile(entry["pattern"], re.MULTILINE), entry.get("becomes"))
        for name, entry in data.items()
        if product in entry["products"]
    ]


def _known_by_text(script: GeneratedScript, product: str) -> list[str]:
    text = javascript(script.tree)
    return [known.name for known in _known(product) if known.becomes is None and known.pattern.search(text)]


def _plain(lines: Lines, product: str) -> Lines:
    """Return lines without the known differences of a product."""
    plain = list(lines)
    for known in _known(product):
        if known.becomes is not None:
            plain = [known.pattern.sub(known.becomes, line) for line in plain]
    return [line for line in plain if line]
