"""Random UUIDs (https://www.rfc-editor.org/rfc/rfc9562), as HTML and the Web Cryptography API generate them."""

from __future__ import annotations


class RandomUUID(str):
    """A random UUID of a simulated user agent, which is no other string.

    Nobody can know anything of it but what it is equal to. Its digits are the number of the UUIDs before it, so states
    that differ in nothing else are the same state for fingerprints.
    """

    __slots__ = ()

    @classmethod
    def numbered(cls, number: int) -> RandomUUID:
        """Return the UUID with a number."""
        return cls(f"00000000-0000-4000-8000-{number:012x}")

    def relevant(self) -> tuple[object, ...]:
        """Return nothing: the identity is all that matters."""
        return ()
