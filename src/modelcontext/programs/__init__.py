"""Programs: the language, their runs in the model, their traces, and the Python face."""
