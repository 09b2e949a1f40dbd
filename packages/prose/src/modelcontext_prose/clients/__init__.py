"""The check that the algorithms of clients, which are written by hand, quote their texts step by step."""
