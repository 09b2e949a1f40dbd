"""The server of chats on this machine: HTTP, server-sent events, and a page for people."""
