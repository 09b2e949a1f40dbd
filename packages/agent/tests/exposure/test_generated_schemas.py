"""Three hundred generated schemas of all drafts: what a provider is sent is in its published subset, and no loss is silent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from modelcontext_agent.exposure.changes import ChangeKind
from modelcontext_agent.exposure.providers import Provider
from modelcontext_agent.exposure.schemas import convert
from packages.agent.tests.exposure.generated_schemas import Generated, generated
from packages.agent.tests.exposure.published_subsets import problems

COUNT = 300
LOSSES = {ChangeKind.WIDENED, ChangeKind.REPLACED}


def as_sent(value: Any, sent_names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {sent_names.get(name, name): as_sent(item, sent_names) for name, item in value.items()}
    return [as_sent(item, sent_names) for item in value] if isinstance(value, list) else value


def faults(given: Generated, provider: Provider) -> list[str]:
    """Return what is wrong with the schema that a provider is sent."""
    converted = convert(given.schema, provider)
    found = problems(converted.schema, provider)
    if found:
        return found
    validator = Draft202012Validator(converted.schema)
    is_faithful = not LOSSES & {change.kind for change in converted.changes}
    # The members of a union say nothing of each other's properties, which are all sent where no union is.
    is_united = bool({"anyOf", "oneOf"} & given.schema.keys())
    sent_names = {own: sent for sent, own in converted.names.items()}
    for value, is_accepted in given.values:
        is_sendable = validator.is_valid(as_sent(value, sent_names))
        if is_accepted and not is_sendable and not is_united:
            found.append(f"the page takes {value}, and the model cannot send it")
        if is_sendable and not is_accepted and is_faithful:
            found.append(f"the page refuses {value}, and no loss is reported")
    return found


def check(seeds: range, provider: Provider) -> None:
    schemas = [generated(seed) for seed in seeds]
    wrong = {(given.draft, str(given.schema)): found for given in schemas if (found := faults(given, provider))}
    assert wrong == {}


@pytest.mark.parametrize(("first", "provider"), list(enumerate(Provider)))
def test_schemas_of_all_drafts_are_in_the_published_subset_and_no_loss_is_silent(
    first: int, provider: Provider
) -> None:
    # Each provider has its share of the seeds, in which all drafts are.
    check(range(first, COUNT, len(Provider)), provider)


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("provider", list(Provider))
def test_each_schema_is_in_the_published_subset_of_each_provider(provider: Provider) -> None:
    check(range(COUNT), provider)


def test_generated_schemas_have_values_that_they_accept_and_that_they_refuse() -> None:
    verdicts = [is_accepted for seed in range(70) for _, is_accepted in generated(seed).values]
    assert 60 < sum(verdicts) < len(verdicts) - 60
