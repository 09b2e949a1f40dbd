"""Evaluations: files that say which tools a model should call, in the format of the public WebMCP evals.

``matching`` holds calls against what is expected, ``reading`` reads the files, ``running`` asks the model.
"""
