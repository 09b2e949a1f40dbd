"""The installed wheel of the core in an empty folder: its files, and every verb."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder

from modelcontext.judging.coverage.floors import read_floors
from modelcontext.spec.revisions.registry import FILES
from modelcontext.spec.specification import load_algorithms
from tests.packaging.conftest import ROOT, Environment, build_wheels, project

CARRIED = ("FINDINGS.md", "index.bs", "package.json", "spec", "wpt_tests")
PROGRAM = "results/undefined"
TEST = "webmcp/imperative/get-tools.https.html"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an empty folder outside of the checkout."""
    return tmp_path_factory.mktemp("empty")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the npm packages only."""
    folder = tmp_path_factory.mktemp("folder")
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    return folder


def tracked(*paths: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


def test_wheel_has_every_tracked_file_of_package_and_project_and_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    code = {name.removeprefix("src/") for name in tracked("src/modelcontext")}
    project = {f"modelcontext/project/{name}" for name in tracked(*CARRIED)}
    assert names == code | project


def test_source_distribution_has_the_tracked_files_and_gives_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    [sdist] = SdistBuilder(str(ROOT)).build(directory=str(tmp_path / "sdist"))
    # The first releases of Python 3.11 have no filters for archives, and later ones want one.
    subprocess.run(["tar", "--extract", "--file", sdist, "--directory", tmp_path], check=True)
    [source] = tmp_path.glob("modelcontext-*")
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    assert files == tracked() | {"PKG-INFO"}
    build_wheels([source], tmp_path / "wheel")
    assert (tmp_path / "wheel" / wheel.name).read_bytes() == wheel.read_bytes()


def test_installed_package_is_the_wheel_and_says_its_version(environment: Environment, empty: Path) -> None:
    where = environment.run("python", "-c", "import modelcontext; print(modelcontext.__file__)", folder=empty)
    assert Path(where.stdout.strip()).is_relative_to(environment.bin.parent)
    version = environment.run("modelcontext", "--version", folder=empty).stdout
    assert version == f"modelcontext {project(ROOT)['version']}\n"


def number_of_programs(folder: str) -> int:
    return len(list((ROOT / "wpt_tests" / folder).glob("**/*.toml")))


CURRENT, EARLIER = number_of_programs("programs"), number_of_programs("programs-2026-03")
# The programs reach every step and side, which another test holds; so their floors are the numbers of all.
REACHED = read_floors(ROOT / FILES["2026-03"].floors)["programs"]
ALGORITHMS = load_algorithms("2026-03")
STEPS = sum(len(algorithm.steps) for algorithm in ALGORITHMS)

# The exit code of each verb, and a part of its output.
VERBS = {
    ("run", PROGRAM, "--product", "model"): (0, "allowed"),
    ("run", "listing/empty", "--product", "chromium"): (0, "allowed"),
    ("trace", PROGRAM): (0, "schedule: 0"),
    ("conformance", "--product", "model"): (
        0,
        f"Programs (current revision): {CURRENT}/{CURRENT}; Programs (revision 2026-03): {EARLIER}/{EARLIER}",
    ),
    ("test", TEST): (0, "1 file, 11 subtests: 11 PASS"),
    ("litmus", "enumerate", "register-notify/event-and-promise"): (0, "3 outcomes, complete"),
    ("litmus", "run", "register-notify/event-and-promise", "--repeat", "2"): (0, "2 runs"),
    ("fuzz", "--product", "chromium", "--examples", "2", "--seed", "3"): (0, "0 findings"),
    # No other test checks the committed findings: they and the code that they are held against are those of the checkout.
    ("findings", "--check"): (0, ""),
    ("spec", "build"): (0, "wrote "),
    ("spec", "check"): (0, f"2026-03: {len(ALGORITHMS)} algorithms with {STEPS} steps agree with the code"),
    ("spec", "coverage", "--revision", "2026-03"): (0, "{steps}/{steps}  {sides}/{sides}".format_map(REACHED)),
    ("spec", "drift"): (0, "0 differences"),
    ("spec", "lint", str(ROOT / "spec/2026-03/index.bs"), "--json"): (0, '"findings": []'),
    ("spec", "impact", str(ROOT / "index.bs")): (0, "no step is changed"),
    # Into the folder that the product page would make, which takes as long.
    ("page", "build", "build/page/current", "--pyodide", "node_modules/pyodide"): (0, "build/page/current: "),
    ("run", PROGRAM, "--product", "page"): (0, "allowed"),
    ("playground", "build", "playground"): (0, "wrote playground"),
}


@pytest.mark.parametrize("arguments", VERBS, ids=" ".join)
def test_verb_works_in_a_folder_without_checkout(
    arguments: tuple[str, ...], environment: Environment, folder: Path
) -> None:
    code, printed = VERBS[arguments]
    finished = environment.run("modelcontext", *arguments, folder=folder)
    assert (finished.returncode, finished.stderr if finished.returncode != code else "") == (code, "")
    assert printed in finished.stdout


def test_pytest_plugin_runs_the_suite_that_the_package_carries(environment: Environment, folder: Path) -> None:
    suite = f"wpt_tests/{TEST}"
    finished = environment.run("python", "-m", "pytest", suite, "--webmcp-product", "chromium", "-q", folder=folder)
    assert finished.returncode == 0, finished.stdout
    assert "12 passed" in finished.stdout


NPM = {
    ("test", TEST): "wpt-runner@{wpt-runner} @webref/idl@{@webref/idl}",
    ("spec", "drift"): "@webref/idl@{@webref/idl}",
    ("run", PROGRAM, "--product", "polyfill"): "@mcp-b/webmcp-polyfill@{@mcp-b/webmcp-polyfill}",
    ("run", PROGRAM, "--product", "page"): "pyodide@{pyodide}",
    ("page", "build", "page"): "pyodide@{pyodide}",
    ("playground",): "quickjs-wasi@{quickjs-wasi} wpt-runner@{wpt-runner} @webref/idl@{@webref/idl} pyodide@{pyodide}",
}


@pytest.mark.parametrize("arguments", NPM, ids=" ".join)
def test_verb_names_the_npm_command_for_what_it_lacks(
    arguments: tuple[str, ...], environment: Environment, empty: Path
) -> None:
    versions = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    finished = environment.run("modelcontext", *arguments, folder=empty)
    assert finished.returncode in (2, 4)
    command = f"npm install --ignore-scripts {NPM[arguments].format(**versions)}"
    assert f"run `{command}` in {empty}" in finished.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("litmus", "promote"),
        ("findings",),
        ("spec", "extract"),
        ("spec", "coverage", "--raise"),
    ],
    ids=" ".join,
)
def test_verb_that_writes_into_a_checkout_asks_for_one(
    arguments: tuple[str, ...], environment: Environment, empty: Path
) -> None:
    finished = environment.run("modelcontext", *arguments, folder=empty)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "changes a checkout of this project, but this folder is not in a checkout" in finished.stderr


def test_named_folder_without_pyodide_is_an_error(environment: Environment, empty: Path, tmp_path: Path) -> None:
    named = {"MODELCONTEXT_PYODIDE": str(tmp_path)}
    finished = environment.run("modelcontext", "page", "build", "page", folder=empty, variables=named)
    assert finished.returncode == 2
    assert f"{tmp_path / 'pyodide.mjs'} is missing" in finished.stderr
