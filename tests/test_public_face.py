"""The names that the package offers are there, and importing it costs next to nothing."""

import subprocess
import sys

import modelcontext


def test_every_public_name_is_there() -> None:
    for name in modelcontext.__all__:
        assert getattr(modelcontext, name).__module__.startswith("modelcontext."), name


def test_importing_the_package_imports_no_part_of_it() -> None:
    program = "import sys, modelcontext; print([name for name in sys.modules if name.startswith('modelcontext.')])"
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "[]"
