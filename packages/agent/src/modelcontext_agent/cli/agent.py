"""``modelcontext agent``: a page's tools and language models."""

from __future__ import annotations

from modelcontext.people.cli.groups import verbs
from modelcontext_agent.cli import agent_check, agent_demo, agent_eval, agent_gateway, agent_serve, agent_tools


@verbs()
def command() -> None:
    """Bring the tools of a page to a language model, and the model's calls back to the page."""


command.add_command(agent_tools.command, "tools")
command.add_command(agent_check.command, "check")
command.add_command(agent_demo.command, "demo")
command.add_command(agent_eval.command, "eval")
command.add_command(agent_gateway.command, "gateway")
command.add_command(agent_serve.command, "serve")
