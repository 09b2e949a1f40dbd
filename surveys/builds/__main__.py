"""The expectations of builds that are kept by machine, and docs/browsers/builds.md, which is made of them.

``modelcontext conformance --builds`` runs everything; ``python -m surveys.builds build/conformance.json`` then keeps what the
builds have shown, and writes the page. Runs of one build each (``--builds --product chromium:153``) can be given together.
``python -m surveys.builds --check`` says whether the page is that of the expectations.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.progress import Progress

from modelcontext.ground.checkout import project_root
from modelcontext.ground.files import write_whole
from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.expectations import KEPT
from modelcontext.judging.profiles import load_profile
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.people.cli.suites import expectations_file, plan_suite
from modelcontext.running.products import SIMULATED, make_target
from modelcontext.running.products.chromium import ChromiumEngine
from modelcontext.spec.revisions.registry import FILES
from modelcontext_builds.history import builds_of
from modelcontext_builds.lightpanda import Lightpanda
from modelcontext_builds.probing import in_pages, probe
from modelcontext_builds.products import ADAPTER
from modelcontext_builds.record import FACTS, read_record, since_by_quirk
from surveys.builds.history_page import page_of
from surveys.builds.kept import Where, kept_files
from surveys.builds.statements import QUESTIONS, QUESTIONS_BY_DEFAULT

if TYPE_CHECKING:
    from modelcontext_builds.build import Build

PAGE: Final = Path("docs", "browsers", "builds.md")
_USAGE: Final = "usage: python -m surveys.builds (CONFORMANCE.json... | --check)"


def every_build() -> list[Build]:
    """Return the builds of this machine: of Chromium, oldest first, then Firefox and Lightpanda."""
    others = [probe(make_target("firefox"))]
    with Lightpanda() as lightpanda:
        others.append(lightpanda.build)
    return [*builds_of("chromium"), *others]


def not_in_the_text(root: Path, builds: Sequence[Build]) -> frozenset[Where]:
    """Return the subtests that pass by the current text, and do not by the text of builds that take inputs as text.

    The model says so, in the simulated browser, with the script that adapts tests to such a build.
    """
    build = next((one for one in builds if one.has_own_text), None)
    if build is None:
        return frozenset()
    target = make_target(SIMULATED, inject=[ADAPTER])
    tree = checkout_tree(root, target.revision)
    with build.text(), Progress() as progress:
        run = plan_suite(target, tree, expectations_file(root, make_target(SIMULATED))).run(progress)
    return frozenset((one.test, one.subtest) for one in run.findings)


def facts_of(builds: Sequence[Build]) -> Mapping[str, Any]:
    """Return what builds have, and what those of Chromium answer to the questions."""
    facts = {}
    for build in builds:
        if build.name.partition(":")[0] == "chromium":
            target = make_target(build.name)
            without_flag = replace(target, engine=ChromiumEngine(native=False))
            answers = [
                *in_pages(target, list(QUESTIONS.values()))[1],
                *in_pages(without_flag, list(QUESTIONS_BY_DEFAULT.values()))[1],
            ]
            facts[build.name] = dict(zip((*QUESTIONS, *QUESTIONS_BY_DEFAULT), answers, strict=True))
    return {"builds": [asdict(build) for build in builds], "facts": facts}


def page(root: Path) -> str:
    """Return the text of the page that the expectations of a checkout make."""
    record = read_record(root)
    return page_of(record, since_by_quirk(root, record, load_profile("chromium_156").quirks))


def keep(root: Path, data: Mapping[str, Any]) -> None:
    """Write the expectations that a run of all builds shows, and the page. Raises :class:`UnavailableError`."""
    builds = every_build()
    files = kept_files(builds, data, not_in_the_text(root, builds))
    facts = json.dumps(facts_of(builds), indent=1) + "\n"
    for revision in FILES.values():
        shutil.rmtree(root / revision.expectations / KEPT, ignore_errors=True)
    for path, text in {**files, FACTS: facts}.items():
        (root / path).parent.mkdir(exist_ok=True)
        write_whole(root / path, text)
    write_whole(root / PAGE, page(root))


def main(arguments: Sequence[str]) -> int:
    """Write or compare, and return the exit code."""
    root = project_root()
    match arguments:
        case ["--check"]:
            is_same = (root / PAGE).read_text(encoding="utf-8") == page(root)
            print(f"{PAGE} is {'' if is_same else 'not '}what the expectations say")
            return 0 if is_same else 1
        case [_, *_] if all(Path(path).is_file() for path in arguments):
            parts = [json.loads(Path(path).read_text(encoding="utf-8")) for path in arguments]
            try:
                keep(root, {kind: [one for part in parts for one in part[kind]] for kind in ("programs", "tests")})
            except UnavailableError as error:
                print(f"{error.reason}: {error.remedy}", file=sys.stderr)
                return 2
            return 0
        case _:
            print(_USAGE, file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
