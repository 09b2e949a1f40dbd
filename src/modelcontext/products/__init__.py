"""Where programs run: the model, and real browsers."""

from __future__ import annotations

from modelcontext.products.base import Ending, Observation, Product, UnavailableError
from modelcontext.products.chromium import Chromium
from modelcontext.products.firefox import Firefox
from modelcontext.products.model import Model

__all__ = ["PRODUCTS", "Ending", "Observation", "Product", "UnavailableError", "make_product"]

#: The names of the products.
PRODUCTS = ("model", "chromium", "firefox")

#: Those that run unless others are named: the ones that implement the current revision.
CURRENT_PRODUCTS = ("model", "chromium")


def make_product(name: str, *, binary: str | None = None, port: int = 0) -> Product:
    """A product by its name; ``binary`` and ``port`` are for browsers. Raises ``ValueError`` for an unknown name."""
    match name:
        case "model":
            return Model()
        case "chromium":
            return Chromium(binary, port=port)
        case "firefox":
            return Firefox(binary, port=port)
    raise ValueError(f"there is no product {name}")
