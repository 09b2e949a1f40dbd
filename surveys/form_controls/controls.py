"""The controls, and the values that each is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple


class Control(NamedTuple):
    """A part of a form with one parameter named ``a``, or none, and values for it."""

    html: str
    values: Sequence[Any] = ()


_TEXT: Final[Sequence[Any]] = ("x", "", 1e21, 0.1, 1234567.5, True, None, [], "\n")
_CHOICE: Final[Sequence[Any]] = ("x", "z", 1, ["x"])
_CHOICES: Final[Sequence[Any]] = (["x"], [], ["x", "x"], ["z"], "x")

CONTROLS: Final = (
    Control("<label>Name <input name=a></label>", _TEXT),
    Control("<input name=a type=search>", ("x",)),
    Control("<input name=a type=tel>", ("x",)),
    Control("<input name=a type=password>", ("x",)),
    Control("<input name=a type=unknown>", ("x",)),
    Control("<input name=a type=email>", (" a@b ", "x", " ")),
    Control("<input name=a type=email multiple>", ("a@b, c@d",)),
    Control("<input name=a type=url>", ("https://a.test", "x", " ")),
    Control("<input name=a pattern='[0-9]+'>", ("room 5",)),
    Control("<input name=a pattern='['>"),
    Control("<input name=a required maxlength=1>", ("xyz",)),
    Control("<input name=a readonly>", ("x",)),
    Control("<input name=a disabled>", ("x",)),
    Control("<textarea name=a pattern=x>t</textarea>", ("x\ny", "", "\n", 5)),
    Control("<textarea name=a readonly></textarea>"),
    Control("<input name=a type=hidden>", ("x",)),
    Control("<input name=a type=hidden required toolparamdescription=Token>", ("x", 1)),
    Control("<input name=_charset_ type=hidden toolparamdescription=Set>"),
    Control("<input name=a type=number>", (5, "5", ".5", "+5", "", "x", True, 1e21, 1234567.5)),
    Control("<input name=a type=number min=1 max=8 step=2>", (3, 4, 9)),
    Control("<input name=a type=number min=2 max=1>"),
    Control("<input name=a type=number value=1 step=2>"),
    Control("<input name=a type=number min=.3 step=.1>", (0.4,)),
    Control("<input name=a type=number step=any pattern=x>", (0.4,)),
    Control("<input name=a type=range required>", (50, 150, "x", "", 2.5)),
    Control("<input name=a type=range min=200>"),
    Control("<input name=a type=range step=any>", (2.5,)),
    Control("<label>Day <input name=a type=date></label>", ("2026-02-28", "2026-02-29", "", "tomorrow")),
    Control("<input name=a type=month>", ("2026-02", "2026-13", "")),
    Control("<input name=a type=week>", ("2026-W09", "2025-W53", "")),
    Control("<input name=a type=time>", ("10:30", "10:30:00", "25:00", "")),
    Control("<input name=a type=time step=30>", ("10:30:30",)),
    Control("<input name=a type=time step=90>", ("10:30:30",)),
    Control("<input name=a type=time step=.5>", ("10:30:30.5",)),
    Control("<input name=a type=time step=any>", ("10:30:30.25",)),
    Control("<input name=a type=datetime-local>", ("2026-02-28T10:30", "2026-02-28 10:30", "2026-02-30T10:30", "")),
    Control("<input name=a type=color required>", ("#00FF00", "green", "", "#0f0")),
    Control(
        "<label>Agree <input name=a type=checkbox required></label>", (True, False, -1, 1.5, "FALSE", "1", "on", None)
    ),
    Control("<input name=a type=checkbox value=x><input name=a type=checkbox value=y checked>", _CHOICES),
    Control("<input name=a type=checkbox><input name=a type=checkbox>", (["on"],)),
    Control("<input name=a type=checkbox><input name=a type=checkbox disabled>", (True,)),
    Control("<input name=a type=hidden value=no><input name=a type=checkbox value=yes>", (True,)),
    Control("<label>X <input name=a type=radio value=x></label>", ("x",)),
    Control("<input name=a type=radio value=x><input name=a type=radio value=y checked>", _CHOICE),
    Control(
        "<fieldset toolparamdescription=Size><label>Small <input name=a type=radio value=x></label>"
        "<label>Big <input name=a type=radio value=y required></label></fieldset>"
    ),
    Control("<label>Area <select name=a><option>x<option selected>y</select></label>", _CHOICE),
    Control("<select name=a><option value=x label=L> X  x <option value=y>Y</select>"),
    Control("<select name=a required><option value=''>Choose<optgroup label=G><option>x</optgroup></select>", ("",)),
    Control("<select name=a><option>x<option disabled>z</select>", ("z",)),
    Control("<select name=a><option>x<option>x</select>"),
    Control("<select name=a></select>", ("x",)),
    Control("<select name=a multiple><option>x<option selected>y<option disabled>z</select>", _CHOICES),
    Control("<input name=a list=l><datalist id=l><option>x</datalist>", ("y",)),
    Control("<input name=a type=file>", ("x",)),
    Control("<input name=a type=submit>", ("x",)),
    Control("<input name=a type=image>"),
    Control("<input name=a type=reset>"),
    Control("<input name=a type=button>"),
    Control("<button name=a type=button>A</button>", ("x",)),
    Control("<output name=a>o</output>", ("x",)),
    Control("<fieldset name=a></fieldset>"),
    Control("<object name=a></object>"),
    Control("<meter></meter><progress></progress>"),
    Control("<form-associated name=a></form-associated>"),
    Control("<input name=a><input name=a>", ("x",)),
    Control("<input name=a><input name=a type=checkbox>", ("x",)),
    Control("<input><button type=button>Help</button>"),
    Control("<input name=' a '>", ("x",)),
    Control("<input name=a form=elsewhere>", ("x",)),
    Control("<fieldset disabled><legend><input name=a></legend><input name=b></fieldset>", ("x",)),
    Control("<input name=a aria-description=D title=T placeholder=P>"),
    Control("<label for=i> One  two </label><label for=i>Three</label><input name=a id=i>"),
)
