"""The error that nothing catches."""


class SpecAssertionError(BaseException):
    """A bug in the specification or in the model: an assertion that does not hold, or a step without a meaning.

    It is not an ``Exception``, so that neither a page's script nor a handler of ordinary errors can swallow it.
    """


def spec_assert(condition: bool, statement: str) -> None:
    """Perform an "Assert:" step.

    Raises:
        SpecAssertionError: if the condition is false.
    """
    if not condition:
        raise SpecAssertionError(statement)
