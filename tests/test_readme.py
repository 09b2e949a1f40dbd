"""The example in the README works as shown."""

import re
import tomllib
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_python_example_prints_the_output_in_the_readme() -> None:
    match = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)
    assert match is not None
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(match[1], "README.md", "exec"), {})
    assert printed.getvalue() == match[2]


def test_table_of_extras_has_each_extra() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", README.partition("| extra | for |")[2].partition("\n\n")[0], re.MULTILINE)
    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(rows) == set(extras) - {"dev"}


def test_python_example_is_as_short_as_its_title_says() -> None:
    match = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert match is not None
    statements = [line for line in match[1].splitlines() if line.strip()]
    assert len(statements) <= 25
