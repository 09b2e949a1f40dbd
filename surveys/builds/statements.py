"""What public threads have said of versions of Chromium, each with a question that a page of a build answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

#: A tool that never answers, and its ModelContext; ``input`` has the type that the build takes.
_PENDING = """const context = (document.modelContext ?? navigator.modelContext);
  const tool = { name: "t", description: "d", inputSchema: {}, execute: () => new Promise(() => {}) };
  const controller = new AbortController();
  const find = async () => (await context.getTools()).find((one) => one.name === "t");
  const later = (value) => new Promise((resolve) => setTimeout(resolve, 500, value));
  const inputFor = (one) => typeof one.inputSchema === "string" ? "{}" : {};"""

#: The questions by name: functions for a page, whose answer is true or false.
QUESTIONS: Final[Mapping[str, str]] = {
    "navigator": "() => 'modelContext' in navigator",
    "document": "() => 'modelContext' in document",
    "only navigator": "() => 'modelContext' in navigator && !('modelContext' in document)",
    "only document": "() => 'modelContext' in document && !('modelContext' in navigator)",
    "provideContext": "() => 'provideContext' in ModelContext.prototype",
    "unregisterTool": "() => 'unregisterTool' in ModelContext.prototype",
    "getTools": "() => 'getTools' in ModelContext.prototype",
    "executeTool": "() => 'executeTool' in ModelContext.prototype",
    "modelContextTesting": "() => 'modelContextTesting' in navigator",
    "toolactivated": "() => 'ontoolactivated' in ModelContext.prototype",
    "toolcancel": "() => 'ontoolcancel' in ModelContext.prototype",
    "signal of a call": f"""async () => {{
  {_PENDING}
  if (!context.executeTool) return false;
  await context.registerTool(tool);
  const one = await find();
  const {{ signal }} = controller;
  const call = context.executeTool(one, inputFor(one), {{ signal }}).then(() => false, (error) => error === "stop");
  controller.abort("stop");
  return Promise.race([call, later(false)]);
}}""",
    "calls outlast": f"""async () => {{
  {_PENDING}
  if (!context.executeTool) return false;
  await context.registerTool(tool, {{ signal: controller.signal }});
  const one = await find();
  const call = context.executeTool(one, inputFor(one)).then(() => false, () => false);
  await later();
  controller.abort();
  return Promise.race([call, later(true)]);
}}""",
    "schema is an object": f"""async () => {{
  {_PENDING}
  if (!context.getTools) return false;
  await context.registerTool(tool);
  return typeof (await find()).inputSchema === "object";
}}""",
    "input is an object": f"""async () => {{
  {_PENDING}
  if (!context.executeTool) return false;
  await context.registerTool({{ ...tool, execute: async () => ({{}}) }});
  return context.executeTool(await find(), {{}}).then(() => true, () => false);
}}""",
}


#: The questions for a build that is started without the flag of the feature.
QUESTIONS_BY_DEFAULT: Final[Mapping[str, str]] = {
    "by default": "() => 'modelContext' in document || 'modelContext' in navigator",
}


@dataclass(frozen=True)
class Statement:
    """A statement about versions: the question is answered with yes from ``first`` to ``last``.

    Without a ``question`` no build can answer; ``why`` says why.
    """

    words: str
    question: str = ""
    first: int = 0
    last: int = 999
    why: str = ""


STATEMENTS: Final = (
    Statement("`navigator.modelContext` exists up to 151", "navigator", last=151),
    Statement("`document.modelContext` exists from 150", "document", first=150),
    Statement("only `navigator.modelContext` exists from 146 to 149", "only navigator", first=146, last=149),
    Statement("only `document.modelContext` exists from 152", "only document", first=152),
    Statement("both attributes exist in 150 and 151", why="there is no build of 150 or 151"),
    Statement("`provideContext` is removed in 147", "provideContext", last=146),
    Statement("`unregisterTool` is removed in 148", "unregisterTool", last=147),
    Statement("`getTools` exists from 150", "getTools", first=150),
    Statement("`executeTool` exists from 150", "executeTool", first=150),
    Statement("`navigator.modelContextTesting` is removed in 152", "modelContextTesting", last=151),
    Statement("`executeTool` takes a signal from 153.0.8007", "signal of a call", first=153),
    Statement("from 153.0.8008, a call goes on after its tool is unregistered", "calls outlast", first=153),
    Statement("a listed `inputSchema` is an object from 154.0.8014", "schema is an object", first=154),
    Statement("`executeTool` takes an object from 155.0.8052", "input is an object", first=155),
    Statement("`toolactivated` is an event of ModelContext by 156", "toolactivated", first=156),
    Statement("`toolcancel` is an event of ModelContext by 156", "toolcancel", first=156),
    Statement("the origin trial runs from 149 to 156", why="a build without a token does not show it"),
    Statement("up to 156, the feature is off unless a flag or a token enables it", "by default", first=157),
    Statement("the feature ships with 157", why="there is no build of 157"),
)
