"""All public names exist, and importing the package imports nothing else."""

import subprocess
import sys

import pytest

import modelcontext


def test_every_public_name_is_importable() -> None:
    assert len(modelcontext.__all__) == 19
    for name in modelcontext.__all__:
        assert getattr(modelcontext, name).__module__.startswith("modelcontext."), name


@pytest.mark.parametrize("name", ["nothing", "_nothing"])
def test_unknown_name_of_the_package_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(modelcontext, name)


def test_importing_a_module_does_not_import_the_face() -> None:
    program = "import sys; from modelcontext import problems; print('modelcontext.face' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "False"


def test_importing_the_package_imports_no_submodule() -> None:
    program = "import sys, modelcontext; print([name for name in sys.modules if name.startswith('modelcontext.')])"
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "[]"
