"""``python -m modelcontext``: the command line, where its script is not on the path."""

from modelcontext.people.cli import main

if __name__ == "__main__":
    main()
