"""Chromium's sandbox: on for users who are not root, off for root."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("starts_a_browser", "takes_long")

# A user namespace in which this user is not root, with the same rights to files.
NOT_ROOT = ("unshare", "--user", "--map-user=1000", "--map-group=1000")

STARTED = """
import json, os
from pathlib import Path
from modelcontext.running.products import make_product
from modelcontext.running.products.chromium import ChromiumEngine

def children(parent):
    for path in Path("/proc").glob("[0-9]*"):
        try:
            found = int((path / "stat").read_text().rpartition(")")[2].split()[1]) == parent
        except OSError:
            continue
        if found:
            yield path
            yield from children(int(path.name))

with make_product("chromium"):
    commands = [(path / "cmdline").read_text() for path in children(os.getpid())]
print(json.dumps({
    "root": os.geteuid() == 0,
    "playwright": ["--no-sandbox" in command for command in commands if "--type=zygote" in command],
    "devtools": "--no-sandbox" in ChromiumEngine().devtools_flags([], for_tests=True),
}))
"""


def started(*prefix: str) -> dict[str, Any]:
    finished = subprocess.run([*prefix, sys.executable, "-c", STARTED], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    result: dict[str, Any] = json.loads(finished.stdout)
    return result


def test_sandbox_is_on_for_a_user_who_is_not_root() -> None:
    nested = [*NOT_ROOT, "unshare", "--user", "--map-root-user", "true"]
    if shutil.which("unshare") is None or subprocess.run(nested, capture_output=True, check=False).returncode != 0:
        pytest.skip("user namespaces, which the sandbox needs, are forbidden here")
    result = started(*NOT_ROOT)
    assert set(result["playwright"]) == {False}
    assert (result["root"], result["devtools"]) == (False, False)


def test_sandbox_is_off_for_root_and_the_same_in_both_drivers() -> None:
    result = started()
    assert result["playwright"] == [result["devtools"]] * len(result["playwright"])
    assert result["devtools"] or not result["root"]
