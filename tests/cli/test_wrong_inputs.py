"""Every option and argument that takes a file or folder, given wrong ones: a clear line, and nothing is destroyed.

The cases are made of the commands themselves: a new verb, or a new option with a path, is tried without a line here, unless it
needs other arguments than none.
"""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from modelcontext.people.cli import VERBS, load_verb

pytestmark = pytest.mark.usefixtures("starts_a_browser")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = str(ROOT / "wpt_tests/programs/results/undefined.toml")
EVALS = ROOT / "docs/examples/evals"
ANSWERS = ROOT / "packages/agent/src/modelcontext_agent/demo/conversation.toml"
TEST = "webmcp/imperative/register-tool-names.https.html"
LITMUS = "register-notify/event-and-promise"
#: Seconds that one case may take. A FIFO without a writer would wait for ever.
PATIENCE = 40

#: Arguments that are not paths, but become one if they have no other meaning, and the ending of such a file.
FILES_BY_NAME = {
    ("run", "programs"): ".toml",
    ("trace", "program"): ".toml",
    ("test", "paths"): ".html",
    ("test new", "program"): ".toml",
    ("audit", "paths"): ".html",
    ("spec drift", "other"): ".bs",
    ("forms check", "source"): ".html",
    ("bisect", "path"): ".toml",
    ("litmus enumerate", "names"): ".toml",
    ("litmus explain", "name"): ".toml",
    ("litmus explain", "outcome"): ".json",
    ("litmus run", "names"): ".toml",
    ("litmus inject", "names"): ".toml",
    ("agent eval", "name"): ".toml",
    ("agent serve", "models"): ".toml",
    ("agent check", "sources"): ".html",
    ("agent check", "binary"): "",
    ("agent tools", "source"): ".html",
    ("agent tools", "binary"): "",
    ("agent demo", "binary"): "",
    ("mcp", "binary"): "",
}
#: The database of an option that makes one if there is none.
WRITTEN_BY_NAME = {("agent serve", "database"): ".db"}
#: What stands before the name of a file.
BEFORE = {
    ("agent eval", "name"): "scripted:",
    ("agent serve", "models"): "scripted:",
    ("agent serve", "database"): "sqlite:///",
}
#: The endings of files that an option reads.
ENDINGS = {"inject": ".js", "script": ".js", "recorded": ".json", "expectations": ".toml", "allowed": ".toml"}
ENDINGS |= {
    "path": ".html",
    "files": ".bs",
    "other": ".bs",
    "old": ".bs",
    "file": ".json",
    "tools": ".json",
    "compare": ".json",
    "webhooks_file": ".toml",
}

