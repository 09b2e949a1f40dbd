"""``modelcontext bisect``: the first and the last build of a browser with each outcome of a program or test."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelcontext.judging.conformance.corpus import read_case
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import USAGE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import bar, print_json, warn
from modelcontext.people.cli.suites import plan_at
from modelcontext.running.products import make_target
from modelcontext.spec.revisions.registry import FILES
from modelcontext_builds.history import NOT_IN_ITS_TEXT, ShownByBuild, builds_of, on_build, on_every_build, ranges

if TYPE_CHECKING:
    from modelcontext_builds.build import Build

#: The endings of tests.
TESTS = (".html", ".js")


def _find(ctx: click.Context, param: click.Parameter, value: str) -> Path:
    return Path(value) if value.endswith(TESTS) else options.find_program(ctx, param, value)


@verb(epilog="\b\nExample:\n  modelcontext bisect names/length\n  modelcontext bisect webmcp/imperative/a.https.html")
@click.argument("path", callback=_find, metavar="PROGRAM|TEST", shell_complete=options.complete_programs)
@options.as_json
def command(path: Path, as_json: bool) -> None:
    """Name the first and the last build of Chromium with each outcome of a program or test.

    The builds are those that `modelcontext setup chromium --version N` has installed, and this machine's Chromium. Each
    build is compared with the text that was current when the build was made. All builds run, because a defect that was
    fixed can come back.

    Name a program as for `modelcontext run`, and a test by its path below wpt_tests.

    Exit code 0: every build has run; 2: a build has not run.
    """
    with exit_on_problems():
        # What is wrong with the argument is told before a browser starts.
        if path.name.endswith(TESTS):
            plan_at(make_target("chromium"), [str(path)], None)
            title, show = str(path), lambda build: _shown_by_a_test(build, str(path))
        else:
            case = read_case(path)
            title, show = f"{path}: {case.program.title}", lambda build: on_build(build, {"": case.program})[""]
        builds = builds_of("chromium")
        if len(builds) == 1:
            warn("there is only one build: `modelcontext setup chromium --version N` installs earlier builds")
        seen, missing = on_every_build(builds, show)
        if as_json:
            found = [{"build": build.version, "shown": shown.words, "step": shown.step} for build, shown in seen]
            print_json(
                {"path": str(path), "builds": found, "missing": {name: str(why) for name, why in missing.items()}}
            )
        else:
            click.echo(title)
            for one in ranges(seen):
                click.echo(f"  {one.words}: {one.shown.words}" + (f" ({one.shown.step})" if one.shown.step else ""))
    for name, error in missing.items():
        click.echo(f"modelcontext: {name} is NOTRUN: {error.reason}\n  what to do: {error.remedy}", err=True)
    sys.exit(USAGE if missing else 0)


def _shown_by_a_test(build: Build, path: str) -> ShownByBuild:
    """Return the results of a test in a build, in words: how many subtests pass, and which others there are."""
    if not Path(path).is_relative_to(FILES[build.revision].suite.name):
        return ShownByBuild(NOT_IN_ITS_TEXT)
    with bar() as progress:
        run = plan_at(make_target(build.name), [path], None).run(progress, workers=1)
    if run.unavailable is not None:
        raise run.unavailable
    others = [
        f"{status} {name or 'the file'}"
        for result in run.rounds[-1]
        for name, status in result.statuses().items()
        if status not in ("PASS", "OK")
    ]
    passed = sum(result.passed() for result in run.rounds[-1])
    return ShownByBuild("; ".join([f"{passed} PASS", *others]))
