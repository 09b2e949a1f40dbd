"""Generated scripts without WebMCP: their grammar, a sample in three hosts, shrinking, and the verb."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.running.products import BROWSERS
from tools.lab.__main__ import lab
from tools.lab.javascript import comparison as comparison_module
from tools.lab.javascript.comparison import compare, shrink
from tools.lab.javascript.grammar import FAMILIES, GeneratedScript, grammar, javascript, numbered_script
from tools.lab.javascript.hosts import BrowserHost, LayerHost, SimulatedBrowserHost, is_sayable
from tools.lab.javascript.layer import WORDS

NAMES = {f"{one.sort}.{one.name}" for productions in grammar().values() for one in productions}


@pytest.mark.usefixtures("starts_a_browser")
def test_hosts_write_the_same_lines() -> None:
    with SimulatedBrowserHost() as simulated, BrowserHost("chromium") as chromium:
        comparison = compare({"simulated": simulated, "layer": LayerHost(), "chromium": chromium}, 3, 60)
    assert [difference.to_data() for difference in comparison.differences] == []
    assert comparison.compared["chromium"] == comparison.scripts == 60
    assert comparison.compared["layer"] > 5


def test_scripts_of_one_seed_have_every_production_and_every_source_of_tasks() -> None:
    scripts = [numbered_script(1, number) for number in range(4000)]
    used = frozenset[str]().union(*({f"{one.sort}.{one.name}" for one in one.tree.productions()} for one in scripts))
    assert used == NAMES
    assert {script.family for script in scripts} == set(FAMILIES)


def test_script_of_a_number_is_always_the_same() -> None:
    assert numbered_script(1, 17) == numbered_script(1, 17)
    assert numbered_script(1, 17) != numbered_script(2, 17)


def test_labels_of_a_script_are_numbered_in_the_order_of_its_text() -> None:
    for number in range(50):
        labels = re.findall(r"(?<!URLSearchParams\()log\((\d+)", javascript(numbered_script(1, number).tree))
        assert labels == [str(label) for label in range(1, len(labels) + 1)]


def test_layer_has_words_for_productions_of_the_grammar_only() -> None:
    assert WORDS.keys() <= NAMES
    assert sum(is_sayable(numbered_script(1, number)) for number in range(500)) > 100


def test_shrinking_keeps_the_production_that_makes_the_difference_and_little_else() -> None:
    def has_race(scripts: Sequence[GeneratedScript]) -> list[bool]:
        return ["Promise.race(" in javascript(script.tree) for script in scripts]

    script = next(one for number in range(1000) if any(has_race([one := numbered_script(1, number)])))
    smallest = shrink(script, has_race)
    assert smallest.family == "no tasks"
    [line] = javascript(smallest.tree).splitlines()
    assert "Promise.race([])" in line
    assert smallest.tree.size <= 6


def test_known_differences_name_their_browsers_and_a_reason() -> None:
    known = tomllib.loads(Path(comparison_module.__file__).with_name("known.toml").read_text(encoding="utf-8"))
    for entry in known.values():
        assert entry["reason"]
        assert entry["products"]
        assert set(entry["products"]) <= set(BROWSERS)
        re.compile(entry["pattern"])


class _Silent:
    """A host that writes nothing."""

    version = "none"
    silent: frozenset[str] = frozenset()

    def __enter__(self) -> _Silent:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, scripts: Sequence[GeneratedScript]) -> list[list[str] | None]:
        return [[] for _ in scripts]


@pytest.mark.usefixtures("takes_long")
def test_difference_is_shrunk_and_others_like_it_are_counted() -> None:
    comparison = compare({"layer": LayerHost(), "silent": _Silent()}, 1, 100)
    assert comparison.compared["silent"] < 100
    assert sum(one.scripts for one in comparison.differences) > len(comparison.differences) >= 1
    assert min(one.script.tree.size for one in comparison.differences) <= 4


@pytest.mark.usefixtures("starts_a_browser")
def test_verb_prints_a_script_as_a_page_and_counts_as_json() -> None:
    page = CliRunner().invoke(lab, ["javascript", "--seed", "1", "--script", "3"])
    assert page.exit_code == 0
    assert javascript(numbered_script(1, 3).tree) in page.stdout
    result = CliRunner().invoke(lab, ["javascript", "--examples", "10", "--json"])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["scripts"] == 10
    assert set(data["hosts"]) == {"simulated", "layer", "another schedule"}


def test_verb_refuses_a_binary_without_a_product() -> None:
    result = CliRunner().invoke(lab, ["javascript", "--binary", "x"])
    assert result.exit_code == 2
    assert "name its product with --product" in result.output
