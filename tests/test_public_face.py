"""All public names exist, and importing the package imports nothing else."""

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version

import pytest

import modelcontext


def test_every_public_name_is_importable() -> None:
    assert len(modelcontext.__all__) == 20
    for name in modelcontext.__all__:
        assert getattr(modelcontext, name).__module__.startswith("modelcontext."), name


@pytest.mark.parametrize("name", ["nothing", "_nothing"])
def test_unknown_name_of_the_package_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(modelcontext, name)


def test_package_lists_its_public_names_and_its_version() -> None:
    assert {*modelcontext.__all__, "__version__"} <= set(dir(modelcontext))
    assert modelcontext.__version__ == version("modelcontext")


def test_package_has_the_names_that_modelcontext_explore_adds() -> None:
    names = {"assert_always", "assert_possible", "explore"}
    assert names <= set(dir(modelcontext))
    assert {getattr(modelcontext, name).__module__.partition(".")[0] for name in names} == {"modelcontext_explore"}


def test_timers_fire_in_the_order_in_which_they_are_due() -> None:
    page = modelcontext.Browser().open("https://a.example/")
    fired: list[str] = []
    page.set_timeout(lambda: fired.append("later"), 20)
    page.set_timeout(lambda: fired.append("sooner"), 10)
    page.clear_timeout(page.set_timeout(lambda: fired.append("never"), 5))
    page.sleep(30).wait()
    assert fired == ["sooner", "later"]


def test_script_waits_for_messages_and_for_the_first_of_several_promises() -> None:
    page = modelcontext.Browser().open("https://a.example/")

    async def script() -> list[object]:
        own = page.new_promise()
        page.set_timeout(lambda: own.resolve("own"), 10)
        return [await page.next_message(), await page.race([page.sleep(20), own]), await page.all([own, page.sleep(1)])]

    page.post_message({"n": 1})
    assert page.run(script).wait() == [{"n": 1}, "own", ["own", None]]


def test_exception_that_nobody_catches_is_in_the_log_of_python(caplog: pytest.LogCaptureFixture) -> None:
    browser = modelcontext.Browser()

    def broken() -> None:
        raise LookupError("no tea")

    browser.open("https://a.example/").run(broken)
    browser.run_until_idle()
    [record] = caplog.records
    assert record.getMessage() == "https://a.example/: broken raised an exception"
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], LookupError)


@pytest.mark.usefixtures("takes_long")
def test_importing_a_module_does_not_import_the_face() -> None:
    program = "import sys; from modelcontext.ground import problems; print('modelcontext.programs.face' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "False"


@pytest.mark.usefixtures("takes_long")
def test_importing_the_package_imports_no_submodule() -> None:
    program = "import sys, modelcontext; print([name for name in sys.modules if name.startswith('modelcontext.')])"
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "[]"


def test_listener_of_a_browser_is_called_whenever_it_has_run_until_idle() -> None:
    browser = modelcontext.Browser()
    document = browser.open("https://a.example/")
    registering = document.model_context.register_tool(name="t", description="d", execute=lambda input: None)
    states: list[str] = []
    browser.on_idle(lambda: states.append(registering.state))
    assert (registering.state, states) == ("pending", [])
    browser.run_until_idle()
    registering.wait()
    assert states == ["fulfilled", "fulfilled"]


def test_frames_of_a_document_are_those_that_are_there_now() -> None:
    document = modelcontext.Browser().open("https://a.example/")
    first = document.add_frame("https://b.example/")
    second = document.add_frame("https://c.example/")
    assert document.frames == [first, second]
    first.remove()
    assert document.frames == [second]


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda input: "one", '"one"'),
        (lambda input, signal: signal.aborted, "false"),
        (lambda *arguments: len(arguments), "2"),
        (lambda input, *, more=1: more, "1"),
    ],
    ids=["one", "two", "any number", "by keyword"],
)
def test_tool_is_given_the_signal_if_it_takes_two_arguments(function: Callable[..., object], result: str) -> None:
    document = modelcontext.Browser().open("https://a.example/")
    document.model_context.register_tool(name="t", description="d", execute=function)
    [tool] = document.model_context.get_tools().wait()
    assert document.model_context.execute_tool(tool, {}).wait() == result


def test_exception_of_a_tool_is_the_cause_of_the_rejection_of_its_call() -> None:
    browser = modelcontext.Browser()
    document = browser.open("https://a.example/")

    def wrong(input: dict[str, int]) -> int:
        return input["missing"]

    async def late(input: dict[str, int]) -> int:
        await document.model_context.get_tools()
        raise LookupError(f"no tea {input['number']}")

    for tool in (wrong, late):
        document.model_context.register_tool(name=tool.__name__, description="d", execute=tool)
    tools = {tool.name: tool for tool in document.model_context.get_tools().wait()}
    calls = [
        document.model_context.execute_tool(tools[name], {"number": n})
        for n, name in enumerate(["late", "wrong", "late"])
    ]
    browser.run_until_idle()
    for call, cause in zip(
        calls, ["LookupError('no tea 0')", "KeyError('missing')", "LookupError('no tea 2')"], strict=True
    ):
        with pytest.raises(modelcontext.RejectedError) as raised:
            _ = call.value
        assert (raised.value.name, repr(raised.value.__cause__)) == ("UnknownError", cause)


def test_call_for_which_no_tool_ran_says_so() -> None:
    document = modelcontext.Browser().open("https://a.example/")
    controller = document.new_abort_controller()
    document.model_context.register_tool(name="t", description="d", execute=lambda _: None, signal=controller.signal)
    [tool] = document.model_context.get_tools().wait()
    controller.abort()
    with pytest.raises(modelcontext.RejectedError) as raised:
        document.model_context.execute_tool(tool).wait()
    note = "No tool ran: the tool is gone, is not exposed to the caller, or did not accept the input."
    assert raised.value.__notes__ == [note]
