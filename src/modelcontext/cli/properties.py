"""``modelcontext properties``: what clients of page tools may rely on, under every schedule and with every adversary."""

from __future__ import annotations

import click


@click.group()
def command() -> None:
    """Check clients of page tools: each with every adversary, under every schedule."""
