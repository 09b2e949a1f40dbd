"""The record of builds of browsers: the outcome of each program in each build, and since when each product deviates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from modelcontext.ground.files import read_json

#: The record in a checkout; `python -m surveys.builds` makes it.
RECORD: Final = Path("wpt_tests/expectations/builds.json")


@dataclass(frozen=True)
class RecordedBuild:
    """A build: the name of its product, its version, and the members of its ModelContext."""

    name: str
    version: str
    members: Sequence[str]

    @property
    def product(self) -> str:
        """The browser."""
        return self.name.partition(":")[0]

    @property
    def major(self) -> str:
        """The first part of the version."""
        return self.version.partition(".")[0]

    @property
    def title(self) -> str:
        """The browser and the first part of the version."""
        return f"{self.product.capitalize()} {self.major}"


@dataclass(frozen=True)
class Since:
    """The first build that shows what a product shows now; ``is_oldest`` if no earlier build knows the program."""

    build: RecordedBuild
    is_oldest: bool

    @property
    def words(self) -> str:
        """The version, in words."""
        return f"{'at least ' if self.is_oldest else ''}{self.build.major}"


class KnownBuilds:
    """The outcomes of programs in builds."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.builds = [RecordedBuild(one["name"], one["version"], one["members"]) for one in data["builds"]]
        self.titles: Mapping[str, str] = data["titles"]
        self._deviations: Mapping[str, Mapping[str, Sequence[str]]] = data["deviations"]
        self._absent: Mapping[str, Sequence[str]] = data["not_in_its_text"]

    def shown(self, build: RecordedBuild, program: str) -> str | None:
        """Return what a build shows in a program: empty if the text allows it, None if nobody knows."""
        if program not in self.titles or program in self._absent.get(build.name, ()):
            return None
        words = self._deviations.get(build.name, {}).get(program, [""])[0]
        return None if words.startswith("not known") else words

    def row(self, program: str) -> list[str | None]:
        """Return what each build shows in a program."""
        return [self.shown(build, program) for build in self.builds]

    def since(self, product: str, program: str) -> Since | None:
        """Return since when a product shows what its last build shows, if that is a deviation."""
        seen = [
            (build, shown)
            for build in self.builds
            if build.product == product and (shown := self.shown(build, program)) is not None
        ]
        if not seen or not seen[-1][1]:
            return None
        first = len(seen) - 1
        while first and seen[first - 1][1] == seen[-1][1]:
            first -= 1
        return Since(seen[first][0], first == 0)


def read_builds(root: Path) -> KnownBuilds:
    """Read the record of a checkout. Raises :class:`ReadError`."""
    return KnownBuilds(read_json(root / RECORD))
