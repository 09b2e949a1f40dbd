"""The known deviations of a product in litmus tests: ``wpt_tests/expectations/litmus-PRODUCT.toml``.

An entry is one cause, with conditions on the outcomes that it explains, in the language of ``docs/litmus.md``:

.. code-block:: toml

    [[litmus]]
    name = "register-notify/two-documents-register"
    reason = "product"                          # who is wrong: "product", "spec" or "test"
    step = "notify-documents-of-a-tool-change 6.6"
    note = "what a reader should know"
    when = ["[top] event toolchange at handler", "[frame] event toolchange at handler"]

If several tests show the cause, a table ``[litmus.when]`` has the conditions for each, instead of ``name`` and ``when``. A
run that shows the deviation does not fail. A sample that never shows it does not fail either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.judging.conformance.expectations import ExpectationEntry, KnownCause, Vocabulary, read_entries
from modelcontext.judging.litmus.conditions import ConditionError, OutcomeCondition, parse

if TYPE_CHECKING:
    from modelcontext.programs.program.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class KnownDeviation(KnownCause):
    """Forbidden outcomes of a test that a product is known to show, with their cause."""

    conditions: tuple[OutcomeCondition, ...]

    def explains(self, outcome: Outcome) -> bool:
        """Return whether the deviation explains a forbidden outcome."""
        return all(condition.holds(outcome) for condition in self.conditions)


def known_deviations(path: Path, vocabulary: Vocabulary) -> Mapping[str, Sequence[KnownDeviation]]:
    """Return the known deviations of a file by the name of the test; none if there is no file.

    Raises:
        ExpectationError: if an entry is invalid.
    """
    known: dict[str, list[KnownDeviation]] = {}
    for entry in read_entries(path, "litmus", ("name", "when")):
        cause = entry.cause(vocabulary)
        for name, texts in entry.by_name("when", "with the conditions for each test").items():
            conditions = _conditions(texts, ExpectationEntry(f"{entry.place}: {name}", {}))
            known.setdefault(name, []).append(KnownDeviation(**vars(cause), conditions=conditions))
    return known


def _conditions(texts: Any, entry: ExpectationEntry) -> tuple[OutcomeCondition, ...]:
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise entry.error('"when" is an array of conditions, with at least one')
    try:
        return tuple(parse(text) for text in texts)
    except ConditionError as error:
        raise entry.error(str(error)) from None
