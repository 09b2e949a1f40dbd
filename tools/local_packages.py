"""Prints the folders of packages/ that an extra of this project needs: python tools/local_packages.py EXTRA."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[([^\]]*)\])?")


def folders_for(extra: str) -> list[str]:
    """Return the folders of the distributions that an extra requires, itself or by way of others."""
    local = {
        _project(folder)["name"]: folder for folder in ROOT.glob("packages/*") if (folder / "pyproject.toml").exists()
    }
    projects = {name: _project(folder) for name, folder in local.items()} | {"modelcontext": _project(ROOT)}
    wanted, seen = [f"modelcontext[{extra}]"], set[str]()
    while wanted:
        requirement = wanted.pop()
        match = _REQUIREMENT.match(requirement)
        if match is None or match[1] not in projects or requirement in seen:
            continue
        seen.add(requirement)
        project = projects[match[1]]
        wanted += project.get("dependencies", [])
        for name in (match[2] or "").replace(" ", "").split(","):
            wanted += project["optional-dependencies"][name] if name else []
    names = {match[1] for requirement in seen if (match := _REQUIREMENT.match(requirement))}
    return sorted(f"packages/{local[name].name}" for name in names if name in local)


def _project(folder: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


if __name__ == "__main__":
    print("\n".join(folders_for(sys.argv[1])))
