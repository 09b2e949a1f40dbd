"""Metrics of the built-in tools that watch themselves, for Prometheus: calls, failures, refusals and latency, by tool."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest


class ToolMetrics:
    """The metrics of built-in tools in one process. A label ``tool`` names the tool; a page's words are never a label."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        name = "modelcontext_agent_tool"
        self._calls = Counter(f"{name}_calls", "Calls of a built-in tool.", ["tool"], registry=self._registry)
        self._failures = Counter(f"{name}_failures", "Calls that failed.", ["tool"], registry=self._registry)
        self._refusals = Counter(
            f"{name}_refusals",
            "Calls that did not run because of a rule of the tool: a model that goes on breaking it is in a loop.",
            ["tool"],
            registry=self._registry,
        )
        self._tokens = Counter(
            f"{name}_tokens",
            "Tokens that a model behind a tool has used.",
            ["tool", "direction"],
            registry=self._registry,
        )
        self._latency = Histogram(
            f"{name}_latency_seconds",
            "Seconds from a call to its result.",
            ["tool"],
            buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30),
            registry=self._registry,
        )

    def record(self, tool: str, seconds: float, *, failed: bool) -> None:
        """Count a call that has ended."""
        self._calls.labels(tool).inc()
        self._failures.labels(tool).inc(1 if failed else 0)
        self._latency.labels(tool).observe(seconds)

    def count_refusal(self, tool: str) -> None:
        """Count a call that did not run because of a rule of the tool."""
        self._refusals.labels(tool).inc()

    def count_tokens(self, tool: str, input: int, output: int) -> None:
        """Count the tokens that a model behind a tool has used."""
        self._tokens.labels(tool, "input").inc(input)
        self._tokens.labels(tool, "output").inc(output)

    def value(self, name: str, **labels: str) -> float:
        """Return a sample, such as ``modelcontext_agent_tool_calls_total``, or 0 if there is none yet."""
        return self._registry.get_sample_value(name, labels) or 0.0

    def exposition(self) -> tuple[bytes, str]:
        """Return the body and the content type of an answer to Prometheus."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
