"""The npm package with builds of Chromium: found, loaded, checked and unpacked by ``npm`` and Node.js.

Nothing here names a registry: ``npm`` asks the one of the user's configuration.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from modelcontext.ground.problems import UnavailableError
from modelcontext_builds.build import numbers

PACKAGE: Final = "@sparticuz/chromium"
#: The browser in the package, compressed.
MEMBER: Final = "package/bin/chromium.br"
#: What a version needs, in megabytes: to load, and in the cache.
LOADED, UNPACKED = 70, 210

#: Node.js comes with npm, and decompresses without another package.
_DECOMPRESS = """
const { pipeline } = require("node:stream/promises");
const fs = require("node:fs");
const [source, target] = process.argv.slice(1);
pipeline(fs.createReadStream(source), require("node:zlib").createBrotliDecompress(), fs.createWriteStream(target))
  .catch((error) => { console.error(error.message); process.exitCode = 1; });
"""
_ERROR = re.compile(r"npm (?:error|ERR!) (?!code )(.+)")


@dataclass(frozen=True)
class Package:
    """One version of the package, with the hash that the registry gives for it."""

    version: str
    integrity: str


def find_package(version: str) -> Package:
    """Return the newest version of the package that a number means: ``147`` means 147.0.2.

    Raises:
        UnavailableError: if there is none, or npm cannot say.
    """
    if not re.fullmatch(r"\d+(\.\d+){0,2}", version):
        raise UnavailableError(f"{version!r} is not a version", "give a number, such as 153")
    found = _npm("view", f"{PACKAGE}@{version}", "--json", "version", "dist.integrity")
    versions: list[dict[str, str]] = found if isinstance(found, list) else [found] if found else []
    if not versions:
        every = _npm("view", PACKAGE, "--json", "versions")
        recent = ", ".join([one for one in every if "-" not in one][-10:])
        raise UnavailableError(f"{PACKAGE} has no version {version}", f"its latest versions are: {recent}")
    newest = max(versions, key=lambda one: numbers(one["version"]))
    return Package(newest["version"], newest["dist.integrity"])


def load_package(package: Package, folder: Path) -> Path:
    """Load a version of the package into a folder, and return its archive.

    Raises:
        UnavailableError: if it cannot be loaded, or is not what the registry has promised.
    """
    [packed] = _npm("pack", f"{PACKAGE}@{package.version}", "--json", "--pack-destination", str(folder))
    archive = folder / Path(packed["filename"]).name
    if not archive.exists():
        [archive] = folder.glob("*.tgz")
    check(archive, package)
    return archive


def check(archive: Path, package: Package) -> None:
    """Compare an archive with the hash of its package. Raises :class:`UnavailableError`."""
    algorithm, _, expected = package.integrity.partition("-")
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, algorithm).digest()
    if base64.b64encode(digest).decode() != expected:
        raise UnavailableError(
            f"{PACKAGE} {package.version} is damaged: its {algorithm} hash differs from the hash in the registry",
            "run `npm cache clean --force`, and try again",
        )


def unpack(archive: Path, program: Path) -> None:
    """Write the browser of an archive to a file that can be run. Raises :class:`UnavailableError`."""
    compressed = program.with_suffix(".br")
    again = "run the command again"
    try:
        with tarfile.open(archive) as opened:
            member = opened.extractfile(MEMBER)
            if member is None:
                raise UnavailableError(f"{archive.name} has no {MEMBER}", "choose another version")
            with member, compressed.open("wb") as file:
                shutil.copyfileobj(member, file)
    except (tarfile.TarError, EOFError, KeyError, OSError) as error:
        raise UnavailableError(f"{archive.name} cannot be unpacked: {error}", again) from None
    command = [_program("node"), "-e", _DECOMPRESS, str(compressed), str(program)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    compressed.unlink()
    if run.returncode:
        raise UnavailableError(f"the browser in {archive.name} cannot be decompressed: {run.stderr.strip()}", again)
    program.chmod(0o755)


def _npm(*arguments: str) -> Any:
    """Return the JSON that npm prints; ``None`` if it prints nothing. Raises :class:`UnavailableError`."""
    run = subprocess.run([_program("npm"), *arguments], capture_output=True, text=True, check=False)
    if run.returncode and "code E404" not in run.stderr:
        lines = _ERROR.findall(run.stderr)
        why = lines[0] if lines else f"exit code {run.returncode}"
        raise UnavailableError(
            f"npm cannot load {PACKAGE}: {why}", "check that the registry in npm's configuration is reachable"
        )
    return json.loads(run.stdout) if run.stdout.strip() and not run.returncode else None


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise UnavailableError(f"there is no {name} on this machine", "install Node.js, which comes with npm")
    return found
