"""The algorithms of the clients, each quoted from the text of its name beside it."""
