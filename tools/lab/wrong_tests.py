"""The trial of the audit: wrong tests, planted in copies of the files of our suite, which the audit has to name.

``wrong-tests/`` beside this module has them, one file for each kind:

.. code-block:: toml

    [[wrong]]
    test = "webmcp/imperative/toolchange.https.html"   # the file that is changed
    subtests = ["A registration fires it once"]        # those that are wrong then
    belief = "what somebody believed who wrote this"
    verdict = ["contradicts"]                          # what the audit has to say: "contradicts" or "order"
    find = "..."                                       # replaced by `replace`; or
    add = "..."                                        # added at the end of the last script
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.judging.wpt.audit.judging import Ruling
from modelcontext.judging.wpt.discovery import tests_in
from modelcontext.judging.wpt.tree import Tree

if TYPE_CHECKING:
    from modelcontext.judging.wpt.audit.judging import Judgment
    from modelcontext.judging.wpt.discovery import Test

#: The folder of the wrong tests.
WRONG_TESTS: Final = Path(__file__).parent / "wrong-tests"
_VERDICTS: Final = {"contradicts": Ruling.CONTRADICTS, "order": Ruling.ORDER}
_END: Final = "</script>"


class WrongTestError(ValueError):
    """An entry does not fit the file that it changes; the message says which."""


@dataclass(frozen=True)
class WrongTest:
    """A wrong test: the ``subtests`` of a file that are wrong once its text is ``text``, and the right verdicts on them."""

    kind: str
    test: str
    subtests: tuple[str, ...]
    belief: str
    verdicts: tuple[Ruling, ...]
    text: str

    @property
    def name(self) -> str:
        """The kind and the first subtest."""
        return f"{self.kind}: {self.subtests[0]}"


@dataclass(frozen=True)
class TrialResult:
    """The judgments on the subtests of a wrong test, and on the right ones beside them that were accused."""

    wrong: WrongTest
    judgments: Sequence[Judgment]
    accused: Sequence[Judgment]

    @property
    def is_named(self) -> bool:
        """True if the audit names each wrong subtest rightly."""
        named = [one.evidence.subtest for one in self.judgments if one.verdict in self.wrong.verdicts]
        return set(named) == set(self.wrong.subtests)

    def to_data(self) -> dict[str, Any]:
        """Return the result as data for JSON."""
        return {
            "name": self.wrong.name,
            "test": self.wrong.test,
            "belief": self.wrong.belief,
            "named": self.is_named,
            "verdicts": {one.evidence.subtest: one.verdict.name.lower() for one in self.judgments},
            "accused": [one.evidence.subtest for one in self.accused],
        }


def load_wrong_tests(root: Path, folder: Path = WRONG_TESTS) -> list[WrongTest]:
    """Return the wrong tests of a folder, which are planted in the suite of a checkout.

    Raises:
        WrongTestError: if an entry does not fit its file.
    """
    found = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["wrong"]:
            text = (root / "wpt_tests" / entry["test"]).read_text(encoding="utf-8")
            before = entry.get("find", _END)
            if "find" in entry and text.count(before) != 1:
                count = text.count(before)
                raise WrongTestError(
                    f'{path}: "{entry["subtests"][0]}": {entry["test"]} has the text to find {count} times'
                )
            after = entry.get("replace", entry.get("add", "") + _END)
            head, _, tail = text.rpartition(before)
            verdicts = tuple(_VERDICTS[word] for word in entry["verdict"])
            found.append(
                WrongTest(
                    path.stem, entry["test"], tuple(entry["subtests"]), entry["belief"], verdicts, head + after + tail
                )
            )
    return found


def plant(wrong: Sequence[WrongTest], tree: Tree, folder: Path) -> tuple[Tree, list[Test]]:
    """Write each wrong test into a folder, under a name of its own; return the tree and the tests, in their order.

    What the tests load comes from the given tree.
    """
    tests = []
    for number, one in enumerate(wrong):
        place = folder / Path(one.test).parent / f"wrong-{number}-{Path(one.test).name}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(one.text, encoding="utf-8")
        tests += list(tests_in(folder, place))
    suites = {f"/{Path(one.test).parts[0]}/": tree.root / Path(one.test).parts[0] for one in wrong}
    return Tree(folder, tree.files, {**tree.folders, **suites}), tests


def results(wrong: Sequence[WrongTest], tests: Sequence[Test], judgments: Sequence[Judgment]) -> list[TrialResult]:
    """Return the result of the trial for each wrong test, from the judgments on the planted tests."""
    found = []
    for one, test in zip(wrong, tests, strict=True):
        own = [judgment for judgment in judgments if judgment.evidence.test == test.path]
        found.append(
            TrialResult(
                one,
                [judgment for judgment in own if judgment.evidence.subtest in one.subtests],
                [
                    judgment
                    for judgment in own
                    if judgment.is_wrong and judgment.evidence.subtest not in (None, *one.subtests)
                ],
            )
        )
    return found
