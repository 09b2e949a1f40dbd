"""Folders of files with which Python and parts of this package run in a page; any static server can host them.

Python is Pyodide, from the npm package of that name. The same parts always give the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from modelcontext.ground.checkout import PACKAGE, npm_packages, project_root
from modelcontext.ground.files import write_whole
from modelcontext.ground.problems import UnavailableError
from modelcontext.spec.revisions.registry import CURRENT

#: The environment variable that names the folder of Pyodide's files.
VARIABLE = "MODELCONTEXT_PYODIDE"
#: Pyodide's files that a page needs.
RUNTIME_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
#: The parts of this package with the algorithms and the platform below them.
PLATFORM = (
    "ground/problems",
    "platform/infra",
    "platform/ecmascript",
    "platform/webidl",
    "platform/dom",
    "platform/html",
    "spec/verbs",
    "ground/schedule",
    "spec/revisions",
)

# The module of a page that starts Python: startPython(archive).
_STARTER = Path(__file__).parent / "start-python.js"
_SNAPSHOT_SCRIPT = Path(__file__).parent / "snapshot.mjs"
# The earliest time that a zip archive can name, and the permissions of a file that all users may read.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o100644 << 16


def runtime_folder(given: Path | None = None) -> Path:
    """Return the folder of Pyodide's files: the given one, else the environment variable's, else the npm package.

    Raises:
        UnavailableError: if the folder or a file in it is missing.
    """
    named = given or os.environ.get(VARIABLE)
    [folder] = [Path(named)] if named else npm_packages(project_root(), "pyodide")
    for name in (*RUNTIME_FILES, "package.json"):
        if not (folder / name).is_file():
            remedy = f"name the folder of the npm package pyodide with --pyodide or {VARIABLE}, or install the package"
            raise UnavailableError(f"{folder / name} is missing", remedy)
    return folder


def runtime_version() -> str:
    """Return the version of Pyodide. Raises :class:`UnavailableError` if it is not installed."""
    version: str = json.loads((runtime_folder() / "package.json").read_text(encoding="utf-8"))["version"]
    return version


def archive(parts: Iterable[str], more: Mapping[str, bytes] | None = None) -> bytes:
    """Return a zip archive of parts of this package, each a folder or a module, for Python's path in the page.

    Without ``__init__`` among the parts, an import loads only the modules that it needs.

    Args:
        parts: the parts.
        more: files that this package does not have, by their paths.
    """
    return zipped({**dict(_files_of_parts(parts)), **(more or {})})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of files by name; equal files give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = _READABLE
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            target.writestr(info, files[name])
    return buffer.getvalue()


def write_bundle(
    out: Path, files: Mapping[str, bytes], archive_name: str, modules: Sequence[str], pyodide: Path | None = None
) -> None:
    """Write Pyodide's files into ``out``/pyodide, and the given files, by their names, and ``start-python.js`` into ``out``.

    With Node.js there is also ``snapshot.bin``, the memory of a Python that has imported ``modules`` from the archive,
    which starts faster. A snapshot that is up to date is kept.

    Raises:
        UnavailableError: if Pyodide is not installed, or Node.js cannot run it.
        WriteError: if something cannot be written.
    """
    runtime = runtime_folder(pyodide)
    contents = {f"pyodide/{name}": (runtime / name).read_bytes() for name in RUNTIME_FILES} | dict(files)
    contents[_STARTER.name] = _STARTER.read_bytes()
    for name, content in contents.items():
        path = out / name
        if not (path.is_file() and path.read_bytes() == content):
            write_whole(path, content)
    if (node := shutil.which("node")) is not None:
        _write_snapshot(node, runtime, out, archive_name, modules)


def _write_snapshot(node: str, runtime: Path, out: Path, archive_name: str, modules: Sequence[str]) -> None:
    sources = [(out / archive_name).read_bytes(), (runtime / "pyodide.asm.wasm").read_bytes()]
    digest = hashlib.sha256(b"".join([*sources, " ".join(modules).encode()])).hexdigest()
    snapshot, mark = out / "snapshot.bin", out / "snapshot.sha256"
    if snapshot.is_file() and mark.is_file() and mark.read_text(encoding="ascii") == digest:
        return
    mark.unlink(missing_ok=True)
    # Another process can be writing the same snapshot.
    with tempfile.TemporaryDirectory(dir=out) as folder:
        part = Path(folder, snapshot.name)
        command = [node, str(_SNAPSHOT_SCRIPT), str(runtime), str(out / archive_name), str(part), *modules]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            reason = next((line for line in reversed(finished.stderr.splitlines()) if line.strip()), "no reason given")
            raise UnavailableError(f"Node.js could not start Python: {reason}", "use Node.js 20 or newer")
        part.replace(snapshot)
    write_whole(mark, digest)


def _files_of_parts(parts: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for part in parts:
        module = PACKAGE / f"{part}.py"
        folder = PACKAGE / part
        if not module.is_file() and not folder.is_dir():
            raise ValueError(f"this package has no part {part}")
        for path in [module] if module.is_file() else sorted(folder.rglob("*")):
            is_for_tools = path.suffix == ".json" and path.name != CURRENT.definitions.name
            if path.is_file() and not is_for_tools and "__pycache__" not in path.parts:
                yield f"modelcontext/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes()
