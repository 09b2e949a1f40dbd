"""The configuration file: what a user would else give with every command.

It is ``modelcontext.toml``, or the table ``[tool.modelcontext]`` of ``pyproject.toml``, in the working directory or the
nearest folder above it that has one. Each value stands in for an environment variable, so an option comes before the variable,
and the variable before the file.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, NoReturn

from modelcontext.ground.files import read_toml, read_whole
from modelcontext.ground.problems import UserError
from modelcontext.ground.tables import did_you_mean, type_in_words

#: The variables, by key. Relative paths in the file are relative to the file.
VARIABLES: Final = {
    "products": "MODELCONTEXT_PRODUCTS",
    "wpt": "MODELCONTEXT_WPT",
    "pyodide": "MODELCONTEXT_PYODIDE",
    "binary.chromium": "MODELCONTEXT_CHROMIUM",
    "binary.firefox": "MODELCONTEXT_FIREFOX",
}
_NAMES: Final = ("modelcontext.toml", "pyproject.toml")


class ConfigurationError(UserError):
    """An error in the configuration file; the message names the file and the key."""


def configure(start: Path) -> None:
    """Set the variables that the nearest configuration file gives, and that the environment does not.

    Raises:
        ConfigurationError: if the file has a wrong key or value.
        ReadError: if it cannot be read.
    """
    for folder in (start, *start.parents):
        for name in _NAMES:
            path = folder / name
            if path.is_file() and (table := _table(path)) is not None:
                for variable, value in _values(table, path).items():
                    os.environ.setdefault(variable, value)
                return


def _table(path: Path) -> dict[str, Any] | None:
    """Return the table of a file, or None if the file is about other things."""
    if path.name == _NAMES[0]:
        return read_toml(path)
    # Of other people's files only those matter that speak of this package.
    if b"modelcontext" not in read_whole(path):
        return None
    tools = read_toml(path).get("tool", {})
    table = tools.get("modelcontext") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None


def _values(table: dict[str, Any], path: Path) -> dict[str, str]:
    values: dict[str, str] = {}
    flat = {key: value for key, value in table.items() if key != "binary"}
    binary = table.get("binary", {})
    if not isinstance(binary, dict):
        _fail(path, "binary", f"a table with a program for each browser is needed here, not {type_in_words(binary)}")
    flat |= {f"binary.{browser}": value for browser, value in binary.items()}
    for key, value in flat.items():
        if key not in VARIABLES:
            _fail(path, key, f"there is no such key{did_you_mean(key, VARIABLES)}")
        values[VARIABLES[key]] = _products(value, path) if key == "products" else _path(value, key, path)
    return values


def _products(value: Any, path: Path) -> str:
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        _fail(path, "products", 'a list of names is needed here, such as ["chromium", "simulated"]')
    from modelcontext.running.products import named_products  # It takes long to import, and few files have this key.

    for name in value:
        if name not in named_products():
            _fail(path, "products", f'there is no product "{name}"{did_you_mean(name, [*named_products()])}')
    return " ".join(value)


def _path(value: Any, key: str, path: Path) -> str:
    if not isinstance(value, str) or not value:
        _fail(path, key, f"a path is needed here, not {type_in_words(value)}")
    found = path.parent / Path(value).expanduser()
    if not found.exists():
        _fail(path, key, f"{found} does not exist")
    return str(found)


def _fail(path: Path, key: str, problem: str) -> NoReturn:
    raise ConfigurationError(f"{path}: {key}: {problem}")
