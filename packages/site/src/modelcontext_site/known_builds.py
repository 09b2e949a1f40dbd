"""The record of builds of browsers: the outcome of each program in each build, and since when each product deviates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from modelcontext_builds.record import BuildRecord, read_record


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

    def __init__(self, record: BuildRecord) -> None:
        self.builds = [RecordedBuild(one.name, one.version, one.members) for one in record.builds]
        self.titles = record.titles
        self._shown = record.shown

    def shown(self, build: RecordedBuild, program: str) -> str | None:
        """Return what a build shows in a program: empty if the text allows it, None if nobody knows."""
        one = self._shown[build.name].get(program)
        if one is None or not one.is_known:
            return None
        return one.words if one.is_deviation else ""

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
    """Read the record of a checkout."""
    return KnownBuilds(read_record(root))
