"""The chat: a conversation that survives its workers, and pauses for the page without waiting in memory."""
