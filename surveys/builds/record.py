"""The record of what each build shows, which the survey keeps beside the expectations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from modelcontext_builds.build import Build
from modelcontext_builds.history import ALLOWED, NOT_IN_ITS_TEXT, ShownByBuild

PATH = Path(__file__).resolve().parents[2] / "wpt_tests" / "expectations" / "builds.json"


@dataclass(frozen=True)
class BuildRecord:
    """What builds have shown.

    Attributes:
        builds: the builds, oldest first; those of Chromium come before other browsers.
        titles: the titles of the programs, by name.
        shown: what each build shows in each program, by the names of the build and the program.
        facts: what each build answers to the questions about statements, by the names of the build and the question.
    """

    builds: Sequence[Build]
    titles: Mapping[str, str]
    shown: Mapping[str, Mapping[str, ShownByBuild]]
    facts: Mapping[str, Mapping[str, bool]]

    @property
    def of_chromium(self) -> list[Build]:
        """The builds of Chromium."""
        return [build for build in self.builds if build.name.partition(":")[0] == "chromium"]

    def dumps(self) -> str:
        """Return the record as JSON text. Outcomes that are allowed are left out."""
        data = {
            "builds": [asdict(build) for build in self.builds],
            "titles": self.titles,
            "not_in_its_text": {
                build: [name for name, one in shown.items() if one.words == NOT_IN_ITS_TEXT]
                for build, shown in self.shown.items()
            },
            "deviations": {
                build: {
                    name: [one.words, one.step]
                    for name, one in shown.items()
                    if one.words not in (ALLOWED, NOT_IN_ITS_TEXT)
                }
                for build, shown in self.shown.items()
            },
            "facts": self.facts,
        }
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def loads(text: str) -> BuildRecord:
    """Return the record of a JSON text."""
    data: dict[str, Any] = json.loads(text)
    shown = {}
    for build, deviations in data["deviations"].items():
        absent = {name: ShownByBuild(NOT_IN_ITS_TEXT) for name in data["not_in_its_text"][build]}
        found = {name: ShownByBuild(*one) for name, one in deviations.items()}
        shown[build] = {name: ShownByBuild(ALLOWED) for name in data["titles"]} | absent | found
    builds = [Build(**{**one, "members": tuple(one["members"])}) for one in data["builds"]]
    return BuildRecord(builds, data["titles"], shown, data["facts"])
