"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

import click

from modelcontext.problems import UnavailableError
from modelcontext.products import PRODUCTS, Product, make_product
from modelcontext.products.browser import PATIENCE
from modelcontext.products.runners import BATCHED, make_batching
from modelcontext.program.tables import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])


def _check_products(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in PRODUCTS:
            raise click.BadParameter(f'unknown product "{name}"' + did_you_mean(name, PRODUCTS), ctx, param)
    return tuple(dict.fromkeys(names))


def products(*default: str) -> Callable[[F], F]:
    """The option ``--product``, with these products unless others are named."""
    return click.option(
        "--product",
        "products",
        callback=_check_products,
        multiple=True,
        default=default,
        show_default=True,
        metavar="PRODUCT",
        help="Where to run; may be given several times.",
    )


def _read_shard(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int]:
    number, _, count = value.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise click.BadParameter(f'"{value}" is no part of a whole; the second of three parts is 2/3', ctx, param)
    return int(number), int(count)


shard = click.option("--shard", callback=_read_shard, default="1/1", metavar="I/N", help="Take only part I of N.")
binary = click.option("--binary", metavar="PATH", help="The browser to run, instead of the one of this machine.")
port = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port that serves the pages.  [default: any free one]",
)
frames = click.option(
    "--frames",
    is_flag=True,
    help="Run programs in frames of pages that stay, several at a time: faster. What a frame cannot stand for has a page.",
)
workers = click.option(
    "--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes in which the model works."
)
cluster = click.option(
    "--cluster", metavar="ADDRESS", help="Let the model work on the Dask cluster whose scheduler is there."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def launched(stack: ExitStack, product: Product) -> Product:
    """Launch a product until the end of a stack. Raises :class:`UnavailableError` that names it."""
    try:
        return stack.enter_context(product)
    except UnavailableError as error:
        raise UnavailableError(f"{product.name} is NOTRUN: {error.reason}", error.remedy) from None


def make(name: str, in_frames: bool, binary: str | None, port: int) -> Product:
    """A product by its name, where programs run in pages, or in frames of pages that stay."""
    if in_frames and name in BATCHED:
        product = make_batching(name, binary=binary, port=port)
        product.patience_in_frames = PATIENCE
        return product
    return make_product(name, binary=binary, port=port)