#: What a verb needs besides, with which it ends soon: often an error that comes after the paths were looked at.
OTHERS: dict[str, Sequence[str]] = {
    "run": ("{programs}", "--product", "model"),
    "trace": ("{program}",),
    "playground": (),
    "playground build": ("{out}", "--pyodide", "{pyodide}"),
    "site": ("{out}", "--without-python", "--root", "{root}"),
    "spec drift": ("{other}",),
    "spec diff": ("current", "current"),
    "spec issues": ("--markdown", "99999"),
    "spec build": ("--root", "{root}"),
    "spec check": ("--root", "{root}"),
    "spec generate": ("--check", "--root", "{root}"),
    "spec extract": ("--check", "--root", "{root}"),
    "spec coverage": ("--revision", "2026-03", "--html", "{html}"),
    "spec lint": ("{files}",),
    "spec impact": ("{other}",),
    "spec proposals": ("--check", "--quick", "--root", "{root}"),
    "spec beside": ("/nowhere/index.bs", "--check", "--root", "{root}"),
    "spec read": ("/nowhere/index.bs", "--root", "{root}"),
    "spec renumber": ("{old}",),
    "spec try": ("{other}", PROGRAM, "--workers", "1"),
    "conformance": ("--product", "model", "--programs", "{programs}", "--output", "{output}"),
    "test": ("{paths}", "--product", "simulated"),
    "test new": ("{program}",),
    "bisect": ("{path}",),
    "compare": ("{old}", "{new}"),
    "record": ("/nowhere/page.html",),
    "audit": ("{paths}", "--product", "simulated", "--schedules", "0"),
    "fuzz": ("--product", "model", "--examples", "1", "--output", "{output}"),
    "findings": (),
    "js": ("{path}",),
    "forms check": ("{source}",),
    "page build": ("{out}", "--pyodide", "{pyodide}"),
    "litmus enumerate": ("{names}",),
    "litmus explain": ("{name}", "{outcome}"),
    "litmus run": ("{names}", "--product", "simulated", "--repeat", "1"),
    "litmus steer": (LITMUS, "--binary", "/nowhere/chromium"),
    "litmus promote": (LITMUS, "--check"),
    "litmus races": ("--scene", "alone", "--sample", "1"),
    "litmus inject": ("{script}", "{names}", "--schedule", "0"),
    "properties explain": ("naive-page-script", "approval-covers-the-definition", "--bound", "1"),
    "properties check": ("--live", "--adversary", "nobody"),
    "properties liveness": ("--actions", "1"),
    "properties report": ("--check", "--root", "{root}"),
    "agent eval": ("{file}", "--tools", "{tools}", "--model", f"scripted:{EVALS / 'tea-answers.toml'}"),
    "agent serve": ("--model", f"scripted:{ANSWERS}", "--database", "sqlite:////nowhere/chats.db"),
    "agent gateway": ("--format", "google", "--quirk", "index-zero"),
    "agent tools": ("{source}",),
    "agent check": ("{sources}",),
    "agent demo": (),
    "mcp": ("http://localhost/",),
}
#: Right values, for the paths that are not tried.
RIGHT = {
    "programs": PROGRAM,
    "program": PROGRAM,
    "paths": TEST,
    "names": LITMUS,
    "name": LITMUS,
    "outcome": "1",
    "other": "/nowhere/index.bs",
    "old": "/nowhere/index.bs",
    "new": "/nowhere/new.json",
    "source": "http://localhost/",
    "root": "/nowhere",
    "pyodide": "/nowhere",
    "file": str(EVALS / "tea.json"),
    "tools": str(EVALS / "tea-tools.json"),
}
READ = ("missing", "dangling", "loop", "folder", "empty", "binary", "nested", "huge", "fifo")
READ_FOLDER = ("missing", "dangling", "file", "fifo", "empty folder", "folder of binaries")
WRITTEN = ("folder", "below a file", "loop", "name too long", "below a fifo")
WRITTEN_FOLDER = ("file", "below a file", "loop", "fifo", "name too long")


