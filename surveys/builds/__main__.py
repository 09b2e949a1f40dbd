"""Run every program on every build, and write the record and docs/browsers/builds.md; ``--check`` only compares them.

``python -m surveys.builds [--check]``. What the installed browsers show in the programs of their own revision is taken from
the expectations, which ``modelcontext conformance`` checks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.ground.checkout import project_root
from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.corpus import CORPORA, read_corpus
from modelcontext.judging.conformance.expectations import load_expectations, vocabulary
from modelcontext.running.products import COMPARED, make_target
from modelcontext.spec.revisions.registry import FILES
from modelcontext_builds.history import ALLOWED, ShownByBuild, builds_of, on_build
from modelcontext_builds.lightpanda import Lightpanda
from modelcontext_builds.probing import in_pages, probe
from surveys.builds import record
from surveys.builds.history_page import page_of
from surveys.builds.record import BuildRecord
from surveys.builds.statements import QUESTIONS

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext_builds.build import Build

OUT = Path(__file__).resolve().parents[2] / "docs" / "browsers" / "builds.md"


def programs() -> dict[str, Program]:
    """Return the programs of all revisions by name; those of an earlier one have its name before their own."""
    root = project_root()
    found = {}
    for folder in CORPORA:
        for case in read_corpus(root / folder):
            prefix = "" if case.program.revision == "current" else f"{case.program.revision}/"
            found[prefix + case.name] = case.program
    return found


def every_build() -> list[Build]:
    """Return the builds of this machine: of Chromium, oldest first, then Firefox and Lightpanda."""
    others = [probe(make_target("firefox"))]
    with Lightpanda() as lightpanda:
        others.append(lightpanda.build)
    return [*builds_of("chromium"), *others]


def from_the_expectations(build: Build, corpus: Mapping[str, Program]) -> dict[str, ShownByBuild]:
    """Return what an installed browser shows in the programs of its revision, which ``modelcontext conformance`` checks."""
    if build.name not in COMPARED:
        return {}
    path = project_root() / FILES[build.revision].expectations / f"{build.name}.toml"
    expected = load_expectations(path, vocabulary(build.name, build.revision))
    own = {name: name.removeprefix(f"{build.revision}/") for name in corpus if corpus[name].revision == build.revision}
    return {
        name: ShownByBuild(expected[one].observed, expected[one].step) if one in expected else ShownByBuild(ALLOWED)
        for name, one in own.items()
    }


def make(builds: Sequence[Build], corpus: Mapping[str, Program]) -> BuildRecord:
    """Run everything. Raises :class:`UnavailableError` if a build does not run."""
    shown, facts = {}, {}
    for build in builds:
        print(f"{build.name} {build.version}", file=sys.stderr, flush=True)
        known = from_the_expectations(build, corpus)
        rest = {name: program for name, program in corpus.items() if name not in known}
        found = {**known, **on_build(build, rest)}
        shown[build.name] = {name: found[name] for name in corpus}
        if build.name.startswith("chromium"):
            _, answers = in_pages(make_target(build.name), list(QUESTIONS.values()))
            facts[build.name] = dict(zip(QUESTIONS, answers, strict=True))
    return BuildRecord(builds, {name: program.title for name, program in corpus.items()}, shown, facts)


def differences(known: BuildRecord, now: BuildRecord) -> Iterator[str]:
    """Yield a line for each build, result and answer that is not as the record says; builds that are absent have none."""
    for build in now.builds:
        if build not in known.builds:
            yield f"{build.name} {build.version} is not in the record, or has other members"
            continue
        for name, shown in now.shown[build.name].items():
            before = known.shown[build.name].get(name, ShownByBuild("nothing"))
            if shown != before:
                yield f"{build.name}, {name}: {shown.words}; the record says: {before.words}"
        for question, answer in now.facts.get(build.name, {}).items():
            if known.facts[build.name].get(question) is not answer:
                yield f"{build.name}, {question}: {answer} is not what the record says"


def main(arguments: Sequence[str]) -> int:
    """Write or compare, and return the exit code."""
    try:
        now = make(every_build(), programs())
    except UnavailableError as error:
        print(f"{error.reason}: {error.remedy}", file=sys.stderr)
        return 2
    if arguments == ["--check"]:
        known = record.loads(record.PATH.read_text(encoding="utf-8"))
        found = list(differences(known, now))
        if OUT.read_text(encoding="utf-8") != page_of(known):
            found.append(f"{OUT.name} is not what the record says")
        print("\n".join([*found, f"{len(found)} unexpected"]))
        return 1 if found else 0
    record.PATH.write_text(now.dumps(), encoding="utf-8")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(page_of(now), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
