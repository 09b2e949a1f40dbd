"""The module of a text's model: its structs, its interfaces, and the state that it gives to objects of the platform."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from modelcontext.spec.specification.text.algorithms import python_identifier
from modelcontext.spec.verbs.form_terms import StateOfForm
from modelcontext_prose.platform import verb
from modelcontext_prose.python_expressions import INDENT, expression
from modelcontext_prose.python_types import PARALLEL_STEPS, PythonType, annotation
from speclint.prose import tree

if TYPE_CHECKING:
    from pywebidl2 import expr

    from modelcontext_prose.definitions import Alias, Definitions, ItemClass
    from modelcontext_prose.emit.program import Program


# The module of structs; the other one is a product.
class Model:
    """The definitions of the model's module, with the names that they use: in annotations only, and when it is imported."""

    def __init__(self, program: Program) -> None:
        self._definitions: Definitions = program.definitions
        self._program = program
        self.annotations: set[str] = set()
        self.names: set[str] = set()

    def constants(self) -> list[str]:
        """Return the lines of the constants."""
        lines = []
        for identifier, name in self._definitions.constants.items():
            self.names |= {"Final", "TaskSource"}
            lines.append(f'{identifier.upper()}: Final = TaskSource("{name}")')
        for identifier, name in self._definitions.features.items():
            self.names |= {"Final", "PolicyControlledFeature"}
            lines.append(f'{identifier.upper()}: Final = PolicyControlledFeature("{name}")')
        objects = [item for _, item in self.objects()]
        states = ['_STATE: Final = "state of a form"'] if self.states() else []
        self.names |= {"Final"} if objects or states else set()
        lines += [""] if lines and (objects or states) else []
        lines += [f'{item.identifier.upper()}: Final = "{item.words}"' for item in objects] + states
        for interface in self._definitions.interfaces.values():
            if interface.inheritance == "EventTarget":
                self.names |= {"Final", "Kind"}
                kind = f'Kind("listeners of {interface.name}", structure=True)'
                lines += ["", f"{_listeners(interface)}: Final = {kind}"]
        return lines

    def aliases(self) -> Iterator[list[str]]:
        """Yield the lines of the types of steps that are values."""
        for alias in self._definitions.aliases.values():
            yield self._alias(alias)

    def _alias(self, alias: Alias) -> list[str]:
        words = next(name for name in self._names_of_steps() if self._definitions.alias_of(name) == alias)
        result = (
            PARALLEL_STEPS if self._program.strands.is_parallel(words) else self._program.result_of_steps(alias.name)
        )
        parameters = alias.parameters or self._program.parameters_of_steps(alias.name)
        type_ = PythonType("steps", (*parameters, result))
        self._note(type_)
        self.names |= {"TypeAlias"}
        return [f'{alias.name}: TypeAlias = "{expression(annotation(type_))}"']

    def _names_of_steps(self) -> Iterator[str]:
        yield from self._definitions.names_of_steps()

    def classes(self) -> Iterator[list[str]]:
        """Yield the lines of each class and of each function that finds state."""
        for name, known in self._definitions.structs.items():
            yield self._struct(name, list(known.values()))
        for interface in self._definitions.interfaces.values():
            yield self._interface(interface)
        for _, item in self.objects():
            yield self._finder(item)
        if items := self.states():
            yield self._state(items)
            self.names |= {"cast"}
            self.annotations |= {"HTMLFormElement"}
            yield [
                "def state_of(form: HTMLFormElement) -> FormState:",
                f'{INDENT}"""Return the state that is associated with a form element."""',
                f'{INDENT}return cast("FormState", form.extensions.setdefault(_STATE, FormState(form)))',
            ]

    def _note(self, type_: PythonType) -> None:
        self.annotations |= set(type_.names())

    def _struct(self, name: str, items: list[ItemClass]) -> list[str]:
        article = "" if name.endswith("s") else "an " if name[0] in "aeiou" else "a "
        words = f"{article}{name}."
        title = f'{INDENT}"""{words[0].upper()}{words[1:]}"""'
        for item in items:
            self._note(item.type)
        if self._begins(name) or all(self._initial(item) for item in items):
            return [f"class {self._definitions.class_of(name)}:", title, "", *self._begun(items)]
        self.names |= {"dataclass"}
        return [
            "@dataclass(eq=False, slots=True)" if name in self._set else "@dataclass(frozen=True, slots=True)",
            f"class {self._definitions.class_of(name)}:",
            title,
            "",
            *(f"{INDENT}{item.identifier}: {expression(annotation(item.type))}" for item in items),
        ]

    def _begins(self, struct: str) -> bool:
        """Return whether a struct comes with an object of an interface: maps that begin in no other way begin empty."""
        kind = self._definitions.class_of(struct)
        own = {name.lower() for name in self._definitions.interfaces}
        state = [item.type for (owner, _), item in self._definitions.state.items() if owner in own]
        return any(one.name == kind and not one.nullable for one in state)

    def _begun(self, items: list[ItemClass]) -> list[str]:
        """Return the lines of a class all of whose items have initial values."""
        slots = ", ".join(f'"{name}"' for name in sorted(item.identifier for item in items))
        lines = [
            f"{INDENT}__slots__ = ({slots}{',' if len(items) == 1 else ''})",
            "",
            f"{INDENT}def __init__(self) -> None:",
        ]
        for item in items:
            kind = expression(annotation(item.type))
            lines.append(f"{INDENT * 2}self.{item.identifier}: {kind} = {self._initial(item) or 'OrderedMap()'}")
            self.names |= {"OrderedMap"} if item.type.name == "OrderedMap" else set()
        return lines

    @cached_property
    def _set(self) -> set[str]:
        """Return the structs whose items some step sets."""
        return {
            one.target.owner
            for step in self._program.text.walk()
            for reading in step.readings[:1]
            for statement in reading
            for one in statement.walk()
            if isinstance(one, tree.Set) and isinstance(one.target, tree.Item)
        }

    def _initial(self, item: ItemClass) -> str:
        match item.definition.initially:
            case tree.MapOf():
                return "OrderedMap()"
            case tree.ListOf():
                return "[]"
            case tree.Constant(value=None):
                return "None"
        return ""

    def _interface(self, interface: expr.Interface) -> list[str]:
        parent = "EventTarget" if interface.inheritance == "EventTarget" else "PlatformObject"
        self.names |= {parent, "ClassVar"}
        items = [item for (owner, _), item in self._definitions.state.items() if owner == interface.name.lower()]
        slots = "".join(f'"{item.identifier}",' for item in items)
        lines = [
            f"class {interface.name}({parent}):",
            f'{INDENT}"""{"An" if interface.name[0] in "AEIOU" else "A"} {interface.name} object."""',
            "",
            f"{INDENT}__slots__ = ({slots})",
            "",
            f'{INDENT}interface: ClassVar[str] = "{interface.name}"',
        ]
        if parent == "EventTarget":
            lines.append(f"{INDENT}kind_of_listeners: ClassVar[Kind] = {_listeners(interface)}")
        if items:
            self.annotations.add("Realm")
            lines += ["", f"{INDENT}def __init__(self, realm: Realm) -> None:", f"{INDENT * 2}super().__init__(realm)"]
            for item in items:
                self._note(item.type)
                made = self._initial(item) or f"{item.type.name}()"
                lines.append(f"{INDENT * 2}self.{item.identifier} = {made}")
        return lines

    def objects(self) -> list[tuple[str, ItemClass]]:
        """Return the owners and the items of state that is an object of its own."""
        found = []
        for (owner, _), item in self._definitions.state.items():
            if self._definitions.owner(owner).keeps == "object" and verb(item.identifier) is None:
                found.append((owner, item))
        return found

    def _finder(self, item: ItemClass) -> list[str]:
        owner = self._definitions.owner(item.definition.owner)
        parameter = item.definition.owner.rpartition(" ")[2] if owner.type.name != "Navigable" else "traversable"
        kind = expression(annotation(item.type))
        self._note(item.type)
        self._note(owner.type)
        self.names |= {"cast", "associated_object"}
        return [
            f"def {item.identifier}({parameter}: {owner.type.name}) -> {kind}:",
            f'{INDENT}"""Return a {item.definition.owner}\'s {item.words}."""',
            f'{INDENT}return cast("{kind}", associated_object({parameter}, {item.identifier.upper()}))',
        ]

    def states(self) -> list[ItemClass]:
        """Return the state of form elements."""
        return [item for (owner, _), item in self._definitions.state.items() if owner == "form"]

    def _state(self, items: list[ItemClass]) -> list[str]:
        self.names |= {"StateOfForm"}
        own = sorted((item for item in items if not hasattr(StateOfForm, item.identifier)), key=lambda i: i.identifier)
        slots = ", ".join(f'"{item.identifier}"' for item in own)
        lines = [
            "class FormState(StateOfForm):",
            f'{INDENT}"""The state that is associated with a form element."""',
            "",
            f"{INDENT}__slots__ = ({slots})",
            "",
            f"{INDENT}def __init__(self, form: HTMLFormElement) -> None:",
            f"{INDENT * 2}super().__init__(form)",
        ]
        for item in own:
            self._note(item.type)
            lines.append(f"{INDENT * 2}self.{item.identifier}: {expression(annotation(item.type))} = None")
        return lines


def _listeners(interface: expr.Interface) -> str:
    return f"_LISTENERS_OF_{python_identifier(interface.name).upper()}"
