"""The scenarios of docs/python.md, as they are there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

PAGE: Final = Path(__file__).parents[3] / "docs" / "python.md"

#: The code of each scenario and its assertions, by the name of its function.
SCENARIOS: Final[Mapping[str, str]] = {
    match[1]: match[0]
    for code in re.findall(r"^### .*?```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if (match := re.match(r"def (\w+)\(browser\):.*", code, re.DOTALL))
}


def names_of(code: str) -> dict[str, Any]:
    """Run code with the imports that the page says, and return its names."""
    names: dict[str, Any] = {}
    exec("from modelcontext import RejectedError, assert_always, assert_possible, explore", names)
    exec(compile(code, str(PAGE), "exec"), names)
    return names


def function_of(name: str, *changes: tuple[str, str]) -> Any:
    """Return the function of a scenario, with some changes of its text."""
    code = SCENARIOS[name].partition("\n\n\n")[0]
    for old, new in changes:
        assert old in code, old
        code = code.replace(old, new)
    return names_of(code)[name]
