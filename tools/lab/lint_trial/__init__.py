"""The lint on trial: mutations of a text, and the rules that notice each."""
