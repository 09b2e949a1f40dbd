"""Results as ``wptreport.json``, as wptrunner writes it with ``--log-wptreport`` and collectors of reports read it."""

from __future__ import annotations

import json
import platform
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.judging.wpt.expectations import Expectations, expected_status
from modelcontext.judging.wpt.results import FileStatus, Result
from modelcontext.platform.infra.strings import LONE_SURROGATE

if TYPE_CHECKING:
    from modelcontext.judging.wpt.suite import SuiteRun

# The names that wptrunner has.
_SYSTEMS = {"Linux": "linux", "Darwin": "mac", "Windows": "win"}


def as_wptreport(run: SuiteRun) -> str:
    """Return the text of the file.

    ``expected`` is there only if a status is not the expected one. A file that did not run is ``SKIP``, for which
    wptrunner does not have expectations.
    """
    report = {
        "run_info": describe_run(run),
        "time_start": round(run.begun * 1000),
        "time_end": round(run.ended * 1000),
        "results": [_file(result, run.known) for result in run.results],
    }
    text = json.dumps(report, ensure_ascii=False) + "\n"
    # UTF-8 cannot represent lone surrogates; wptrunner writes them in this form.
    return LONE_SURROGATE.sub(lambda match: f"U+{ord(match[0]):x}", text)


def describe_run(run: SuiteRun) -> dict[str, Any]:
    """Return the ``run_info``. Its ``revision`` is the commit of the tests, if their folder is in a checkout."""
    return {
        "product": run.target.name,
        **({"browser_version": run.version} if run.version is not None else {}),
        "os": _SYSTEMS.get(platform.system(), platform.system().lower()),
        "os_version": platform.release(),
        "processor": platform.machine(),
        "bits": struct.calcsize("P") * 8,
        "debug": False,
        "headless": True,
        **({"revision": commit} if (commit := _commit(run.tree.root)) is not None else {}),
    }


def _commit(root: Path) -> str | None:
    try:
        answer = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def _file(result: Result, expectations: Expectations) -> dict[str, Any]:
    data = result.to_data()
    for subtest in data["subtests"]:
        subtest |= _expected(subtest["status"], expected_status(expectations, result.test, subtest["name"]))
    if result.status is FileStatus.NOTRUN:
        return data | {"status": "SKIP"}
    return data | _expected(result.status, expected_status(expectations, result.test))


def _expected(status: str, expected: str) -> dict[str, str]:
    return {"expected": expected} if status != expected else {}
