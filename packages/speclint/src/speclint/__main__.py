"""``python -m speclint``."""

from __future__ import annotations

from speclint.command import main

main()
