"""``python -m tools.lab VERB``."""

from __future__ import annotations

import click

from tools.lab import (
    compare_interpreters,
    compare_javascript,
    damage_texts,
    kill_servers,
    lint_history,
    lint_precision,
    record_reach,
    try_audit,
    try_lint,
    try_mutants,
    try_races,
    try_suite,
    weigh_fragments,
)


@click.group()
def lab() -> None:
    """Test the tools of this project: plant defects for them to find, and compare two that do the same."""


lab.add_command(try_lint.lint)
lab.add_command(lint_precision.precision)
lab.add_command(lint_history.history)
lab.add_command(damage_texts.damage)
lab.add_command(try_audit.audit)
lab.add_command(try_suite.mutations)
lab.add_command(try_mutants.mutants)
lab.add_command(try_races.races)
lab.add_command(compare_interpreters.interpreters)
lab.add_command(compare_javascript.javascript)
lab.add_command(record_reach.reach)
lab.add_command(weigh_fragments.weights)
lab.add_command(kill_servers.kills)

if __name__ == "__main__":
    lab(prog_name="python -m tools.lab")
