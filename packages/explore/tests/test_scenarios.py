"""The ten scenarios of docs/python.md: short, explored completely, right about themselves, and able to find a bug."""

from __future__ import annotations

import re

import pytest

from packages.explore.tests.scenarios import PAGE, SCENARIOS, names_of

#: A bug for each scenario: the text that it changes, and the new text.
BUGS = {
    "two_origins": ('execute=lambda order: "for me alone"', "execute=lambda order: shop.new_promise()"),
    "abort_while_running": ("if signal.aborted:", "if not signal.aborted:"),
    "client_that_looks_again": ("if not now or now[0].description != shown.description:", "if not now:"),
    "shop_with_stock": (
        '        stock["tea"] -= 1\n        await shop.sleep(100)  # the payment takes a time\n',
        '        await shop.sleep(100)  # the payment takes a time\n        stock["tea"] -= 1\n',
    ),
    "approval_dialog": ("dialogs[to].resolve(yes)", "dialogs[min(dialogs)].resolve(yes)"),
    "retry_loop": ('{"key": "order 7"}', '{"key": f"order 7, attempt {attempt}"}'),
    "pool_of_pages": (
        'job = jobs.pop(0)\n            done.append(await page.model_context.execute_tool(tool, {"text": job}))\n',
        'job = jobs[0]\n            done.append(await page.model_context.execute_tool(tool, {"text": job}))\n'
        "            jobs[:] = [one for one in jobs if one != job]\n",
    ),
    "form": ('event.respond_with("thank you")', "pass"),
    "proxy_of_a_frames_tool": (' if routes else "no map"', ""),
    "shim_of_a_polyfill": ("registered.pop().abort()", "registered.pop()"),
}
pytestmark = pytest.mark.usefixtures("takes_long")


def test_page_has_ten_scenarios_of_at_most_25_lines() -> None:
    assert SCENARIOS.keys() == BUGS.keys()
    assert [name for name, code in SCENARIOS.items() if len(code.partition("\n\n\n")[0].splitlines()) > 25] == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_is_explored_completely_and_its_assertions_hold(name: str) -> None:
    found = names_of(SCENARIOS[name])["found"]
    assert found.complete, found.summary


@pytest.mark.parametrize("name", BUGS)
def test_bug_that_is_planted_into_a_scenario_is_found(name: str) -> None:
    old, new = BUGS[name]
    assert old in SCENARIOS[name]
    with pytest.raises(AssertionError, match=r"break the property|no schedule leads to such an outcome") as raised:
        names_of(SCENARIOS[name].replace(old, new))
    assert 'replay="' in str(raised.value)


def test_first_example_of_the_page_prints_its_outcomes(capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    match = re.search(r"```python\n(from modelcontext import explore\n.*?)```\n\n```\n(.*?)```", text, re.DOTALL)
    assert match is not None
    names_of(match[1])
    printed = capsys.readouterr().out.splitlines()
    shown = match[2].splitlines()
    assert len(printed) == len(shown)
    assert all(line.startswith(expected.partition("...")[0]) for line, expected in zip(printed, shown, strict=True))
