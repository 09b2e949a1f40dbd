"""Folders of files with which Python, and parts of this package, run in a page; any static server can host them.

Python is Pyodide, from the npm package of that name. The same parts give the same bytes, whenever they are built.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from modelcontext.checkout import find_checkout
from modelcontext.files import WriteError
from modelcontext.problems import UnavailableError

PACKAGE = Path(__file__).resolve().parents[1]
#: Where the runtime is in a checkout, and which of its files a page needs.
RUNTIME = Path("node_modules/pyodide")
RUNTIME_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
#: The parts of this package that algorithms and the platform below them consist of.
PLATFORM = ("infra", "ecmascript", "webidl", "dom", "html", "host", "schedule", "revisions")

_SNAPSHOT_SCRIPT = Path(__file__).parent / "snapshot.mjs"
# The earliest time that a zip archive can name, and the permissions of a file that everybody may read.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o100644 << 16


def runtime_folder() -> Path:
    """The folder of Pyodide's files. Raises :class:`UnavailableError` if the npm package is not installed."""
    checkout = find_checkout()
    if checkout is None:
        raise UnavailableError(
            f"there is no checkout of this project here, and so no {RUNTIME}", "change to a checkout"
        )
    folder = checkout / RUNTIME
    for name in RUNTIME_FILES:
        if not (folder / name).is_file():
            raise UnavailableError(f"{folder / name} is missing", f"run `npm ci --ignore-scripts` in {checkout}")
    return folder


def runtime_version() -> str:
    """The version of Pyodide. Raises :class:`UnavailableError` if it is not installed."""
    version: str = json.loads((runtime_folder() / "package.json").read_text(encoding="utf-8"))["version"]
    return version


def archive(parts: Iterable[str]) -> bytes:
    """A zip archive of parts of this package, each a folder or a module, to put on Python's path in the page.

    Without ``__init__`` among them nothing of this package is imported but what is asked for.
    """
    return zipped(dict(_files_of_parts(parts)))


def zipped(files: Mapping[str, bytes]) -> bytes:
    """The zip archive of some files, by name; equal files give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = _READABLE
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            target.writestr(info, files[name])
    return buffer.getvalue()


def write_bundle(out: Path, files: Mapping[str, bytes]) -> None:
    """Write Pyodide's files into ``out``/pyodide, and the given ones, by their names, into ``out``.

    Raises :class:`UnavailableError` if Pyodide is not installed, :class:`WriteError` if something cannot be written.
    """
    runtime = runtime_folder()
    contents = {f"pyodide/{name}": (runtime / name).read_bytes() for name in RUNTIME_FILES} | dict(files)
    try:
        for name, content in contents.items():
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not (path.is_file() and path.read_bytes() == content):
                path.write_bytes(content)
    except OSError as error:
        raise WriteError(f"{error.filename or out} cannot be written: {error.strerror}") from None


def write_snapshot(out: Path, archive_name: str, modules: Sequence[str]) -> bool:
    """Write ``snapshot.bin`` into ``out``: the memory of a Python that has imported the modules, which starts faster.

    False if there is no Node.js, which makes it. One that is up to date is left as it is.
    """
    node = shutil.which("node")
    if node is None:
        return False
    contents = [(out / archive_name).read_bytes(), (runtime_folder() / "pyodide.asm.wasm").read_bytes()]
    digest = hashlib.sha256(b"".join([*contents, " ".join(modules).encode()])).hexdigest()
    snapshot, mark = out / "snapshot.bin", out / "snapshot.sha256"
    if snapshot.is_file() and mark.is_file() and mark.read_text(encoding="ascii") == digest:
        return True
    mark.unlink(missing_ok=True)
    part = snapshot.with_suffix(".part")
    command = [node, str(_SNAPSHOT_SCRIPT), str(runtime_folder()), str(out / archive_name), str(part), *modules]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        reason = next((line for line in reversed(finished.stderr.splitlines()) if line.strip()), "no reason given")
        raise UnavailableError(f"Node.js could not start Python: {reason}", "use Node.js 20 or newer")
    part.replace(snapshot)
    mark.write_text(digest, encoding="ascii")
    return True


def _files_of_parts(parts: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for part in parts:
        module = PACKAGE / f"{part}.py"
        folder = PACKAGE / part
        if not module.is_file() and not folder.is_dir():
            raise ValueError(f"this package has no part {part}")
        for path in [module] if module.is_file() else sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".json" and "__pycache__" not in path.parts:
                yield f"modelcontext/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes()
