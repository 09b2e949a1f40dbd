"""Scripts without WebMCP: generated, run in several hosts, and compared.

Every order that a script shows is one that the standards promise, so that all hosts have to write the same lines: the
simulated browser with V8, browsers, and the model's own layer of ECMAScript and DOM in Python, where it can say the script.
"""
