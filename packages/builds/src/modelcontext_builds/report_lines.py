"""The results of tests in a file that ``modelcontext test --json`` has printed, or ``conformance`` has written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from modelcontext.ground.files import ReadError, read_text
from modelcontext.ground.problems import UserError
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_builds.conformance import history_name

#: What differs between messages of one cause: quotations, numbers, and the values after "expected" or "got".
_VARYING: Final = re.compile(r"\"[^\"]*\"|'[^']*'|\d+|(?<=expected )\S+|(?<=got )\S+")
GOOD: Final = frozenset({"PASS", "OK"})


class ResultsError(UserError):
    """A file that has no results."""


@dataclass(frozen=True)
class ReportLine:
    """The result of one program, file or subtest on one product, and the message of a failure.

    ``name`` is that of the program, of the file, or of the subtest in its file.
    """

    status: str
    message: str = ""
    product: str = ""
    name: str = ""

    @property
    def is_good(self) -> bool:
        """True if nothing is wrong."""
        return self.status in GOOD

    @property
    def cause(self) -> str:
        """The status, and the message without what differs between results of one cause."""
        return f"{self.status}: {_VARYING.sub('…', self.message)}" if self.message else self.status


#: By name, which begins with the product if the file has several: two files can be of two builds.
Results = Mapping[str, ReportLine]


def read_results(path: Path) -> Results:
    """Read the results in a file. Raises :class:`ResultsError`."""
    try:
        return results_in(json.loads(read_text(path)))
    except ReadError as error:
        raise ResultsError(str(error)) from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        words = "has no results: give what `modelcontext test --json` prints, or a conformance.json"
        raise ResultsError(f"{path} {words}") from None


def results_in(data: Any) -> Results:
    """Return the results in JSON data, the last round of each test."""
    found = {(one.product, one.name): one for one in _read(data)}
    is_one = len({product for product, _ in found}) == 1
    return {name if is_one else f"{product} {name}": result for (product, name), result in found.items()}


def _read(data: Any) -> Iterator[ReportLine]:
    if "programs" in data:
        for program in data["programs"]:
            for product, cell in program["products"].items():
                name = history_name(program["name"], program.get("revision", CURRENT.name))
                yield ReportLine(cell["standing"].upper(), cell.get("observed", ""), product, name)
        for test in data["tests"]:
            for product, result in test["products"].items():
                yield from _of_a_file(product, {**result, "test": test["test"]})
        return
    for product in data["products"]:
        for result in product["results"]:
            yield from _of_a_file(product["product"], result)


def _of_a_file(product: str, result: Mapping[str, Any]) -> Iterator[ReportLine]:
    yield ReportLine(result["status"], result["message"] or "", product, result["test"])
    for subtest in result["subtests"]:
        name = name_of_subtest(result["test"], subtest["name"])
        yield ReportLine(subtest["status"], subtest["message"] or "", product, name)


def name_of_subtest(test: str, subtest: str | None) -> str:
    """Return the name of a subtest in results; ``None`` stands for the file itself."""
    return test if subtest is None else f'{test}: "{subtest}"'
