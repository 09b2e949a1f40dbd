"""The races of two and three actions, explored, and the record by which a later run explores only what has changed."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from modelcontext.ground.files import write_whole
from modelcontext.judging.litmus.races.classes import ExploredRace, Sort, explore_race
from modelcontext.judging.litmus.races.enumeration import Race, Races, Setting
from modelcontext.judging.litmus.races.writing import program_of
from tools.lab.mutants.trial import digest_of_the_model

#: The record of a checkout.
RECORD: Final = Path("build", "races.json")
#: The record is written after this many races: nobody loses many if the run is killed.
_RECORDED: Final = 25
_SEED: Final = 49


@dataclass(frozen=True, slots=True)
class Part:
    """The races of a number of actions in a scene.

    ``bound`` is the largest number of runs for a race, and ``sampled`` the number of races that are explored, or None for all.
    """

    count: int
    scene: Setting
    bound: int
    sampled: int | None = None

    def races(self) -> tuple[int, int, Sequence[Race]]:
        """Return the number of combinations, the number of races, and the races to explore."""
        made = Races(self.scene, self.count, bounded=self.count > 2)
        found = made.found
        some = found if self.sampled is None else random.Random(_SEED).sample(found, min(self.sampled, len(found)))
        return made.combinations, len(found), some


#: All of two actions, and a sample of those of three.
PARTS: Final = (
    *(Part(2, scene, 20_000) for scene in Setting),
    Part(3, Setting.ALONE, 150, 200),
    Part(3, Setting.FRAME, 150, 40),
    Part(3, Setting.OTHER, 150, 40),
)


class Record:
    """The explored races of a checkout, by the digests of their programs, each with the bound of its search."""

    def __init__(self, root: Path) -> None:
        self._path = root / RECORD
        self._code = digest_of_the_model(root)
        self._known: dict[str, tuple[int, ExploredRace]] = {}
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            if found["code"] == self._code:
                self._known = {
                    key: (bound, ExploredRace.from_data(one)) for key, (bound, one) in found["races"].items()
                }
        except (OSError, ValueError, KeyError, TypeError):
            pass  # There is no record, or another version wrote it.

    def explore(
        self, races: Sequence[Race], bound: int, advance: Callable[[int], None] = lambda count: None
    ) -> Iterator[ExploredRace]:
        """Yield each race explored, as far as the bound allows."""
        new = 0
        for race in races:
            key = _digest(race)
            before, known = self._known.get(key, (0, None))
            if known is None or (known.sort is Sort.UNDECIDED and before < bound):
                known = explore_race(race, bound)
                self._known[key] = bound, known
                new += 1
                if new % _RECORDED == 0:
                    self.write()
            advance(1)
            yield replace(known, race=str(race))
        self.write()

    def write(self) -> None:
        """Write the record.

        Raises:
            WriteError: if the file cannot be written.
        """
        self._path.parent.mkdir(exist_ok=True)
        races = {key: (bound, asdict(one)) for key, (bound, one) in self._known.items()}
        write_whole(self._path, json.dumps({"code": self._code, "races": races}) + "\n")


def _digest(race: Race) -> str:
    """Return the digest of a race's program, without its title."""
    data = program_of(race).to_data()
    del data["title"]
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]
