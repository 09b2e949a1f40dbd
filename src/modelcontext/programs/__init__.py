"""Programs: the language of programs, their runs in the model, their traces, and the Python API."""
