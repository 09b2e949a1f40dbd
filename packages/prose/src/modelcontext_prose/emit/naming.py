"""Names of the functions that stand for steps in a sentence: they are named after what the steps do first and last."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from modelcontext.spec.specification.text.algorithms import python_identifier
from modelcontext_prose.platform import home_of
from speclint.prose import tree
from speclint.text.source_model import built_id

if TYPE_CHECKING:
    from speclint.prose.prose_text import Algorithm, Step
    from speclint.text.source_model import SourceAlgorithm

#: Words that generated code uses as names of Python; a variable of the text gets a line behind its name.
TAKEN: Final = frozenset(
    {
        "any",
        "all",
        "cast",
        "dict",
        "enumerate",
        "float",
        "int",
        "isinstance",
        "len",
        "list",
        "next",
        "object",
        "sorted",
        "str",
        "super",
        "tuple",
    }
)


def name_of_steps(body: Sequence[tree.Statement], below: Sequence[Step], taken: Collection[str]) -> str:
    """Return a name for the function of some steps that is not taken."""
    words = list(dict.fromkeys(word for word in _words(body, below) if word))
    name = "_then_".join(dict.fromkeys([words[0], words[-1]])) if words else "do_nothing"
    if home_of(name) is not None:
        # The steps call the verb of this name.
        name += "_steps"
    return unused(name, taken)


def unused(name: str, taken: Collection[str]) -> str:
    """Return a name, with a number behind it if it is taken."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def _words(body: Sequence[tree.Statement], below: Sequence[Step]) -> Iterator[str]:
    for statement in body:
        match statement:
            case tree.Below():
                for step in below:
                    for reading in step.readings[:1]:
                        yield from _words(reading, step.steps)
            case tree.Do(action=tree.Run(algorithm=algorithm)):
                yield algorithm.partition("-")[0]
            case tree.Do(action=tree.Call(phrase=phrase)):
                yield phrase.verb.partition("_")[0]
            case tree.Do(action=tree.RunSteps(steps=tree.Variable(name=steps) | tree.Item(name=steps))):
                yield f"run_{python_identifier(steps)}"
            case tree.Let(value=tree.Run(algorithm=algorithm)):
                yield algorithm.partition("-")[0]
            case tree.Set(target=tree.Variable(name=target) | tree.Item(name=target)):
                yield f"set_{python_identifier(target)}"
            case tree.ForEach() | tree.While() | tree.InParallel() | tree.React() | tree.Upon():
                yield _NAMES[type(statement)]


#: The names of steps that go through something, go on, or react.
_NAMES: Final[dict[type[tree.Node], str]] = {
    tree.ForEach: "go_through",
    tree.While: "repeat",
    tree.InParallel: "go_on",
    tree.React: "react",
    tree.Upon: "react",
}


def id_of(algorithm: Algorithm | SourceAlgorithm) -> str:
    """Return the id by which the bindings find an algorithm, which is that of the built text."""
    return built_id(algorithm.id, algorithm.kind, algorithm.owner, algorithm.name)
