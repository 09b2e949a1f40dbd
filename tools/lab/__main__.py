"""``python -m tools.lab VERB``."""

from __future__ import annotations

import click

from tools.lab import try_lint


@click.group()
def lab() -> None:
    """Test the tools of this project: plant defects for them to find, and compare two that do the same."""


lab.add_command(try_lint.lint)

if __name__ == "__main__":
    lab(prog_name="python -m tools.lab")