def walk(name: tuple[str, ...], command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield the commands that do something, below and at one."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        # The command of speclint has tests of its own.
        for part in (part for part in command.list_commands(context) if part != "lint"):
            other = command.get_command(context, part)
            assert other is not None
            yield from walk((*name, part), other)
        if not command.invoke_without_command:
            return
    yield " ".join(name), command


def cases() -> Iterator[tuple[str, str, str, str]]:
    """Yield verb, parameter, kind of wrong file, and its ending."""
    for verb in VERBS:
        command = load_verb(verb)
        for name, one in walk((verb,), command):
            for parameter in one.params:
                assert parameter.name is not None
                place = name, parameter.name
                some: Sequence[str]
                if place in FILES_BY_NAME:
                    ending, some = FILES_BY_NAME[place], READ
                elif place in WRITTEN_BY_NAME:
                    ending, some = WRITTEN_BY_NAME[place], WRITTEN
                else:
                    ending, some = ENDINGS.get(parameter.name, ".txt"), kinds(parameter.type)
                for kind in some:
                    yield name, parameter.name, kind, ending


def kinds(type_: click.ParamType[Any]) -> Sequence[str]:
    if not isinstance(type_, click.Path):
        return ()
    if not type_.file_okay:
        return READ_FOLDER if type_.exists else WRITTEN_FOLDER
    return WRITTEN if hasattr(type_, "_check") else READ


CASES = list(cases())


def test_cases_are_some_hundreds() -> None:
    assert len(CASES) > 250


def wrong(kind: str, ending: str, folder: Path) -> Path:
    """Make a wrong file or folder."""
    path = folder / f"wrong{ending}"
    match kind:
        case "missing":
            pass
        case "dangling":
            path.symlink_to("nowhere")
        case "loop":
            path.symlink_to(path.name)
        case "folder" | "empty folder":
            path.mkdir()
        case "empty" | "file":
            path.write_bytes(b"")
        case "binary":
            path.write_bytes(bytes(range(256)) * 400)
        case "nested":
            path.write_text("a = " + "[" * 100_000 if ending == ".toml" else "[" * 100_000, encoding="utf-8")
        case "huge":
            path.write_bytes(b"x = 1 # {}\n" * 4_000_000)
        case "fifo":
            os.mkfifo(path)
        case "folder of binaries":
            path.mkdir()
            for name in (
                "index.bs",
                "finding.json",
                "campaign.json",
                "package.json",
                "pyodide.mjs",
                "a.toml",
                "a.html",
            ):
                (path / name).write_bytes(bytes(range(256)))
        case "below a file" | "below a fifo":
            (folder / "middle").write_bytes(b"") if kind == "below a file" else os.mkfifo(folder / "middle")
            path = folder / "middle" / path.name
        case "name too long":
            path = folder / ("n" * 300)
    return path


def state(folder: Path) -> dict[Path, tuple[int, int, int]]:
    """Return what each file is, and how long."""
    found = {path: path.lstat() for path in folder.rglob("*")}
    return {
        path: (one.st_ino, stat.S_IFMT(one.st_mode), one.st_size)
        for path, one in found.items()
        if path.parent == folder
    }


def split(verb: str) -> tuple[str, list[str]]:
    """Return the verb that is loaded, and the words after it: a verb of two words is one command."""
    loaded = next(name for name in (" ".join(verb.split()[:2]), verb.split()[0]) if name in VERBS)
    return loaded, verb.removeprefix(loaded).split()


def arguments(verb: str, parameter: str, path: Path, folder: Path) -> list[str]:
    """Return the arguments of a verb of which one is wrong."""
    value = BEFORE.get((verb, parameter), "") + str(path)
    given = {**RIGHT, parameter: value}
    others = OTHERS[verb]
    filled = [
        part if "{" not in part else given.get(part[1:-1]) or str(folder.parent / f"right-{part[1:-1]}")
        for part in others
    ]
    if f"{{{parameter}}}" in others:
        return [*split(verb)[1], *filled]
    command = dict(walk((split(verb)[0],), load_verb(split(verb)[0])))[verb]
    [option] = [one for one in command.params if one.name == parameter]
    # The last one of an option counts.
    around = ([], [option.opts[0], value]) if isinstance(option, click.Option) else ([value], [])
    return [*split(verb)[1], *around[0], *filled, *around[1]]


def _end(number: int, frame: object) -> None:
    raise TimeoutError(f"no end within {PATIENCE} seconds")


@pytest.mark.parametrize(("verb", "parameter", "kind", "ending"), CASES)
def test_wrong_file_is_one_clear_line(verb: str, parameter: str, kind: str, ending: str, tmp_path: Path) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    path = wrong(kind, ending, folder)
    before = state(folder)
    command = load_verb(split(verb)[0])
    signal.signal(signal.SIGALRM, _end)
    signal.alarm(PATIENCE)
    try:
        result = CliRunner().invoke(command, arguments(verb, parameter, path, folder))
    finally:
        signal.alarm(0)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    assert len(result.stderr) < 20_000
    assert result.exit_code in (0, 1, 2, 3, 4)
    if result.exit_code in (2, 3):
        assert result.stderr.strip()
    assert state(folder) == before
