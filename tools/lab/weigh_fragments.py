"""``python -m tools.lab weights``: the weights of the fragments of generated programs, made anew."""

from __future__ import annotations

import sys

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.files import write_whole
from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from tools.lab.weights import weights_texts


@click.command(epilog="\b\nExample:\n  python -m tools.lab weights --check")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if something would be written.")
def weights(check: bool) -> None:
    """Weigh the fragments of generated programs: what the programs of a checkout do not cover gets more weight.

    New weights change the programs of every seed.
    """
    with exit_on_problems():
        stale = {path: text for path, text in weights_texts(project_root()) if path.read_text("utf-8") != text}
        for path, text in stale.items():
            if check:
                click.echo(f"{path} is not what the programs give now; run `python -m tools.lab weights`", err=True)
            else:
                write_whole(path, text)
    sys.exit(FOUND if check and stale else 0)
