"""Products, on which programs and tests run: the model and real browsers."""

from __future__ import annotations

from modelcontext.running.products.base import Ending, Observation, Product
from modelcontext.running.products.makers import ProductOptions
from modelcontext.running.products.registry import (
    BROWSERS,
    COMPARED,
    POLYFILL,
    PRODUCTS,
    RUN_THE_TEXT,
    SIMULATED,
    TESTED,
    default_products,
    make_product,
    make_runner,
    make_target,
    named_products,
    runners,
)
from modelcontext.running.products.target import Target

__all__ = [
    "BROWSERS",
    "COMPARED",
    "POLYFILL",
    "PRODUCTS",
    "RUN_THE_TEXT",
    "SIMULATED",
    "TESTED",
    "Ending",
    "Observation",
    "Product",
    "ProductOptions",
    "Target",
    "default_products",
    "make_product",
    "make_runner",
    "make_target",
    "named_products",
    "runners",
]
