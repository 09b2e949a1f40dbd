"""The demo: a small tea shop whose tools an agent uses."""
