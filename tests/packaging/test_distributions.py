"""Each distribution of the repository: its wheel, its versions, and its verbs where nothing but it is installed."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from modelcontext.people.cli import DISTRIBUTIONS, VERBS
from tests.packaging.conftest import LOCAL, ROOT, Environment, project

EVALS = ROOT / "docs/examples/evals"
EVAL = (str(EVALS / "tea.json"), "--page", "simulated", "--model", f"scripted:{EVALS / 'tea-answers.toml'}")

#: The first words about the verb ``agent`` in the help.
HELP = VERBS["agent"][:30]

#: The packages that pip installs with the core's wheel when no extra is asked for.
WITHOUT_EXTRAS = {"ada-url", "coloraide", "corvus-regex-ecma262", "justhtml", "pywebidl2"}

#: By requirement: commands that run where nothing else is installed, each with its exit code and a part of what it prints.
ALONE: Mapping[str, Mapping[tuple[str, ...], tuple[int, str]]] = {
    "modelcontext": {
        ("python", "-c", "from modelcontext import Browser; print(Browser().open('https://a.example/').origin)"): (
            0,
            "https://a.example",
        ),
        ("python", "-c", "from modelcontext import explore"): (1, "pip install 'modelcontext[explore]'"),
        ("modelcontext", "run", "listing/empty"): (
            2,
            "modelcontext: this needs rich: pip install 'modelcontext[tools]'",
        ),
    },
    "modelcontext[tools]": {
        ("modelcontext", "--help"): (0, HELP),
        ("modelcontext", "run", "listing/empty", "--product", "model"): (0, "allowed"),
        **{
            ("modelcontext", verb, "--help"): (
                2,
                f"modelcontext: this needs {name}: pip install 'modelcontext[{name.removeprefix('modelcontext-')}]'",
            )
            for verb, name in DISTRIBUTIONS.items()
        },
    },
    "modelcontext-prose": {
        ("modelcontext", "spec", "generate", "--check"): (0, "the generated files agree with the texts"),
    },
    "modelcontext-builds": {
        ("modelcontext", "bisect", "--help"): (0, "build of Chromium"),
        ("modelcontext", "compare", "--help"): (0, "one line"),
        ("modelcontext", "setup", "chromium", "--version", "153", "--check"): (2, "it is not installed"),
    },
    "modelcontext-site": {
        ("modelcontext", "site", "--help"): (0, "as a site"),
        ("modelcontext", "site", "out"): (2, "this folder is not in a checkout"),
    },
    "modelcontext-fuzz": {
        ("modelcontext", "fuzz", "--product", "chromium", "--seed", "1", "--program", "1"): (0, "title = "),
    },
    "modelcontext-record": {
        ("modelcontext", "record", "--help"): (0, "what the browser did"),
        ("modelcontext", "record", "nowhere.html"): (2, "nowhere.html is neither"),
    },
    "modelcontext-explore": {
        (
            "python",
            "-c",
            "from modelcontext import explore; print(explore(lambda browser: browser.open('https://a.example/').origin))",
        ): (0, "1 outcome, every schedule"),
    },
    "modelcontext-filing": {
        ("modelcontext", "findings", "--output", "reports"): (0, "made reports"),
        ("modelcontext", "test", "new", "results/undefined"): (0, "promise_test("),
    },
    "modelcontext-agent": {
        ("modelcontext", "--help"): (0, HELP),
        ("modelcontext", "agent", "demo", "--simulated"): (0, "order"),
        ("modelcontext", "agent", "eval", *EVAL): (0, "evaluations: "),
        ("modelcontext", "agent", "serve", "--model", "absent:model"): (2, "absent:model"),
        ("modelcontext", "agent", "check", "nowhere.html"): (2, "cannot be read"),
        ("modelcontext", "agent", "tools", "http://a.localhost:9/", "--format", "mcp"): (2, "cannot be opened"),
        ("modelcontext", "mcp", "http://a.localhost:9/"): (2, "cannot be opened"),
    },
}


@pytest.fixture(scope="module")
def alone(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Environment]:
    """Make an environment for each requirement, with what pip would install for it and nothing else."""
    return {name: environment.only(name, tmp_path_factory.mktemp("only")) for name in ALONE}


@pytest.mark.parametrize("name", LOCAL)
def test_wheel_has_every_tracked_file_of_its_package_and_no_other(name: str, wheels: Mapping[str, Path]) -> None:
    source = LOCAL[name] / "src"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."]
    found = subprocess.run(listed, cwd=source, capture_output=True, text=True, check=True)
    tracked = {path for path in found.stdout.split("\0") if path and (source / path).exists()}
    with zipfile.ZipFile(wheels[name]) as archive:
        files = {path for path in archive.namelist() if ".dist-info/" not in path}
    assert files == tracked
    assert tracked


def test_every_wheel_has_the_license(wheels: Mapping[str, Path]) -> None:
    license_text = (ROOT / "LICENSE").read_bytes()
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            [name] = [name for name in archive.namelist() if name.endswith(".dist-info/licenses/LICENSE")]
            assert archive.read(name) == license_text


def test_distributions_accept_the_versions_of_each_other() -> None:
    projects = {table["name"]: table for table in map(project, (ROOT, *LOCAL.values()))}
    lists = [
        lines
        for table in projects.values()
        for lines in (table["dependencies"], *table.get("optional-dependencies", {}).values())
    ]
    between = [each for lines in lists for each in map(Requirement, lines) if each.name in projects]
    versioned = [each for each in between if each.specifier]
    assert {each.name for each in versioned} >= {"modelcontext", "modelcontext-agent"}
    assert [str(each) for each in versioned if projects[each.name]["version"] not in each.specifier] == []


def test_core_without_extras_requires_what_it_did_before() -> None:
    assert {Requirement(line).name for line in project(ROOT)["dependencies"]} == WITHOUT_EXTRAS


@pytest.mark.parametrize(
    ("name", "command"),
    [(name, command) for name, commands in ALONE.items() for command in commands],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_distribution_alone_runs_its_verbs(
    name: str, command: tuple[str, ...], alone: Mapping[str, Environment], tmp_path: Path
) -> None:
    code, printed = ALONE[name][command]
    # The user's own cache may have builds of browsers.
    finished = alone[name].run(*command, folder=tmp_path, variables={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert finished.returncode == code, finished.stderr
    assert printed in finished.stdout + finished.stderr


def test_environment_of_one_distribution_has_no_packages_of_others(alone: Mapping[str, Environment]) -> None:
    names = {name: {path.name for path in environment.packages.iterdir()} for name, environment in alone.items()}
    assert "justhtml" in names["modelcontext"]
    assert "rich" in names["modelcontext[tools]"] - names["modelcontext"]
    assert "modelcontext_agent" in names["modelcontext-agent"] - names["modelcontext[tools]"]
    # The site is built from the specification.
    assert [name for name, packages in names.items() if "bikeshed" in packages] == ["modelcontext-site"]
