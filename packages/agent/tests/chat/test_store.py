"""Tests of the store: it behaves as pydantic-ai's own store in memory does, and keeps what the library puts in it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from pydantic_ai import Agent
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationConflict, ConversationStore, InMemoryConversationStore
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import BinaryImage, ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

from modelcontext_agent.chat.store import ChatStore

if TYPE_CHECKING:
    from pydantic_ai.models.function import AgentInfo
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["database", "memory"])
def store(request: pytest.FixtureRequest, engine: AsyncEngine) -> ConversationStore:
    """Return our store, and the library's as a witness that the tests ask for the right things."""
    return ChatStore(engine) if request.param == "database" else InMemoryConversationStore()


def question(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text)])


def answer(text: str) -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)])


async def saved(store: ConversationStore, *messages: ModelMessage, scope: str | None = None) -> Conversation:
    conversation = Conversation(messages=list(messages))
    await store.save(conversation, scope=scope)
    return conversation


async def test_saved_conversation_loads_equal(store: ConversationStore) -> None:
    image = BinaryImage(b"\x89PNG\0", media_type="image/png")
    one = await saved(store, ModelRequest(parts=[UserPromptPart(["look", image])]), answer("I see"))
    loaded = await store.load(one.conversation_id)
    assert loaded == one
    limited = await store.load(one.conversation_id, limit=1)
    assert limited is not None
    assert limited.messages == one.messages[1:]
    assert await store.load("nobody") is None


async def test_save_appends_and_keeps_entries(store: ConversationStore) -> None:
    one = await saved(store, question("a"), answer("b"))
    loaded = await store.load(one.conversation_id)
    assert loaded is not None
    loaded.messages.append(question("c"))
    [new] = await store.save(loaded)
    entries = await store.load_entries(one.conversation_id)
    assert entries is not None
    assert [entry.id for entry in entries][-1] == new.id
    assert new.parent_id == entries[1].id
    assert (await store.read_entry(new.id)).message == new.message


async def test_run_of_an_agent_is_saved_and_continued_with_its_usage(store: ConversationStore) -> None:
    def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return answer(f"{len(messages)} messages")

    agent = Agent(FunctionModel(speak))
    result = await agent.run("hi", conversation=Conversation(conversation_id="c"))
    await store.save(result)
    loaded = await store.load("c")
    result = await agent.run("again", conversation=loaded)
    await store.save(result)
    loaded = await store.load("c")
    assert loaded is not None
    assert (result.output, loaded.usage.requests, len(loaded.messages)) == ("3 messages", 2, 4)


async def test_one_of_twenty_saves_of_one_revision_wins(store: ConversationStore) -> None:
    one = await saved(store, question("a"))

    async def save(number: int) -> bool:
        loaded = await store.load(one.conversation_id)
        assert loaded is not None
        await everybody_loaded.wait()
        loaded.messages.append(answer(str(number)))
        try:
            await store.save(loaded)
        except ConversationConflict:
            return False
        return True

    everybody_loaded = asyncio.Barrier(20)
    assert sum(await asyncio.gather(*map(save, range(20)))) == 1
    loaded = await store.load(one.conversation_id)
    assert loaded is not None
    assert len(loaded.messages) == 2


async def test_new_conversation_with_a_known_id_is_a_conflict(store: ConversationStore) -> None:
    one = await saved(store, question("a"))
    with pytest.raises(ConversationConflict):
        await store.save(Conversation(conversation_id=one.conversation_id, messages=[question("b")]))


async def test_fork_shares_entries_and_branch_leaves_the_old_history_stored(store: ConversationStore) -> None:
    one = await saved(store, question("a"), answer("b"), question("c"), answer("d"))
    entries = await store.load_entries(one.conversation_id)
    assert entries is not None
    fork = await store.fork(one.conversation_id, from_entry=entries[0].id)
    fork.messages.append(answer("other"))
    await store.save(fork)
    forked = await store.load_entries(fork.conversation_id)
    assert forked is not None
    assert next(entry.id for entry in forked) == entries[0].id
    assert [entry.message for entry in forked] == [entries[0].message, fork.messages[1]]
    branch = await store.branch(one.conversation_id, at=2, expected_revision=one.revision)
    branch.messages.append(question("e"))
    await store.save(branch)
    back = await store.branch(one.conversation_id, from_entry=entries[3].id, expected_revision=branch.revision)
    assert [message.parts[0].content for message in back.messages] == ["a", "b", "c", "d"]  # type: ignore[union-attr]


async def test_scope_hides_conversations_of_others(store: ConversationStore) -> None:
    mine = await saved(store, question("a"), scope="me")
    await saved(store, question("b"), scope="you")
    assert await store.load(mine.conversation_id, scope="you") is None
    assert [record.conversation_id for record in await store.list_conversations(scope="me")] == [mine.conversation_id]
    assert len(await store.list_conversations()) == 2
    assert len(await store.list_conversations(limit=1)) == 1


async def test_deleted_conversation_is_gone_and_a_stale_delete_is_a_conflict(store: ConversationStore) -> None:
    one = await saved(store, question("a"))
    with pytest.raises(ConversationConflict):
        await store.delete_record(one.conversation_id, expected_revision="stale")
    await store.delete(one.conversation_id)
    assert await store.load(one.conversation_id) is None
    with pytest.raises(UserError):
        await store.fork(one.conversation_id)


async def test_unknown_entry_is_a_lookup_error(store: ConversationStore) -> None:
    with pytest.raises(LookupError):
        await store.read_entry("nobody")
    with pytest.raises(LookupError):
        await store.read_history("nobody")
