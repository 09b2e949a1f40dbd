"""The rules of the lint: one module for each family; :data:`CHECKS` has them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from speclint.rules import (
    branches,
    calls,
    collections,
    exposure,
    iteration,
    nulls,
    promises,
    script_effects,
    sentences,
    silent_changes,
    strands,
    structs,
    tasks,
    terms,
    variables,
    wording,
    wrong_values,
)

if TYPE_CHECKING:
    from speclint.finding import Context, LintFinding

#: Each check with the rules that its findings name.
CHECKS: Final[tuple[tuple[Callable[[Context], Iterator[LintFinding]], tuple[str, ...]], ...]] = (
    (variables.check_undefined, ("undefined-variable",)),
    (variables.check_shadowed, ("shadowed-variable",)),
    (variables.check_unused, ("unused-variable",)),
    (calls.check_arguments, ("wrong-arguments",)),
    (calls.check_unused_results, ("unused-result",)),
    (calls.check_missing_results, ("missing-result",)),
    (nulls.check_null, ("untested-null",)),
    (nulls.check_failure, ("untested-failure",)),
    (nulls.check_entries, ("untested-entry",)),
    (strands.check_script, ("script-in-parallel",)),
    (strands.check_calls, ("wrong-strand",)),
    (strands.check_state, ("state-on-wrong-strand",)),
    (strands.check_atomic, ("not-atomic",)),
    (script_effects.check_stale, ("stale-state",)),
    (promises.check_settled, ("unsettled-promise", "twice-settled-promise")),
    (promises.check_reasons, ("resolved-with-exception",)),
    (structs.check_items, ("unknown-item", "unset-item", "unread-item")),
    (wrong_values.check_values, ("wrong-value",)),
    (collections.check_collections, ("wrong-collection",)),
    (iteration.check_changed_in_loop, ("changed-in-loop",)),
    (branches.check_reached, ("unreachable-step", "stray-otherwise")),
    (branches.check_conditions, ("dead-branch",)),
    (branches.check_asserts, ("contradicting-assert",)),
    (terms.check_terms, ("duplicate-term", "unused-term")),
    (terms.check_demands, ("must-in-note",)),
    (wording.check_words, ("doubled-word", "wrong-article")),
)

#: The rule about comments that suppress nothing.
SUPPRESSION: Final = "idle-suppression"

#: The names of all rules that hold for every text.
RULES: Final[tuple[str, ...]] = (*(rule for _, rules in CHECKS for rule in rules), SUPPRESSION)

#: Checks of which foreign texts have not shown yet how often they are right.
CHECKS_UNPROVEN: Final[tuple[tuple[Callable[[Context], Iterator[LintFinding]], tuple[str, ...]], ...]] = (
    (script_effects.check_exceptions, ("ignored-exception",)),
    (tasks.check_order, ("racing-tasks",)),
    (tasks.check_global, ("task-of-another-global",)),
    (tasks.check_documents, ("event-at-gone-document",)),
    (exposure.check_exposure, ("unexposed-interface",)),
    (silent_changes.check_silent_changes, ("silent-change",)),
)

#: Checks whose rules are applied if they are asked for by name. The first is for texts that mean to keep to the vocabulary.
CHECKS_BY_NAME: Final = ((sentences.check_sentences, ("not-understood", "two-readings")), *CHECKS_UNPROVEN)

#: The names of the rules that are applied if they are asked for.
RULES_BY_NAME: Final[tuple[str, ...]] = tuple(rule for _, rules in CHECKS_BY_NAME for rule in rules)

#: The names of those that are not proven.
RULES_UNPROVEN: Final[tuple[str, ...]] = tuple(rule for _, rules in CHECKS_UNPROVEN for rule in rules)
