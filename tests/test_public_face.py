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
    assert raised.value.__notes__ == ["No tool ran: it is gone, or not exposed to the caller, or took no such input."]
