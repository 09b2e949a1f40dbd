"""The help of the command line, the configuration file and completion: what a user learns from."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from modelcontext.ground.files import ReadError
from modelcontext.people.cli import VERBS, exit_codes, load_verb
from modelcontext.people.cli.configuration import VARIABLES, ConfigurationError, configure
from modelcontext.people.cli.groups import FIRST

pytestmark = pytest.mark.usefixtures("takes_long")

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")


def commands(command: click.Command) -> list[click.Command]:
    if not isinstance(command, click.Group):
        return [command]
    context = click.Context(command)
    below = [command.get_command(context, name) for name in command.list_commands(context)]
    return [command, *(one for other in below if other is not None for one in commands(other))]


def modelcontext(*arguments: str, folder: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "from modelcontext.people.cli import main; import sys; sys.argv[0] = 'modelcontext'; main()",
            *arguments,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_help_groups_the_verbs_by_who_asks() -> None:
    finished = modelcontext("-h")
    headings = re.findall(r"^(For .*):$", finished.stdout, re.MULTILINE)
    assert len(headings) == 5
    assert all(re.search(rf"^  {verb} ", finished.stdout, re.MULTILINE) for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_first_screen_of_a_verb_has_at_most_ten_options(verb: str) -> None:
    for command in commands(load_verb(verb)):
        shown = CliRunner().invoke(command, ["--help"], terminal_width=100).output
        first = shown.partition("\nOptions:\n")[2].partition("\n\n")[0]
        assert 1 <= len(re.findall(r"^  -", first, re.MULTILINE)) <= FIRST
        assert "--help" in first


def test_help_of_a_verb_comes_without_the_warning_about_another_checkout(tmp_path: Path) -> None:
    (tmp_path / "src/modelcontext").mkdir(parents=True)
    (tmp_path / "wpt_tests").symlink_to(ROOT / "wpt_tests")
    for arguments, is_warned in ((["run", "-h"], False), (["run"], True)):
        finished = modelcontext(*arguments, folder=tmp_path)
        assert ("warning: the texts and tests come from" in finished.stderr) is is_warned


def test_help_of_a_group_has_the_commands_in_the_order_of_use_and_examples() -> None:
    shown = modelcontext("litmus", "-h").stdout
    listed = re.findall(r"^  (\w+)  ", shown.partition("\nCommands:\n")[2], re.MULTILINE)
    assert listed == ["enumerate", "explain", "promote", "run", "steer", "inject", "races"]
    assert "  modelcontext litmus explain abort-resolve/in-flight --why-not 0,1\n" in shown


def test_wrong_verb_is_told_the_near_one() -> None:
    finished = modelcontext("fuz")
    assert finished.returncode == 2
    assert finished.stderr.splitlines()[-1] == 'Error: there is no verb "fuz"; did you mean fuzz?'


def test_wrong_product_is_told_the_products_once() -> None:
    finished = modelcontext("run", "results/undefined", "--product", "chrom")
    assert finished.stderr.count("simulated") == 1
    assert '"chrom" is none of' in finished.stderr


def test_page_names_every_verb_and_exit_code_and_key() -> None:
    for verb in VERBS:
        assert re.search(rf"`{verb}[ `]", PAGE), verb
    codes = {value for name, value in vars(exit_codes).items() if name.isupper() and isinstance(value, int)}
    assert codes | {0, 141} == set(map(int, re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)))
    for key, variable in VARIABLES.items():
        assert re.search(rf"^\| `{key}` \|.*`{variable}`", PAGE, re.MULTILINE), key


@pytest.fixture
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES.values():
        # Both, so that what a test sets is taken back.
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)


@pytest.mark.usefixtures("no_variables")
@pytest.mark.parametrize(("name", "table"), [("modelcontext.toml", ""), ("pyproject.toml", "[tool.modelcontext]\n")])
def test_nearest_file_configures_and_the_environment_comes_before_it(
    name: str, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "a/b"
    below.mkdir(parents=True)
    (tmp_path / "wpt").mkdir()
    (tmp_path / name).write_text(f'{table}products = ["model", "chromium"]\nwpt = "wpt"\n', encoding="utf-8")
    (tmp_path / "a/pyproject.toml").write_text("[project]\n", encoding="utf-8")
    monkeypatch.setenv("MODELCONTEXT_PRODUCTS", "page")
    configure(below)
    assert os.environ["MODELCONTEXT_PRODUCTS"] == "page"
    assert os.environ["MODELCONTEXT_WPT"] == str(tmp_path / "wpt")


@pytest.mark.usefixtures("no_variables")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("product = []", 'product: there is no such key \\(did you mean "products"\\?\\)'),
        ("products = []", "products: a list of names is needed here"),
        ('products = ["chrom"]', 'products: there is no product "chrom" \\(did you mean'),
        ("wpt = 1", "wpt: a path is needed here, not a number"),
        ('wpt = "nowhere"', "wpt: .*nowhere does not exist"),
        ('binary = "chrome"', "binary: a table with a program for each browser is needed here, not a string"),
        ('[binary]\nopera = "x"', "binary.opera: there is no such key"),
    ],
)
def test_error_in_the_file_names_the_file_and_the_key(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "modelcontext.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=rf"modelcontext\.toml: {problem}"):
        configure(tmp_path)


@pytest.mark.usefixtures("no_variables")
def test_broken_file_matters_only_if_it_is_about_this_package(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other\n", encoding="utf-8")
    configure(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.modelcontext\n", encoding="utf-8")
    with pytest.raises(ReadError, match="this is not TOML"):
        configure(tmp_path)


def test_configured_products_run_unless_others_are_named(tmp_path: Path) -> None:
    for more, ran in (((), ["model"]), (("--product", "simulated"), ["simulated"])):
        finished = modelcontext("run", "results/undefined", "--json", *more, MODELCONTEXT_PRODUCTS="model")
        assert re.findall(r'^        "(\w+)": \{$', finished.stdout, re.MULTILINE) == ran, finished.stdout


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("modelcontext conf", "conformance"),
        ("modelcontext run results/unde", "results/undefined"),
        ("modelcontext litmus run abort-resolve/in-f", "abort-resolve/in-flight"),
        ("modelcontext test --product simu", "simulated"),
        ("modelcontext litmus ste", "steer"),
    ],
)
def test_shell_completes_verbs_programs_tests_and_products(words: str, completed: str) -> None:
    count = str(len(words.split()) - 1)
    finished = modelcontext(_MODELCONTEXT_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=count)
    assert f"plain,{completed}" in finished.stdout.splitlines()
