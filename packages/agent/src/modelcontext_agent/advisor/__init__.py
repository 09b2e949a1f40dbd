"""The advisor: a built-in tool by which the model asks a second model for a plan. It only plans, and it is called alone."""
